"""Tables, for those who have pandas."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def _needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError('data frames need pandas and pyarrow: pip install "spanward[pandas]"') from error


def read_arrow(content: bytes) -> pandas.DataFrame:
    """The table in a stream of Arrow's IPC format, with the column of span ids as index where there is one."""
    _needed("pandas")
    table = _needed("pyarrow").ipc.open_stream(content).read_all()
    frame = table.to_pandas()
    return frame.set_index("context.span_id", drop=False) if "context.span_id" in frame.columns else frame


def to_rows(frame: Any) -> list[dict[str, Any]]:
    """The rows of a data frame (anything with ``to_dict("records")``), or a list of dictionaries as it is."""
    convert = getattr(frame, "to_dict", None)
    return convert("records") if callable(convert) and not isinstance(frame, Mapping) else list(frame)


def pick(rows: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """These columns of each row. A missing one is an error that names it."""
    picked = []
    for position, row in enumerate(rows):
        absent = [key for key in keys if key not in row]
        if absent:
            raise KeyError(f"row {position} has no {', '.join(absent)}; it has {', '.join(map(str, row))}")
        picked.append({key: row[key] for key in keys})
    return picked


def examples_frame(examples: Sequence[Mapping[str, Any]]) -> pandas.DataFrame:
    """A row for each example of a dataset, its id as index, with columns input, output, metadata."""
    pandas = _needed("pandas")
    columns = ("input", "output", "metadata")
    return pandas.DataFrame(
        [{column: example[column] for column in columns} for example in examples],
        index=pandas.Index([example["id"] for example in examples], name="example_id"),
        columns=list(columns),
    )
