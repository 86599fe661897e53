"""Near-duplicates, also turned or flipped, are found and stay on one side of the division."""

import torch

from lgn.discovery.images.division import divide, joined, near_duplicates


def test_changed_copies_are_found() -> None:
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(300, 1, 16, 16, generator=generator)
    images = torch.nn.functional.avg_pool2d(images, 3, 1, 1)
    copies = torch.cat(
        [
            images[:10] + 0.001 * torch.randn(10, 1, 16, 16, generator=generator),
            torch.rot90(images[10:20], 1, (-2, -1)),
            images[20:30].flip(-1) * 0.99,
        ]
    )
    clusters = near_duplicates(torch.cat([images, copies]))
    assert clusters.tolist() == [*range(300), *range(30)]
    training, test = divide(clusters, 0.4, seed=0)
    assert not set(clusters[training].tolist()) & set(clusters[test].tolist())
    assert sorted([*training.tolist(), *test.tolist()]) == list(range(330))
    assert abs(len(clusters[test].unique()) - 120) <= 1


def test_similar_images_are_not_copies() -> None:
    generator = torch.Generator().manual_seed(1)
    base = torch.rand(1, 1, 16, 16, generator=generator)
    images = base + 0.3 * torch.rand(100, 1, 16, 16, generator=generator)
    assert len(near_duplicates(images).unique()) == 100


def test_joined_clusters_contain_whole_clusters_and_whole_blocks() -> None:
    clusters, blocks = torch.tensor([0, 1, 1, 3, 4, 5]), torch.tensor([7, 7, 8, 9, 9, 5])
    assert joined(clusters, blocks).tolist() == [0, 0, 0, 3, 3, 5]
    assert joined(clusters, torch.arange(6)).tolist() == clusters.tolist()
