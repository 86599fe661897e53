"""The parts of the benchmark, each a module whose `cells` are what is to be measured."""

from studies.symmetry import angles, few, gains, images, later, left_right, partial, slight, tasks

MODULES = {
    "images": images,
    "later": later,
    "slight": slight,
    "left-right": left_right,
    "tasks": tasks,
    "few": few,
    "gains": gains,
    "angles": angles,
    "partial": partial,
}
