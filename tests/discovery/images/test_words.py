"""What is said of an answer: a break that is hardly seen is not said like a plain one."""

from dataclasses import replace

from found import found

from lgn.discovery.images.answer_table import cells


def test_a_break_that_is_told_less_than_the_control_is_faint() -> None:
    about = found()
    told = {"flip columns": 0.512, "flip rows": 0.76}
    rows = tuple(
        replace(row, told_apart=told.get(row.name, 0.8)) for row in about.rows if row.family == "turns and flips"
    )
    about = replace(about, rows=rows, families=(replace(about.families[0], control=0.53),))
    assert about.sentence.endswith("no turn or flip is kept. Faintly broken: flip columns.")
    verdicts = {line[0]: line[1] for line in cells(about)}
    assert (verdicts["flip columns"], verdicts["flip rows"]) == ("broken, faintly", "broken")
    kept = (rows[0], replace(rows[1], images="kept", told_apart=0.5), *rows[2:])
    words = "No flip is kept. Broken: turn 90 and turn 270. Faintly broken: flip columns."
    assert replace(about, rows=kept).sentence.endswith(words)
