"""Finite groups: tables, words and subgroups, compared with sympy."""

import pytest
import torch
from groups.known_groups import NAMES, quaternion, quaternion_units, relabelled
from sympy.combinatorics import Permutation, PermutationGroup

from lgn import groups
from lgn.groups.multiplication import require_group

each_name = pytest.mark.parametrize("name", NAMES)


@each_name
def test_tables_are_groups_with_the_identity_first(name: str) -> None:
    group = groups.as_group(name)
    require_group(group.table.tolist())
    everything = torch.arange(group.order)
    assert torch.equal(group.table[everything, group.inverses], torch.zeros(group.order, dtype=torch.long))
    assert torch.equal(group.table[group.inverses, everything], torch.zeros(group.order, dtype=torch.long))


@each_name
def test_words_are_their_elements_and_relations_the_identity(name: str) -> None:
    group = groups.as_group(name)
    assert [group[word].number for word in group.words] == list(range(group.order))
    assert [group[generator].number for generator in group.generators] == list(group.generator_elements)
    assert all(group[relation].number == 0 for relation in group.relations)


@each_name
def test_relations_define_the_group_given_or_found(name: str) -> None:
    from sympy.combinatorics.fp_groups import FpGroup
    from sympy.combinatorics.free_groups import free_group

    def order(relations: list[str], generators: tuple[str, ...]) -> int:
        free, *letters = free_group(" ".join(generators))
        symbols = dict(zip(generators, letters, strict=True))
        words = []
        for relation in relations:
            word = free.identity
            for part in relation.split():
                base, _, exponent = part.partition("^")
                word = word * symbols[base] ** int(exponent or 1)
            words.append(word)
        return FpGroup(free, words).order()

    group = groups.as_group(name)
    if group.order > 1:
        assert order(list(group.relations), group.generators) == group.order
        found = relabelled(group, 0)
        assert order(list(found.relations), found.generators) == group.order


@pytest.mark.parametrize("name", [*NAMES, "A4", "S5", "Q8", "T", "I"])
def test_every_printed_name_is_accepted(name: str) -> None:
    group = groups.as_group(name)
    assert groups.as_group(group.name).is_isomorphic(group)
    assert groups.as_group(group) is group
    assert groups.as_group(7) == groups.cyclic(7)


def test_elements_multiply_as_the_table_says() -> None:
    group = groups.dihedral(4)
    r, s = group["r"], group["s"]
    assert (r * s, s * r) == (group["r s"], group["s r"]) == (group["r s"], group["r^3 s"])
    assert (r**-1, r**4, s**2) == (group["r^3"], group["e"], group["e"])
    assert [(g.word, g.order) for g in (r, r**2, r * s)] == [("r", 4), ("r^2", 2), ("r s", 2)]
    with pytest.raises(ValueError, match="C4"):
        r * groups.cyclic(4)["r"]


def test_a_product_renames_generators_that_have_one_name() -> None:
    c2 = groups.cyclic(2)
    assert (c2 * (c2 * c2)).generators == (c2 * c2 * c2).generators == ("r", "r2", "r3")
    product = groups.symmetric(3) * groups.dihedral(4)
    assert product.generators == ("t1", "t2", "r", "s")
    assert product.relations[-1] == "t2 s t2 s"


@each_name
def test_the_tree_reaches_every_element_once_by_a_generator(name: str) -> None:
    group = groups.as_group(name)
    reached = [0]
    for element, place, earlier in group.tree:
        assert earlier in reached
        assert element == int(group.table[group.generator_elements[place], earlier])
        reached.append(element)
    assert sorted(reached) == list(range(group.order))


def test_elements_are_numbered_as_documented() -> None:
    assert groups.cyclic(5).tree == tuple((j, 0, j - 1) for j in range(1, 5))
    d4 = groups.dihedral(4)
    assert [d4[f"r^{j}"].number for j in range(4)] == [0, 1, 2, 3]
    assert [d4[f"r^{j} s"].number for j in range(4)] == [4, 5, 6, 7]
    product = groups.cyclic(2) * groups.cyclic(3)
    assert product.generators == ("r", "r2")
    assert product["r r2^2"].number == 1 * 3 + 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("C1", "trivial"),
        ("C4", "C4"),
        ("D2", "C2 x C2"),
        ("D3", "S3"),
        ("S3", "S3"),
        ("D4", "D4"),
        ("S4", "S4"),
        ("C2 x C3", "C6"),
        ("C2 x C6", "C2 x C6"),
        ("C4 x C6", "C2 x C12"),
        ("S3 x C2", "D6"),
        ("S3 x C3", "S3 x C3"),
        ("D4 x C2", "D4 x C2"),
        ("A4", "A4"),
        ("A5", "A5"),
        ("S5", "S5"),
        ("Q16", "Q16"),
        ("Dic3", "Dic3"),
        ("Dic2", "Q8"),
        ("trivial", "trivial"),
        ("Th", "A4 x C2"),
        ("O", "S4"),
    ],
)
def test_names_do_not_depend_on_labels(name: str, expected: str) -> None:
    group = groups.as_group(name)
    assert group.name == expected
    if group.order > 1:
        again = relabelled(group, 3)
        assert again.name == expected
        assert group.is_isomorphic(again)
        mapped = torch.tensor(group.isomorphism(again))
        assert torch.equal(mapped[group.table], again.table[mapped][:, mapped])


