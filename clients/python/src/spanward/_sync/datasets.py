# Generated from _async by `npm run generate`.
from __future__ import annotations

import mimetypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, Literal, NamedTuple

from .. import types
from .._dataframes import examples_frame, pick, to_rows
from .._errors import NotFound
from .._progress import ProgressBar
from .._values import is_id, without_none
from .paging import Pages
from .resource import Resource

if TYPE_CHECKING:
    import pandas

Action = Literal["create", "append", "update"]


class Datasets(Resource):
    """Datasets; ``dataset`` is an id or a name."""

    def list(self) -> Pages[types.Dataset]:
        """Newest first."""
        return Pages(self._transport, "/v1/datasets")

    def get(self, dataset: str) -> types.Dataset:
        return self._data("GET", "/v1/datasets/{}", self.id_of(dataset))

    def id_of(self, dataset: str | Mapping[str, Any]) -> str:
        """The id of a dataset, given its id, its name, or the dataset itself."""
        if not isinstance(dataset, str):
            return dataset["id"]
        found = self._data("GET", "/v1/datasets", params={"name": dataset, "limit": 1})
        if found:
            return found[0]["id"]
        if not is_id(dataset, "Dataset"):
            raise NotFound(f"there is no dataset {dataset!r}", status=404, code="dataset_not_found")
        return dataset

    def url(self, dataset: Mapping[str, Any]) -> str:
        """Where people look at it."""
        return f"{self._transport.base_url}/datasets/{dataset['id']}"

    def create(
        self,
        name: str,
        *,
        examples: Sequence[Mapping[str, Any]] | None = None,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        outputs: Sequence[Mapping[str, Any]] | None = None,
        metadata: Sequence[Mapping[str, Any]] | None = None,
        dataframe: pandas.DataFrame | None = None,
        input_keys: Sequence[str] = (),
        output_keys: Sequence[str] = (),
        metadata_keys: Sequence[str] = (),
        split_key: str | None = None,
        id_key: str | None = None,
        description: str | None = None,
    ) -> types.Dataset:
        """
        A new dataset, from ``examples`` (each with ``input`` and, if wanted, ``output``, ``metadata``, ``splits``, ``id``, ``span_id``),
        from lists of inputs and outputs, or from columns of a data frame (``split_key`` and ``id_key`` name those with the split and with
        your own id of an example).

        :raises Conflict: when the name is taken; ``append`` and ``replace`` change a dataset
        """
        columns = _Columns(input_keys, output_keys, metadata_keys, split_key, id_key)
        rows = _examples(examples, inputs, outputs, metadata, dataframe, columns)
        return self._upload(name, rows, "create", description)

    def append(
        self,
        dataset: str,
        *,
        examples: Sequence[Mapping[str, Any]] | None = None,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        outputs: Sequence[Mapping[str, Any]] | None = None,
        metadata: Sequence[Mapping[str, Any]] | None = None,
        dataframe: pandas.DataFrame | None = None,
        input_keys: Sequence[str] = (),
        output_keys: Sequence[str] = (),
        metadata_keys: Sequence[str] = (),
        split_key: str | None = None,
        id_key: str | None = None,
    ) -> types.Dataset:
        """Adds examples. One with the ``id`` of an existing example changes that; equal examples are not added again."""
        columns = _Columns(input_keys, output_keys, metadata_keys, split_key, id_key)
        rows = _examples(examples, inputs, outputs, metadata, dataframe, columns)
        return self._upload((self.get(dataset))["name"], rows, "append", None)

    def replace(
        self,
        dataset: str,
        *,
        examples: Sequence[Mapping[str, Any]] | None = None,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        outputs: Sequence[Mapping[str, Any]] | None = None,
        metadata: Sequence[Mapping[str, Any]] | None = None,
        dataframe: pandas.DataFrame | None = None,
        input_keys: Sequence[str] = (),
        output_keys: Sequence[str] = (),
        metadata_keys: Sequence[str] = (),
        split_key: str | None = None,
        id_key: str | None = None,
        description: str | None = None,
    ) -> types.Dataset:
        """Replaces the dataset's examples, in a new version; equal examples stay as they are. Creates the dataset if it does not exist."""
        columns = _Columns(input_keys, output_keys, metadata_keys, split_key, id_key)
        rows = _examples(examples, inputs, outputs, metadata, dataframe, columns)
        return self._upload(dataset, rows, "update", description)

    def upload_file(
        self,
        name: str,
        path: str | Path,
        *,
        input_keys: Sequence[str],
        output_keys: Sequence[str] = (),
        metadata_keys: Sequence[str] = (),
        split_key: str | None = None,
        example_id_key: str | None = None,
        action: Action = "create",
        description: str | None = None,
        show_progress: bool = True,
    ) -> types.Dataset:
        """Uploads a CSV or JSONL file (also ``.gz``) as a stream, so that it does not have to fit into memory."""
        file = Path(path)
        kind, compression = mimetypes.guess_type(file.name)
        kind = "application/jsonl" if file.name.removesuffix(".gz").endswith(".jsonl") else kind
        if kind not in ("text/csv", "application/jsonl"):
            raise ValueError(f"{file.name} is neither .csv nor .jsonl (or those with .gz)")
        fields: dict[str, Any] = without_none(
            name=name, action=action, description=description, split_key=split_key, example_id_key=example_id_key
        )
        fields |= {
            "input_keys[]": list(input_keys),
            "output_keys[]": list(output_keys),
            "metadata_keys[]": list(metadata_keys),
        }
        headers = {"content-encoding": compression} if compression else {}
        with file.open("rb") as content, ProgressBar("bytes sent", file.stat().st_size, show_progress) as bar:
            response = self._transport.send(
                "POST",
                "/v1/datasets/upload",
                params={"sync": True},
                data=fields,
                files={"file": (file.name, bar.reading(content), kind, headers)},
            )
        return self.get(response.json()["data"]["dataset_id"])

    def update(
        self,
        dataset: str,
        *,
        name: str | None = None,
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> types.Dataset:
        """Changes the dataset itself, not its examples."""
        body = without_none(name=name, description=description, metadata=metadata)
        return self._data("PATCH", "/v1/datasets/{}", self.id_of(dataset), body=body)

    def delete(self, dataset: str) -> None:
        """Deletes the dataset and its experiments."""
        self._transport.call("DELETE", "/v1/datasets/{}", self.id_of(dataset))

    def versions(self, dataset: str) -> List[types.DatasetVersion]:
        """Newest first."""
        return Pages(self._transport, "/v1/datasets/{}/versions", self.id_of(dataset)).to_list()

    def examples(
        self, dataset: str, *, version_id: str | None = None, splits: Sequence[str] | None = None
    ) -> List[types.DatasetExampleInSplits]:
        """The examples of the newest version, or of another."""
        params = {"version_id": version_id, "split": splits}
        data = self._data("GET", "/v1/datasets/{}/examples", self.id_of(dataset), params=params)
        return data["examples"]

    def to_dataframe(
        self, dataset: str, *, version_id: str | None = None, splits: Sequence[str] | None = None
    ) -> pandas.DataFrame:
        """A row for each example. Needs ``pip install "spanward[pandas]"``."""
        return examples_frame(self.examples(dataset, version_id=version_id, splits=splits))

    def update_example(self, dataset: str, example_id: str, **changes: Any) -> types.DatasetExampleInSplits:
        """Changes ``input``, ``output``, ``metadata`` or ``splits`` of one example, in a new version."""
        return self._data(
            "PATCH", "/v1/datasets/{}/examples/{}", self.id_of(dataset), example_id, body=changes
        )

    def delete_example(self, dataset: str, example_id: str) -> None:
        """Deletes the example in a new version; older versions keep it."""
        self._transport.call("DELETE", "/v1/datasets/{}/examples/{}", self.id_of(dataset), example_id)

    def add_spans(
        self, dataset: str, span_ids: Sequence[str], *, project: str | None = None, splits: Sequence[str] | None = None
    ) -> Any:
        """Adds examples with the inputs and outputs of spans."""
        body = without_none(span_ids=span_ids, project=project, splits=splits)
        return self._data("POST", "/v1/datasets/{}/examples/from_spans", self.id_of(dataset), body=body)

    def splits(self, dataset: str) -> Pages[types.DatasetSplit]:
        return Pages(self._transport, "/v1/datasets/{}/splits", dataset)

    def create_split(
        self, dataset: str, name: str, *, example_ids: Sequence[str] = (), description: str | None = None
    ) -> types.DatasetSplit:
        body = without_none(name=name, example_ids=example_ids, description=description)
        return self._data("POST", "/v1/datasets/{}/splits", dataset, body=body)

    def update_split(
        self, dataset: str, split_id: str, *, add: Sequence[str] = (), remove: Sequence[str] = (), **changes: Any
    ) -> types.DatasetSplit:
        """``add`` and ``remove`` are ids of examples; also ``name``, ``description``, ``color``, ``metadata``."""
        body = {"add_example_ids": add, "remove_example_ids": remove} | changes
        return self._data("PATCH", "/v1/datasets/{}/splits/{}", dataset, split_id, body=body)

    def delete_split(self, dataset: str, split_id: str) -> None:
        """Deletes the split; its examples stay."""
        self._transport.call("DELETE", "/v1/datasets/{}/splits/{}", dataset, split_id)

    def download(
        self,
        dataset: str,
        path: str | Path,
        *,
        format: Literal["csv", "jsonl", "jsonl/openai_ft", "jsonl/openai_evals"] = "jsonl",
        version_id: str | None = None,
        escape_formulas: bool = False,
    ) -> None:
        """Writes a file as it arrives.

        ``escape_formulas`` is for CSV that somebody opens in a spreadsheet: it puts an apostrophe before what that would take
        for a formula. Without it the cells are as they are stored, and can be uploaded again.
        """
        params = {"version_id": version_id, "escape_formulas": escape_formulas if format == "csv" else None}
        name = f"/v1/datasets/{{}}/{format}"
        with self._transport.stream("GET", name, self.id_of(dataset), params=params) as response:
            with Path(path).open("wb") as file:
                for piece in response.iter_bytes():
                    file.write(piece)

    def _upload(
        self, name: str, rows: Sequence[Mapping[str, Any]], action: Action, description: str | None
    ) -> types.Dataset:
        body: dict[str, Any] = without_none(name=name, action=action, description=description)
        body["inputs"] = [row["input"] for row in rows]
        body["outputs"] = [row.get("output") or {} for row in rows]
        body["metadata"] = [row.get("metadata") or {} for row in rows]
        for member, key in (("splits", "splits"), ("example_ids", "id"), ("span_ids", "span_id")):
            if any(row.get(key) is not None for row in rows):
                body[member] = [row.get(key) for row in rows]
        data = self._data("POST", "/v1/datasets/upload", params={"sync": True}, body=body)
        return self._data("GET", "/v1/datasets/{}", data["dataset_id"])


class _Columns(NamedTuple):
    input: Sequence[str]
    output: Sequence[str]
    metadata: Sequence[str]
    split: str | None
    id: str | None


def _examples(
    examples: Sequence[Mapping[str, Any]] | None,
    inputs: Sequence[Mapping[str, Any]] | None,
    outputs: Sequence[Mapping[str, Any]] | None,
    metadata: Sequence[Mapping[str, Any]] | None,
    dataframe: Any,
    columns: _Columns,
) -> List[Mapping[str, Any]]:
    given = [
        name
        for name, value in (("examples", examples), ("inputs", inputs), ("dataframe", dataframe))
        if value is not None
    ]
    if len(given) > 1:
        raise ValueError(f"give one of examples, inputs and dataframe, not {' and '.join(given)}")
    if dataframe is not None:
        if not columns.input:
            raise ValueError("input_keys has to name the columns that are the input")
        rows = to_rows(dataframe)
        named = {
            name: pick(rows, keys) for name, keys in zip(("input", "output", "metadata"), columns[:3], strict=True)
        }
        single = {name: key for name, key in (("splits", columns.split), ("id", columns.id)) if key is not None}
        return [
            {name: values[position] for name, values in named.items()}
            | {name: row[key] for name, key in single.items()}
            for position, row in enumerate(rows)
        ]
    if inputs is not None:
        lists = {"input": inputs, "output": outputs, "metadata": metadata}
        wrong = [name for name, values in lists.items() if values is not None and len(values) != len(inputs)]
        if wrong:
            raise ValueError(f"there are {len(inputs)} inputs, but another number of {' and '.join(wrong)}")
        return [
            {name: values[position] for name, values in lists.items() if values is not None}
            for position in range(len(inputs))
        ]
    for position, example in enumerate(examples or []):
        if "input" not in example:
            raise ValueError(f"example {position} has no input")
    return list(examples or [])
