import torch

from lgn.data.resize import resize


def test_the_largest_square_in_the_middle_is_taken():
    images = torch.arange(2 * 3 * 7, dtype=torch.uint8).reshape(2, 1, 3, 7)
    assert torch.equal(resize(images, 3), images[..., 2:5])
    assert torch.equal(resize(images.transpose(2, 3), 3), images[..., 2:5].transpose(2, 3))


def test_a_constant_image_stays_constant_and_a_ramp_a_ramp():
    assert resize(torch.full((1, 3, 9, 9), 77, dtype=torch.uint8), 5).unique().tolist() == [77]
    ramp = (torch.arange(20) * 10).to(torch.uint8).expand(1, 1, 20, 20)
    halved = resize(ramp, 10)[0, 0, 0].float()
    assert torch.allclose(halved[1:-1].diff(), torch.full((7,), 20.0))
    assert torch.equal(resize(ramp, 40)[0, 0, 0].sort().values, resize(ramp, 40)[0, 0, 0])
