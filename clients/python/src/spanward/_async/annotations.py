from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, List, Literal

from .. import types
from .._dataframes import annotation_rows, records_frame
from .._progress import ProgressBar
from .._values import in_parts, without_none
from .paging import AsyncPages
from .resource import AsyncResource

if TYPE_CHECKING:
    import pandas

AnnotatorKind = Literal["HUMAN", "LLM", "CODE", "AGENT", "DECISION"]
Target = Literal["span", "trace", "session", "document"]


class AsyncAnnotations(AsyncResource):
    """
    Annotations of spans, traces, sessions and documents. One with the same name and identifier on the same target is
    replaced. With ``wait=False`` an annotation may be sent before its target arrives; the server keeps it until then.
    """

    async def annotate_span(
        self,
        span_id: str,
        name: str,
        *,
        label: str | None = None,
        score: float | None = None,
        explanation: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        annotator_kind: AnnotatorKind = "HUMAN",
        identifier: str = "",
        wait: bool = True,
    ) -> str | None:
        """The id of the annotation; None with ``wait=False``."""
        result = without_none(label=label, score=score, explanation=explanation)
        return await self._one(
            "span", wait, span_id=span_id, **_common(name, annotator_kind, result, metadata, identifier)
        )

    async def annotate_trace(
        self,
        trace_id: str,
        name: str,
        *,
        label: str | None = None,
        score: float | None = None,
        explanation: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        annotator_kind: AnnotatorKind = "HUMAN",
        identifier: str = "",
        wait: bool = True,
    ) -> str | None:
        """The id of the annotation; None with ``wait=False``."""
        result = without_none(label=label, score=score, explanation=explanation)
        return await self._one(
            "trace", wait, trace_id=trace_id, **_common(name, annotator_kind, result, metadata, identifier)
        )

    async def annotate_session(
        self,
        session_id: str,
        name: str,
        *,
        label: str | None = None,
        score: float | None = None,
        explanation: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        annotator_kind: AnnotatorKind = "HUMAN",
        identifier: str = "",
        wait: bool = True,
    ) -> str | None:
        """The id of the annotation; None with ``wait=False``."""
        result = without_none(label=label, score=score, explanation=explanation)
        return await self._one(
            "session", wait, session_id=session_id, **_common(name, annotator_kind, result, metadata, identifier)
        )

    async def annotate_document(
        self,
        span_id: str,
        position: int,
        name: str,
        *,
        label: str | None = None,
        score: float | None = None,
        explanation: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        annotator_kind: AnnotatorKind = "HUMAN",
        wait: bool = True,
    ) -> str | None:
        """Annotates the document at this position (from 0) of a retriever's span. The id; None with ``wait=False``."""
        result = without_none(label=label, score=score, explanation=explanation)
        target = {"span_id": span_id, "document_position": position}
        return await self._one("document", wait, **target, **_common(name, annotator_kind, result, metadata, ""))

    async def log(
        self,
        target: Target,
        annotations: Sequence[Mapping[str, Any]],
        *,
        wait: bool = False,
        batch_size: int = 1000,
        show_progress: bool = True,
    ) -> List[str]:
        """Annotates many targets, in the form of the REST API. The ids in order with ``wait=True``, else an empty list."""
        ids: List[str] = []
        batches = [annotations[start : start + batch_size] for start in range(0, len(annotations), batch_size)]
        # A single batch needs no progress bar.
        with ProgressBar("annotations", len(annotations), show_progress and len(batches) > 1) as bar:
            for batch in batches:
                body = {"data": batch}
                data = await self._data("POST", f"/v1/{target}_annotations", params={"sync": wait}, body=body)
                ids += [item["id"] for item in data]
                bar.step(len(batch))
        return ids

    async def note_span(self, span_id: str, note: str, *, identifier: str = "") -> str:
        return await self._note("span", span_id=span_id, note=note, identifier=identifier)

    async def note_trace(self, trace_id: str, note: str, *, identifier: str = "") -> str:
        return await self._note("trace", trace_id=trace_id, note=note, identifier=identifier)

    async def note_session(self, session_id: str, note: str, *, identifier: str = "") -> str:
        return await self._note("session", session_id=session_id, note=note, identifier=identifier)

    def of_spans(
        self,
        project: str,
        span_ids: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        exclude_names: Sequence[str] | None = None,
    ) -> AsyncPages[types.SpanAnnotation]:
        return self._of(project, "span", span_ids, names, exclude_names)

    def of_traces(
        self,
        project: str,
        trace_ids: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        exclude_names: Sequence[str] | None = None,
    ) -> AsyncPages[types.TraceAnnotation]:
        return self._of(project, "trace", trace_ids, names, exclude_names)

    def of_sessions(
        self,
        project: str,
        session_ids: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        exclude_names: Sequence[str] | None = None,
    ) -> AsyncPages[types.SessionAnnotation]:
        return self._of(project, "session", session_ids, names, exclude_names)

    def of_documents(
        self,
        project: str,
        span_ids: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        exclude_names: Sequence[str] | None = None,
    ) -> AsyncPages[Any]:
        return self._of(project, "document", span_ids, names, exclude_names)

    async def to_dataframe(
        self,
        target: Target,
        project: str,
        ids: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        exclude_names: Sequence[str] | None = None,
    ) -> pandas.DataFrame:
        """
        A row for each annotation of these spans, traces, sessions, or documents of spans, with the id of what it is about as index;
        ``label``, ``score`` and ``explanation`` are columns. Needs ``pip install "spanward[pandas]"``.
        """
        found = await self._of(project, target, ids, names, exclude_names).to_list()
        rows = [{**annotation, **annotation["result"]} for annotation in found]
        for row in rows:
            del row["result"]
        index = f"{'span' if target == 'document' else target}_id"
        return records_frame(
            rows, index=index, columns=("id", "name", "annotator_kind", "label", "score", "explanation")
        )

    async def log_dataframe(
        self,
        target: Target,
        frame: pandas.DataFrame,
        *,
        name: str | None = None,
        annotator_kind: AnnotatorKind | None = None,
        wait: bool = False,
        show_progress: bool = True,
    ) -> List[str]:
        """
        An annotation for each row: ``span_id`` (or ``trace_id``, ``session_id``; of documents ``document_position`` too) as column
        or index, ``label``, ``score``, ``explanation``, and ``metadata``, ``identifier``; ``name`` and ``annotator_kind`` as columns
        or for all. Ids as ``log`` gives them.
        """
        rows = annotation_rows(target, frame, name, annotator_kind)
        return await self.log(target, rows, wait=wait, show_progress=show_progress)

    async def get(self, annotation_id: str) -> Any:
        return await self._data("GET", "/v1/annotations/{}", annotation_id)

    async def update(self, annotation_id: str, **result: Any) -> Any:
        """Changes label, score, explanation or metadata; what is not given stays."""
        metadata = {"metadata": result.pop("metadata")} if "metadata" in result else {}
        return await self._data("PATCH", "/v1/annotations/{}", annotation_id, body={"result": result, **metadata})

    async def delete(self, annotation_id: str) -> None:
        await self._transport.call("DELETE", "/v1/annotations/{}", annotation_id)

    def waiting(self) -> AsyncPages[Any]:
        """Annotations whose target has not arrived yet."""
        return AsyncPages(self._transport, "/v1/waiting_annotations")

    async def _one(self, target: str, wait: bool, **annotation: Any) -> str | None:
        body = {"data": [annotation]}
        data = await self._data("POST", f"/v1/{target}_annotations", params={"sync": wait}, body=body)
        return data[0]["id"] if data else None

    async def _note(self, target: str, **note: Any) -> str:
        return (await self._data("POST", f"/v1/{target}_notes", body={"data": note}))["id"]

    def _of(
        self,
        project: str,
        target: Target,
        ids: Sequence[str],
        names: Sequence[str] | None,
        exclude_names: Sequence[str] | None,
    ) -> AsyncPages[Any]:
        params = {"include_annotation_names": names, "exclude_annotation_names": exclude_names}
        parts = in_parts("span_ids" if target == "document" else f"{target}_ids", ids)
        path = f"/v1/projects/{{}}/{target}_annotations"
        return AsyncPages(self._transport, path, project, params=params, parts=parts, page_size=1000)


