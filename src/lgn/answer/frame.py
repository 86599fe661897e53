"""The answer as a pandas DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lgn.answer.answer import Answer


def to_frame(answer: Answer) -> Any:
    """One row per transformation, with the value, the interval and the p-value of every kind of evidence."""
    try:
        import pandas
    except ImportError:
        raise ValueError("pandas must be installed to make a DataFrame: pip install 'lgn[tables]'") from None
    rows = []
    for row in answer.rows:
        line: dict[str, object] = {"name": row.name, "verdict": row.verdict, "layer": row.layer}
        line |= {"needed_low": row.needed and row.needed[0], "needed_high": row.needed and row.needed[1]}
        for evidence in row.evidence:
            low, high = evidence.interval or (None, None)
            values = {"verdict": evidence.verdict, "value": evidence.value, "low": low, "high": high}
            line |= {f"{evidence.kind}_{key}": value for key, value in (values | {"p_value": evidence.p_value}).items()}
        rows.append(line)
    return pandas.DataFrame(rows)
