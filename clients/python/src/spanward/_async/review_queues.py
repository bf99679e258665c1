from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Dict, List, Literal

from .. import types
from .._dataframes import records_frame
from .paging import AsyncPages
from .resource import AsyncResource

if TYPE_CHECKING:
    import pandas

State = Literal["pending", "in_review", "disagreement", "done", "removed"]

_EXPORTED = ("item_id", "question", "reviewer", "source", "label", "score", "explanation", "answered_at")


class AsyncReviewQueues(AsyncResource):
    """Spans, traces, sessions and runs of experiments that people answer questions about, in turns (docs/review.md)."""

    def list(self, *, archived: bool | None = None, page_size: int = 100) -> AsyncPages[types.ReviewQueue]:
        return AsyncPages(
            self._transport, "/v1/review_queues", params={"archived": archived}, page_size=page_size
        )

    async def get(self, queue_id: str) -> types.ReviewQueue:
        return await self._data("GET", "/v1/review_queues/{}", queue_id)

    async def get_with_etag(self, queue_id: str) -> tuple[types.ReviewQueue, str]:
        """A queue, and what ``if_match`` takes."""
        return await self._data_with_etag("/v1/review_queues/{}", queue_id)

    async def create(
        self,
        name: str,
        target: Literal["span", "trace", "session", "experiment_run"],
        questions: Sequence[str | types.ReviewQuestionBodyInput],
        **settings: Any,
    ) -> types.ReviewQueue:
        """
        :param questions: ids of annotation configs, or ``{"annotation_config_id": …, "required": …, "note": …, "tolerance": …}``
        :param settings: ``description``, ``guidance``, ``reviews_required``, ``reviewers``, ``adjudicators``, ``blind``,
            ``hide_model_annotations``, ``order``, ``seed``, ``lease_minutes``, ``due_at``
        """
        asked = [
            {"annotation_config_id": question} if isinstance(question, str) else question for question in questions
        ]
        body = {"name": name, "target": target, "questions": asked, **settings}
        return await self._data("POST", "/v1/review_queues", body=body)

    async def update(
        self, queue_id: str, changes: Mapping[str, Any], *, if_match: str | None = None
    ) -> types.ReviewQueue:
        """
        Changes what is given; ``{"archived": True}`` ends reviewing.

        :raises PreconditionFailed: somebody else changed it since the state with the ETag ``if_match``
        """
        return await self._data("PATCH", "/v1/review_queues/{}", queue_id, body=changes, if_match=if_match)

    async def delete(self, queue_id: str, *, delete_annotations: bool = False) -> None:
        """With its items and reviews; the annotations that came of them stay, unless they are to go, too."""
        params = {"delete_annotations": delete_annotations}
        await self._transport.call("DELETE", "/v1/review_queues/{}", queue_id, params=params)

    async def add(
        self, queue_id: str, targets: Sequence[types.ReviewTargetInput], *, priority: int | None = None
    ) -> Dict[str, int]:
        """
        Puts spans, traces, sessions or runs in, as ``{"trace_id": …, "project": …}`` or ``{"experiment_run_id": …}``: how many
        were ``added``, and how many ``present``.

        :param targets: at most 10,000
        """
        body = {"targets": targets} if priority is None else {"targets": targets, "priority": priority}
        return await self._data("POST", "/v1/review_queues/{}/items", queue_id, body=body)

    async def add_experiment(
        self, queue_id: str, experiment_id: str, *, priority: int | None = None
    ) -> Dict[str, int]:
        """As ``add``, all runs that an experiment has now."""
        body = {"experiment_id": experiment_id} | ({} if priority is None else {"priority": priority})
        return await self._data("POST", "/v1/review_queues/{}/items", queue_id, body=body)

    async def fill(
        self,
        queue_id: str,
        project: str,
        filter: str | Mapping[str, Any] = "",
        *,
        time_range: Mapping[str, str] | None = None,
        limit: int | None = None,
        priority: int | None = None,
    ) -> types.BulkRun:
        """
        Begins a run that puts in all that fits; ``request("GET", "/v1/bulk_runs/<id>")`` says how far it is.

        :param filter: an expression, or parameters of the list; everything when empty
        :param time_range: ``{"start_time": …, "end_time": …}``
        """
        given = {"time_range": time_range, "limit": limit, "priority": priority}
        body = {"project": project, "filter": filter} | {
            name: value for name, value in given.items() if value is not None
        }
        return await self._data("POST", "/v1/review_queues/{}/items", queue_id, body=body)

    def items(
        self, queue_id: str, *, state: State | None = None, reviewer: str | None = None, page_size: int = 100
    ) -> AsyncPages[types.ReviewItem]:
        """Answers of others are there only where you may see them."""
        params = {"state": state, "reviewer": reviewer}
        return AsyncPages(
            self._transport, "/v1/review_queues/{}/items", queue_id, params=params, page_size=page_size
        )

    async def get_item(self, queue_id: str, item_id: str) -> types.ReviewItem:
        return await self._data("GET", "/v1/review_queues/{}/items/{}", queue_id, item_id)

    async def remove_item(self, queue_id: str, item_id: str) -> None:
        await self._transport.call("DELETE", "/v1/review_queues/{}/items/{}", queue_id, item_id)

    async def next(self, queue_id: str) -> types.ReviewTurn | None:
        """The next item, kept for you until ``reserved_until``; None when nothing is left for you."""
        response = await self._transport.send("POST", "/v1/review_queues/{}/next", queue_id)
        turn: types.ReviewTurn | None = None if response.status_code == 204 else response.json()["data"]
        return turn

    async def submit(
        self,
        queue_id: str,
        item_id: str,
        answers: Sequence[types.ReviewAnswerBodyInput],
        *,
        seconds: float | None = None,
    ) -> types.ReviewItem:
        """
        Answers the questions: ``[{"annotation_config_id": …, "label": …}]``, with ``score`` or ``explanation``.

        :param seconds: how long it took
        :raises Conflict: your turn had ended; the answers are kept as your draft
        """
        body = {"answers": answers} if seconds is None else {"answers": answers, "seconds": seconds}
        return await self._data("POST", "/v1/review_queues/{}/items/{}/review", queue_id, item_id, body=body)

    async def skip(self, queue_id: str, item_id: str, reason: str) -> None:
        """Leaves the item to somebody else for good."""
        path = "/v1/review_queues/{}/items/{}/skip"
        await self._transport.call("POST", path, queue_id, item_id, body={"reason": reason})

    async def release(self, queue_id: str, item_id: str) -> None:
        """Gives the item back."""
        await self._transport.call("POST", "/v1/review_queues/{}/items/{}/release", queue_id, item_id)

    async def decide(
        self, queue_id: str, item_id: str, answers: Sequence[types.ReviewAnswerBodyInput]
    ) -> types.ReviewItem:
        """The gold answer of an adjudicator."""
        path = "/v1/review_queues/{}/items/{}/adjudication"
        return await self._data("POST", path, queue_id, item_id, body={"answers": answers})

    async def rule(self, queue_id: str) -> types.ReviewRule:
        """The rule that goes on filling the queue."""
        return await self._data("GET", "/v1/review_queues/{}/rule", queue_id)

    async def set_rule(self, queue_id: str, rule: Mapping[str, Any]) -> types.ReviewRule:
        """``{"project": …, "filter": …, "sample": 0.2, "daily_limit": 100}``"""
        return await self._data("PUT", "/v1/review_queues/{}/rule", queue_id, body=rule)

    async def delete_rule(self, queue_id: str) -> None:
        await self._transport.call("DELETE", "/v1/review_queues/{}/rule", queue_id)

    async def agreement(self, queue_id: str) -> types.ReviewQueueAgreement:
        """How far reviewers agree, by question and over whole reviews."""
        return await self._data("GET", "/v1/review_queues/{}/agreement", queue_id)

    async def progress(self, queue_id: str) -> types.ReviewQueueProgress:
        return await self._data("GET", "/v1/review_queues/{}/progress", queue_id)

    async def calibration(
        self,
        queue_id: str,
        annotation_name: str,
        *,
        annotation_config_id: str | None = None,
        identifier: str | None = None,
        gold: Literal["all", "decisions"] = "all",
    ) -> types.ReviewQueueCalibration:
        """
        The gold answers against annotations of a name, such as those of a judge; with the first items where they differ.

        :param annotation_config_id: the question, when none has the name of the annotations
        """
        params = {
            "annotation_name": annotation_name,
            "annotation_config_id": annotation_config_id,
            "identifier": identifier,
            "gold": gold,
        }
        return await self._data("GET", "/v1/review_queues/{}/calibration", queue_id, params=params)

    async def gold_to_dataset(
        self,
        queue_id: str,
        dataset_name: str | None = None,
        *,
        dataset_id: str | None = None,
        annotation_config_id: str | None = None,
        gold: Literal["all", "decisions"] = "all",
        project: str | None = None,
        allow_wider_access: bool = False,
    ) -> types.ReviewGoldRun:
        """
        Begins a run that makes the gold answers a version of a dataset; ``gold_run`` says how far it is. Examples that the
        dataset has of the same spans get the new content.

        :param dataset_name: of a dataset, which is made if there is none of this name; or ``dataset_id``
        :param annotation_config_id: the question whose text or note is the output; without it all answers by name
        :param project: where a new dataset is to live
        """
        given = {
            "dataset_name": dataset_name,
            "dataset_id": dataset_id,
            "annotation_config_id": annotation_config_id,
            "project": project,
            "allow_wider_access": allow_wider_access or None,
        }
        body = {"gold": gold} | {name: value for name, value in given.items() if value is not None}
        return await self._data("POST", "/v1/review_queues/{}/gold_runs", queue_id, body=body)

    async def gold_run(self, queue_id: str, run_id: str) -> types.ReviewGoldRun:
        return await self._data("GET", "/v1/review_queues/{}/gold_runs/{}", queue_id, run_id)

    def gold_runs(self, queue_id: str, *, page_size: int = 100) -> AsyncPages[types.ReviewGoldRun]:
        """Your own, the newest first; all of them for admins."""
        path = "/v1/review_queues/{}/gold_runs"
        return AsyncPages(self._transport, path, queue_id, page_size=page_size)

    async def cancel_gold_run(self, queue_id: str, run_id: str) -> None:
        """Nothing of it stays."""
        await self._transport.call("DELETE", "/v1/review_queues/{}/gold_runs/{}", queue_id, run_id)

    async def item_example(self, queue_id: str, item_id: str) -> types.ReviewItemExample:
        """The example that the span of an item would become."""
        return await self._data("GET", "/v1/review_queues/{}/items/{}/example", queue_id, item_id)

    async def export(self, queue_id: str) -> List[Dict[str, Any]]:
        """All answers that you may see, each to one question about one item."""
        path = "/v1/review_queues/{}/export"
        response = await self._transport.send("GET", path, queue_id, params={"format": "jsonl"})
        return [json.loads(line) for line in response.text.split("\n") if line != ""]

    async def to_dataframe(self, queue_id: str) -> pandas.DataFrame:
        """As ``export``, a row for each answer. Needs ``pip install "spanward[pandas]"``."""
        rows = await self.export(queue_id)
        return records_frame(rows, index="item_id", columns=_EXPORTED[1:], times=("answered_at",))
