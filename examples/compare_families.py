"""Compare families of generators on one task: what each promises, what it stores, how well it does.

python examples/compare_families.py      # about 20 seconds
"""

# %% The same small unfolded network with every family; `free` is the control without a group.
import tempfile
from pathlib import Path

import torch

import lgn
from lgn.generators import generators_of
from lgn.training import preset, train

FAMILIES = ("free", "dense", "orthogonal", "cyclic", "kronecker", "low-rank", "circulant")
SMALL = {"num_layers": 2, "num_sets": 4, "order": 4, "kernel_size": 5, "epochs": 2, "train_images": 2000}

results: dict[str, dict[str, float]] = {}
print(f"{'family':<12}{'accuracy':>10}{'filter parameters':>20}{'closure error':>16}{'law error':>12}")
for family in FAMILIES:
    config = preset("quick", generator=family, batch_size=50, **SMALL)
    with tempfile.TemporaryDirectory() as directory:
        run = train(config, Path(directory) / "run", progress=False)
        model, accuracy = lgn.load(run), run.metrics[-1]["test_accuracy"]
    stored = sum(parameter.numel() for parameter in model.encoder.bank.parameters())
    results[family] = {"accuracy": accuracy, "parameters": stored}
    for generator in generators_of(model).values():
        with torch.no_grad():
            matrix = generator.matrix().double()
            results[family]["closure"] = float(lgn.closure_error(matrix, 4).max())
            results[family]["law"] = float(generator.guarantee_error().max())
    closure, law = results[family].get("closure", float("nan")), results[family].get("law", float("nan"))
    print(f"{family:<12}{accuracy:>10.3f}{stored:>20,}{closure:>16.2g}{law:>12.1e}")

# %% What a family has by construction it keeps through training; what it has not, only a penalty encourages.
print("A^4 = I holds for cyclic alone:", {name: f"{r['closure']:.1g}" for name, r in results.items() if "closure" in r})


# %%
def test() -> None:
    assert all(result["accuracy"] > 0.7 for result in results.values())
    assert results["cyclic"]["closure"] < 1e-4 < 0.1 < results["dense"]["closure"]
    for family in ("orthogonal", "cyclic", "kronecker", "low-rank", "circulant"):
        assert results[family]["law"] < 1e-4, family
    # One matrix on 25 pixels has 625 entries; two on 5 have 50.
    assert results["kronecker"]["parameters"] < results["free"]["parameters"] < results["dense"]["parameters"]


if __name__ == "__main__":
    test()