def test_groups_of_one_order_are_distinguished() -> None:
    eight = [groups.as_group(name) for name in ("C8", "C2 x C4", "C2 x C2 x C2")]
    eight += [groups.dihedral(4), quaternion()]
    assert [group.name for group in eight] == ["C8", "C2 x C4", "C2 x C2 x C2", "D4", "Q8"]
    for i, one in enumerate(eight):
        assert [one.is_isomorphic(other) for other in eight] == [i == j for j in range(5)]
    a4 = groups.from_permutations([(1, 2, 0, 3), (0, 2, 3, 1)]).group
    i, j = quaternion_units()
    dic3 = groups.from_matrices([0.5 * torch.eye(4) + 0.75**0.5 * i, j]).group  # exp(i pi / 3) and j
    q16 = groups.from_matrices([0.5**0.5 * (torch.eye(4) + i), j]).group
    assert (a4.name, dic3.name, q16.name) == ("A4", "Dic3", "Q16")


@each_name
def test_subgroups_against_sympy(name: str) -> None:
    group = groups.as_group(name)
    subgroups = group.subgroups()
    assert subgroups[0].elements == (0,)
    assert subgroups[-1].order == group.order
    assert len(set(subgroups)) == len(subgroups)
    for subgroup in subgroups:
        part = PermutationGroup([Permutation(group.table[g].tolist()) for g in subgroup.elements])
        assert part.order() == subgroup.order


def test_counts_of_subgroups_are_the_known_ones() -> None:
    counts = {"C12": 6, "D4": 10, "S4": 30, "C2 x C2 x C2": 16}
    assert {name: len(groups.as_group(name).subgroups()) for name in counts} == counts
    names = [subgroup.name for subgroup in groups.dihedral(4).subgroups()]
    assert sorted(names) == ["C2"] * 5 + ["C2 x C2"] * 2 + ["C4", "D4", "trivial"]
    turns = groups.dihedral(4).subgroup(["r^2"])
    assert (turns.name, turns.words, turns.group().name) == ("C2", ("e", "r^2"), "C2")


@pytest.mark.parametrize("name", [*NAMES, "quaternion"])
def test_irreps_are_orthogonal_irreducible_and_complete(name: str) -> None:
    group = quaternion() if name == "quaternion" else groups.as_group(name)
    size = 0
    for irrep in group.irreps():
        torch.testing.assert_close(irrep[group.table], irrep[:, None] @ irrep[None])
        torch.testing.assert_close(irrep @ irrep.mT, torch.eye(irrep.shape[-1]).to(irrep).expand_as(irrep))
        # The commutant of an irreducible one has dimension 1, 2 or 4; that of any other has more of a mixture.
        character = irrep.diagonal(dim1=-2, dim2=-1).sum(-1)
        kind = round(float(character.square().mean()))
        assert kind in (1, 2, 4)
        size += irrep.shape[-1] ** 2 // kind
    assert size == group.order
    torch.testing.assert_close(group.irreps()[0], torch.ones(group.order, 1, 1, dtype=torch.float64))


def test_the_generators_of_an_irrep_give_the_irrep() -> None:
    group = groups.symmetric(4)
    for irrep in group.irreps():
        made = group.representation(irrep[list(group.generator_elements)])
        torch.testing.assert_close(made, irrep)


@pytest.mark.parametrize("word", ["q", "r^", "r^x", "rs", "r*s"])
def test_words_with_unknown_names_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="word"):
        groups.dihedral(4)[word]


@pytest.mark.parametrize("name", ["D", "Cx", "C-1", "dihedral:4", "C2 x", "Q6", "O(2)", ""])
def test_unknown_names_of_groups_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="group"):
        groups.as_group(name)


@pytest.mark.parametrize(
    "table",
    [
        [[0, 1], [1, 1]],
        [[1, 0], [0, 1]],
        [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]],
        [[0.0]],
        torch.zeros(2, 3, dtype=torch.long),
    ],
    ids=["a row with a repeated element", "no identity first", "not associative", "not integers", "not square"],
)
def test_tables_of_no_group_are_refused(table: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="table"):
        groups.from_table(table)


def test_generators_that_do_not_generate_are_refused() -> None:
    table = groups.dihedral(4).table
    with pytest.raises(ValueError, match="generators"):
        groups.Group(table, ("r",), (1,))
    with pytest.raises(ValueError, match="generators"):
        groups.Group(table, ("r", "r"), (1, 4))
    with pytest.raises(ValueError, match="generators"):
        groups.Group(table, ("r",), (1, 4))
    with pytest.raises(ValueError, match="group"):
        groups.as_group("D100")
    with pytest.raises(ValueError, match="elements"):
        groups.dihedral(4).subgroup([8])
