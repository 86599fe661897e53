import pytest
import torch

from lgn.data import DataError, DataSet, Split, checksum


def dataset(images: torch.Tensor, labels: torch.Tensor | None, names: tuple[str, ...]) -> DataSet:
    return DataSet("mine", Split(images, labels), Split(images, labels), names, "a test")


def test_a_checksum_follows_every_pixel_label_and_shape():
    images, labels = torch.zeros(4, 1, 2, 3, dtype=torch.uint8), torch.tensor([0, 1, 0, 1])
    other_pixel, other_label = images.clone(), labels.clone()
    other_pixel[3, 0, 1, 2] = 1
    other_label[3] = 0
    sums = {
        dataset(images, labels, ("a", "b")).checksum(),
        dataset(other_pixel, labels, ("a", "b")).checksum(),
        dataset(images, other_label, ("a", "b")).checksum(),
        dataset(images, None, ()).checksum(),
    }
    assert len(sums) == 4
    assert checksum(images) != checksum(images.reshape(4, 1, 3, 2))
    assert checksum(images) == checksum(images.transpose(2, 3).contiguous().transpose(2, 3))


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (torch.zeros(2, 1, 3, 3), None, "images must be uint8"),
        (torch.zeros(2, 3, 3, dtype=torch.uint8), None, r"\(N, C, H, W\)"),
        (torch.zeros(0, 1, 3, 3, dtype=torch.uint8), None, "at least one pixel"),
        (torch.zeros(2, 1, 3, 3, dtype=torch.uint8), torch.tensor([0, 1, 1]), "2 images and 3 labels"),
        (torch.zeros(2, 1, 3, 3, dtype=torch.uint8), torch.tensor([0.0, 1.0]), "labels must be int64"),
    ],
)
def test_a_split_that_does_not_fit_together_is_refused(images, labels, message):
    with pytest.raises(DataError, match=message):
        Split(images, labels)


def test_labels_must_have_a_class_name():
    images = torch.zeros(2, 1, 3, 3, dtype=torch.uint8)
    with pytest.raises(DataError, match=r"must lie in 0\.\.1, got 0\.\.2"):
        dataset(images, torch.tensor([0, 2]), ("a", "b"))
    with pytest.raises(DataError, match="both train labels and class names, or neither"):
        dataset(images, None, ("a", "b"))


def test_train_and_test_must_have_one_shape():
    small, large = (torch.zeros(2, 1, size, size, dtype=torch.uint8) for size in (3, 4))
    with pytest.raises(DataError, match="differ in shape"):
        DataSet("mine", Split(small), Split(large), (), "a test")