class AsyncAnnotationConfigs(AsyncResource):
    """Annotation configs; ``config`` is an id or a name."""

    def list(self, *, project: str | None = None) -> AsyncPages[Any]:
        """All configs, or those that are assigned to a project."""
        if project is None:
            return AsyncPages(self._transport, "/v1/annotation_configs")
        return AsyncPages(self._transport, "/v1/projects/{}/annotation_configs", project)

    async def get(self, config: str) -> Any:
        return await self._data("GET", "/v1/annotation_configs/{}", config)

    async def create(self, config: Mapping[str, Any]) -> Any:
        """For example ``{"type": "CATEGORICAL", "name": "quality", "optimization_direction": "MAXIMIZE", "values": [{"label": "good", "score": 1}]}``."""
        return await self._data("POST", "/v1/annotation_configs", body=config)

    async def update(self, config_id: str, config: Mapping[str, Any]) -> Any:
        """Replaces the config."""
        return await self._data("PUT", "/v1/annotation_configs/{}", config_id, body=config)

    async def delete(self, config_id: str) -> None:
        await self._transport.call("DELETE", "/v1/annotation_configs/{}", config_id)

    async def assign(self, project: str, config: str) -> None:
        await self._transport.call("PUT", "/v1/projects/{}/annotation_configs/{}", project, config)

    async def unassign(self, project: str, config: str) -> None:
        await self._transport.call("DELETE", "/v1/projects/{}/annotation_configs/{}", project, config)


def _common(
    name: str, kind: str, result: dict[str, Any], metadata: Mapping[str, Any] | None, identifier: str
) -> dict[str, Any]:
    return without_none(name=name, annotator_kind=kind, result=result, metadata=metadata, identifier=identifier or None)
