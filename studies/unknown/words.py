"""The mathematics of unknown symmetries on one page: the head of `docs/unknown.md`."""

MATHEMATICS = """# Unknown symmetries: the linear maps that data keep, with no list to choose from

```python
found = lgn.discover_from_data(images)  # (N, C, H, W), or rows (N, d); labels ask for the symmetries of the task
print(found.sentence)
found.elements, found.lie, found.group.name
```

Made by `lgn benchmark unknown --out results/unknown.json`. `verify=True` lets the observers of `lgn.symmetries` tell
`A x` from x for what was found, and takes back what they tell apart.

```python
element = found.kept[0]
found.warp(element)  # a map of images of any size, where it is one: fitted, exact for turns and flips by quarters
lgn.nn.GroupConv2d(1, 8, 3, group=element.period, generator="fixed", start=found.start(element, kernel_size=3))
lgn.nn.GroupLinear(12, 8, group=element.period, generator="fixed", start=found.start(element))  # of rows of 12 numbers
```

{rates}

## The mathematics

**Whitening.** Let x be centred, with covariance C, and A a linear map with A x distributed as x. Then `A C A^T = C`,
so on `z = C^(-1/2) x` the map is `O = C^(-1/2) A C^(1/2)`, orthogonal whatever A is. On the leading r of d directions
this holds for A that commute with C, if the cut does not go through equal variances; r is chosen at a gap, as large
as the moments are clear about, on the half of the samples that searches.

**Moments.** O keeps |z|, so it keeps the distribution of `u = z / |z|`, and all its moments. The traceless part of `u
(x) ... (x) u` is a spherical harmonic; its mean `T_l` is a tensor of order l with `O . T_l = T_l`. Directions are
bounded: no sample counts for more than another, and `N |T_l|^2` is signal over noise at every l. The third search
from 12 directions on; below, and where they are weak, the fourth with them. What third moments alone keep is asked of
the fourth before it is called kept, up to 20 directions: on a ring third moments are the bispectrum, and a reversal
with a filter may keep it that keeps nothing else.

**Continuous symmetries.** `exp(tL)` keeps T if and only if `L . T = 0`: linear in the skew L. The quadratic form `|L
. T|^2` is made from products of different blocks of samples, so that noise does not add. A generator is kept where
the terms of `L . T` cancel to less than 0.06 of their squares, and its eigenvalue is at most 0.2 of the next.

**Finite symmetries.** `<O . T, T>` is climbed by `O <- polar(G(O) + shift O)`, the shift growing until a step climbs.
Starts: O commutes with every symmetric matrix made from moments by contraction (`T_2`, `sum_kl T_ikl T_jkl`, `sum_k
T_ijk m_k`). In their eigenbases O is signs where eigenvalues are distinct, searched by flipping one and two, and
blocks where they are not, drawn at random; random orthogonal matrices besides. Every solution is then changed in one
direction or one plane, and climbed again; products and inverses of what is promising follow. The search is not
complete: nothing says that all symmetries were found (the problem is as hard as graph automorphism).

**Violation.** With `D = O . T - T`, the mean of `<D_b, D_c>` over different blocks of images is unbiased for `|D|^2`;
its standard error is that of a U-statistic. It is compared with what a map with the same eigenvalues violates if
placed at random, `(1 - chi_l(O) / chi_l(I)) / 2` of `|T|^2` by the character of harmonic tensors, and taken apart by
direction: a map that is wrong in the sign of one weak direction violates little in total.

**Verdicts.** One half of the images searches, and the other judges; then the other has the top of its own moments
that is nearest, judged by the first, and the two statistics are averaged. *Kept*: the upper bound of the violation is
below 0.05 of chance in every order, and below 0.1 in every direction, at a level of 0.005 over all solutions that are
judged; the halves agree within 0.1; what is kept closes to a finite group; every solution outside that group violates
more than the upper bound of its elements (as the zeros of an algebra are followed by a jump: independent coordinates
of similar laws can be exchanged by the dozen, each a little wrong); and it goes on: on r of d directions a map must
continue to the next gap of the variances, with any block for the new directions, without being broken there.
*Broken*: the lower bound is above 0.01 of chance, or 0.03 in a direction. *Undecided* otherwise, with the number of
samples that would decide if the map is a symmetry. Rows that repeat are one sample; patches of one image are in one
block. Where the moments of a direction are lost in noise nothing is looked for.

**Tasks.** With labels, means and covariances of every class are kept, or taken to those of another class: the best
assignment. Third moments of all classes together are asked too where they are clear.

**What is known.** Moment matching for linear symmetries, where eigenvectors of a covariance change sign (Hagemeyer,
arXiv 2204.01213); vector fields that annihilate a density (Shaw, Magner and Moon, arXiv 2406.03619); locality and
density (SymmetryLens, Symmetry 2025, 17(3), 425); adversarial generators (LieGAN). Here maps need not commute with
the covariance of x where all directions are kept, spaces may be degenerate, groups and algebras come whole, and
claims have a level.

**Limits.** A statement is about moments of third and fourth order on r directions: a map may keep those and not the
distribution (`verify=True` asks further). Beyond 20 directions third moments decide alone. Data whose third moments
vanish (Gaussian, sign-symmetric, any with -I) are left undecided. Maps that do not commute with the covariance need
all directions (`rank` the dimension of x). Rotations by any angle need images that are smooth at their resolution.
Few directions can have symmetries that the data have not: on the mean and two harmonics of rings that begin anywhere
a reversal with a filter is kept to fourth order, and it ends at the third harmonic; maps are followed to one more
gap, not further. Maps within a relative distance of 0.2 of the identity are taken for it: of 20 directions, a turn of
one plane by less than 37 degrees. Two coordinates that are alike to less than the margin, and no others, are called
exchangeable: "kept" is a statement with a margin. And a group may be left open because other maps nearly keep the
moments too: so are the channels of CIFAR-10 in any order, and the flip of CIFAR-10 seen in patches of
6x6.
"""
