"""`lgn operators`: the known operators, and the experiment that learns them from pairs of patches (sec. 5.2)."""

import math
from pathlib import Path
from typing import Annotated, Any

import tyro
from safetensors.torch import save
from tqdm import tqdm

import lgn.data
from lgn.codec import encode
from lgn.markdown import columns
from lgn.operators import OPERATORS, describe, operator
from lgn.operators.study import SETTINGS, Study, study
from lgn.whole_files import strict_json, write_whole

SCHEMA = 1
#: One member of each family, for the list of what there is.
EXAMPLES: dict[str, dict[str, Any]] = {
    "reflection": {"axis": "columns"},
    "shift": {"columns": 1},
    "rotation": {"degrees": 60},
    "pooling": {"radius": 3},
    "blur": {"sigma": 1.0},
    "derivative": {"axis": "rows"},
    "scaling": {"factor": 1.5},
    "shear": {"amount": 0.5},
    "pooling then rotation": {"radius": 4, "degrees": 60},
}


def operators(
    all: bool = False,
    data: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None,
    data_dir: Annotated[str | None, tyro.conf.arg(metavar="DIR")] = None,
    out: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("operators"),
    patch: int = 6,
    count: int = 20_000,
    epochs: int = 100,
    seed: int = 0,
) -> None:
    """Known operators as matrices: what each is as a group element; with --all, learn the paper's eleven from pairs.

    Args:
        all: learn the eleven settings of sec. 5.2 from patches of real images, print how well, and save.
        data: the images: a named set, a folder or an .npz. Without it the digits of the package, and CIFAR-10 where
            it is on this machine.
        data_dir: where named sets are looked for first.
        out: the directory for `operators.json` and one `NAME.safetensors` for each set of images.
        patch: the side of a patch in pixels.
        count: how many patches to learn from.
        epochs: of the gradient descent.
        seed: of the patches and the start of the gradient descent.
    """
    if all:
        _learn(data, data_dir, out, patch, count, epochs, seed)
    else:
        print("\n".join(columns([("operator", "rank", "condition", "period", "closure"), *_catalogue(patch)])))


def run(args: list[str]) -> int:
    tyro.cli(operators, prog="lgn operators", args=args)
    return 0


def _learn(data: str | None, data_dir: str | None, out: Path, patch: int, count: int, epochs: int, seed: int) -> None:
    report: dict[str, Any] = {"schema": SCHEMA, "patch": patch, "seed": seed, "sets": {}}
    for images in _sets(data, data_dir):
        # Each channel of a patch is a patch of its own.
        patches = lgn.data.patches(images.train.images, patch, count, seed).flatten(0, 1)[:count].double() / 255
        name = Path(images.name).stem
        with tqdm(total=epochs, desc=f"learning from {name}", unit="epoch") as bar:

            def progress(_epoch: int, loss: float, bar: "tqdm[Any]" = bar) -> None:
                bar.set_postfix(loss=f"{loss:.2g}", refresh=False)
                bar.update()

            learned = study(patches, epochs, seed, progress)
        _print_study(name, learned)
        settings = [{"name": each.setting.title, **encode(each)} for each in learned.outcomes]
        facts = {"pairs": learned.pairs, "rank": learned.rank, "epochs": epochs, "settings": settings}
        report["sets"][name] = facts
        out.mkdir(parents=True, exist_ok=True)
        ways = {"closed form": learned.closed_form, "gradient": learned.gradient}
        named = {
            f"{way}/{s.title}": m.clone() for way, some in ways.items() for s, m in zip(SETTINGS, some, strict=True)
        }
        write_whole(out / f"{name}.safetensors", save(named))
    write_whole(out / "operators.json", strict_json(report, out / "operators.json", indent=1).encode())
    print(f"saved: {out / 'operators.json'}, and the learned matrices beside it")


def _sets(data: str | None, data_dir: str | None) -> list[lgn.data.ImageSet]:
    if data is not None:
        return [lgn.data.load(data, data_dir)]
    found = [lgn.data.load("digits")]
    try:
        found.append(lgn.data.load("cifar10", data_dir, download=False))
    except (lgn.data.DataError, FileNotFoundError) as error:
        print(f"without CIFAR-10: {error}")
    return found


def _print_study(name: str, learned: Study) -> None:
    print(
        f"\n{learned.pairs:,} pairs of {name}; the patches span {learned.rank} of {math.prod(learned.patch)} dimensions"
    )
    head = ("setting", "rank", "condition", "period", "closure", "closed form", f"{learned.epochs} epochs", "product")
    rows = []
    for each in learned.outcomes:
        product = each.gradient_product_error
        both = "" if product is None else f"{each.closed_form_product_error:.1e} / {product:.1e}"
        errors = (f"{each.closed_form_error:.1e}", f"{each.gradient_error:.1e}", both)
        rows.append((each.setting.title, *_about(each.about), *errors))
    print("\n".join(columns([head, *rows])))
    print("closed form, epochs: relative error to the exact matrix, by least squares and by gradient descent;")
    print("product: learned composition against learned rotation times learned pooling, in the same two ways.")


def _catalogue(patch: int) -> list[tuple[str, ...]]:
    rows = []
    for name in OPERATORS:
        keywords = EXAMPLES.get(name, {})
        title = " ".join([name, *(f"{key}={value}" for key, value in keywords.items())])
        rows.append((title, *_about(describe(operator(name, (patch, patch), **keywords)))))
    return rows


def _about(about: Any) -> tuple[str, ...]:
    period = str(about.period) if about.is_cyclic else f"none (near {about.period})"
    return str(about.rank), f"{about.condition_number:.3g}", period, f"{about.closure_error:.2g}"
