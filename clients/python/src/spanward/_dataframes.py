"""Data frames; needs pandas."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._values import is_missing

if TYPE_CHECKING:
    import pandas


def _needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError('data frames need pandas and pyarrow: pip install "spanward[pandas]"') from error


def read_arrow(content: bytes) -> pandas.DataFrame:
    """The table in an Arrow IPC stream, with span ids as index if it has them; JSON columns become lists and objects."""
    _needed("pandas")
    table = _needed("pyarrow").ipc.open_stream(content).read_all()
    frame = table.to_pandas()
    for field in table.schema:
        if _is_json(field) and field.name in frame.columns:
            frame[field.name] = [None if text is None else json.loads(text) for text in frame[field.name]]
    if frame.index.name == "context.span_id":
        return frame
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


def records_frame(
    records: Sequence[Mapping[str, Any]], *, index: str, columns: Sequence[str], times: Sequence[str] = ()
) -> pandas.DataFrame:
    """A row for each record, with one member as index; ``columns`` exist also without rows, ``times`` are timestamps."""
    rows = [dict(record) for record in records]
    frame: pandas.DataFrame = _needed("pandas").DataFrame(rows, columns=None if rows else [index, *columns])
    return with_times(frame.set_index(index), times)


def with_times(frame: pandas.DataFrame, columns: Sequence[str]) -> pandas.DataFrame:
    """The table, with the texts in those of these columns that it has as timestamps in UTC."""
    to_datetime = _needed("pandas").to_datetime
    present = [column for column in columns if column in frame.columns]
    return frame.assign(**{column: to_datetime(frame[column], utc=True, format="ISO8601") for column in present})


DOCUMENT_COLUMNS = {
    "document": "document.content",
    "document_score": "document.score",
    "document_metadata": "document.metadata",
}


def explode(frame: pandas.DataFrame, attribute: str, columns: Mapping[str, str]) -> pandas.DataFrame:
    """A row for each document in a column of lists, with its position as second part of the index, beside the other columns."""
    pandas = _needed("pandas")
    common = [column for column in frame.columns if column != attribute]
    rows, index = [], []
    for span_id, row in zip(frame.index, frame.to_dict("records"), strict=True):
        for position, document in enumerate(_list(row.get(attribute))):
            index.append((span_id, position))
            shown = {column: _member(document, path) for column, path in columns.items()}
            rows.append({column: row[column] for column in common} | shown)
    names = ["context.span_id", "document_position"]
    both = pandas.MultiIndex.from_tuples(index, names=names)
    return pandas.DataFrame(rows, index=both, columns=[*common, *columns])


def with_context(roots: pandas.DataFrame, documents: pandas.DataFrame) -> pandas.DataFrame:
    """Root spans, each with the texts of the documents that were retrieved in its trace."""
    known = documents.dropna(subset=["document"])
    context = known.groupby("trace_id", sort=False)["document"].agg(lambda texts: "\n\n".join(map(str, texts)))
    named = roots.rename(columns={"input.value": "input", "output.value": "output"})
    named["context"] = named["trace_id"].map(context)
    return named


_SPAN_COLUMNS = ("name", "span_kind", "parent_id", "start_time", "end_time", "status_code", "status_message", "events")


def frame_to_spans(frame: pandas.DataFrame) -> list[dict[str, Any]]:
    """Spans in the form for ``spans.create``, from a table with the columns of ``spans.to_dataframe``."""
    named = frame.reset_index() if frame.index.name and frame.index.name not in frame.columns else frame
    spans = []
    for row in to_rows(named):
        present = {str(name): value for name, value in row.items() if not is_missing(value)}
        span: dict[str, Any] = {name: present[name] for name in _SPAN_COLUMNS if name in present}
        span["context"] = {
            name.removeprefix("context."): value for name, value in present.items() if name.startswith("context.")
        }
        span["attributes"] = {
            name.removeprefix("attributes."): value for name, value in present.items() if name.startswith("attributes.")
        }
        spans.append(span)
    return spans


_RESULT = ("label", "score", "explanation")
_ANNOTATION_COLUMNS = {
    "span": ("span_id",),
    "trace": ("trace_id",),
    "session": ("session_id",),
    "document": ("span_id", "document_position"),
}


def annotation_rows(target: str, frame: pandas.DataFrame, name: str | None, kind: str | None) -> list[dict[str, Any]]:
    """Annotations in the form of the REST API; in tables of spans or traces the id column is called ``context.span_id``."""
    indexed = frame.reset_index() if any(frame.index.names) else frame
    ids = _ANNOTATION_COLUMNS[target]
    given = {"name": name, "annotator_kind": kind}
    rows = []
    for position, row in enumerate(to_rows(indexed)):
        present = {str(key).removeprefix("context."): value for key, value in row.items() if not is_missing(value)}
        annotation: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        for column in (*ids, "name", "annotator_kind", "metadata", "identifier"):
            if column in present:
                annotation.setdefault(column, present[column])
        absent = [column for column in (*ids, "name") if column not in annotation]
        if absent:
            raise KeyError(f"row {position} has no {', '.join(absent)}; it has {', '.join(map(str, row))}")
        annotation.setdefault("annotator_kind", "HUMAN")
        annotation["result"] = {column: present[column] for column in _RESULT if column in present}
        rows.append(annotation)
    return rows


def _list(value: Any) -> list[Any]:
    return [] if is_missing(value) else value


def _is_json(field: Any) -> bool:
    """https://arrow.apache.org/docs/format/CanonicalExtensions.html#json, which pyarrow knows from 19 on."""
    named = (field.metadata or {}).get(b"ARROW:extension:name") == b"arrow.json"
    return named or getattr(field.type, "extension_name", None) == "arrow.json"


def _member(item: Any, path: str) -> Any:
    """The value under a path in an object whose keys may be nested or joined by dots."""
    if not isinstance(item, Mapping):
        return None
    if path in item:
        return item[path]
    first, _, rest = path.partition(".")
    return _member(item.get(first), rest) if rest else None
