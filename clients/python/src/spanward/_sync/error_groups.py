# Generated from _async by `npm run generate`.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, List, Literal

from .. import types
from .._dataframes import records_frame
from .._values import in_parts
from .analytics import Time, Words
from .paging import Pages
from .resource import Resource

if TYPE_CHECKING:
    import pandas

Sort = Literal["last_seen", "first_seen", "count", "users"]


class ErrorGroups(Resource):
    """
    Failures that are the same, as groups with a state and an assignee (docs/errors.md). ``project`` is an id or a name.

    What changes a group takes ``if_match``, the ETag of the state that was read: ``PreconditionFailed`` when somebody
    else changed the group since.
    """

    def list(
        self,
        project: str,
        *,
        state: Words | None = None,
        error_kind: Words | None = None,
        assignee: str | None = None,
        release: Words | None = None,
        environment: Words | None = None,
        user_id: Words | None = None,
        q: str | None = None,
        filter: str | None = None,
        start_time: Time | None = None,
        end_time: Time | None = None,
        range: str | None = None,
        sort: Sort = "last_seen",
        sparkline: bool = False,
        page_size: int = 100,
    ) -> Pages[types.ErrorGroup]:
        """
        Open ones, unless ``state`` is ``"resolved"``, ``"ignored"`` or several.

        :param assignee: id of a user, ``"me"`` or ``"none"``
        :param q: words of the title, the message or the place
        :param filter: an expression over the failing spans
        :param sparkline: with 24 counts over the time of each
        """
        params = {
            "state": state,
            "error_kind": error_kind,
            "assignee": assignee,
            "release": release,
            "environment": environment,
            "user_id": user_id,
            "q": q,
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "range": range,
            "sort": sort,
            "include": "sparkline" if sparkline else None,
        }
        return Pages(self._transport, "/v1/projects/{}/error_groups", project, params=params, page_size=page_size)

    def to_dataframe(self, project: str, **question: Any) -> pandas.DataFrame:
        """
        As ``list``, a row for each group. ``attrs["is_partial"]`` says whether not all was counted. Needs
        ``pip install "spanward[pandas]"``.
        """
        groups = self.list(project, **question)
        columns = ("title", "state", "count", "user_count", "first_seen", "last_seen")
        frame = records_frame(groups.to_list(), index="id", columns=columns, times=("first_seen", "last_seen"))
        frame.attrs["is_partial"] = groups.is_partial
        return frame

    def get(
        self,
        error_group_id: str,
        *,
        release: Words | None = None,
        environment: Words | None = None,
        user_id: Words | None = None,
        start_time: Time | None = None,
        end_time: Time | None = None,
        range: str | None = None,
    ) -> types.ErrorGroupDetail:
        """One group, with why its failures are together in ``grouping``."""
        params = _occurrences(release, environment, user_id, start_time, end_time, range)
        return self._data("GET", "/v1/error_groups/{}", error_group_id, params=params)

    def get_with_etag(self, error_group_id: str) -> tuple[types.ErrorGroupDetail, str]:
        """One group, and what ``if_match`` takes."""
        return self._data_with_etag("/v1/error_groups/{}", error_group_id)

    def update(
        self, error_group_id: str, change: types.ErrorGroupChangeInput, *, if_match: str | None = None
    ) -> types.ErrorGroup:
        """State and assignee at once: ``{"state": "ignored", "ignore_until": {"occurrences": 100}, "assignee_id": "me"}``."""
        path = "/v1/error_groups/{}"
        return self._data("PATCH", path, error_group_id, body=change, if_match=if_match)

    def resolve(
        self, error_group_id: str, *, release: str | None = None, if_match: str | None = None
    ) -> types.ErrorGroup:
        """Until it happens again, with ``release`` in one that was first seen after that one."""
        change: types.ErrorGroupChangeInput = {"state": "resolved"}
        if release is not None:
            change["resolved_in_release"] = release
        return self.update(error_group_id, change, if_match=if_match)

    def ignore(
        self,
        error_group_id: str,
        *,
        until: Time | None = None,
        occurrences: int | None = None,
        users: int | None = None,
        if_match: str | None = None,
    ) -> types.ErrorGroup:
        """For ever, or until the first of: a time, so many more occurrences, so many more users."""
        conditions = {"time": until, "occurrences": occurrences, "users": users}
        change: types.ErrorGroupChangeInput = {"state": "ignored"}
        if any(value is not None for value in conditions.values()):
            change["ignore_until"] = conditions
        return self.update(error_group_id, change, if_match=if_match)

    def reopen(self, error_group_id: str, *, if_match: str | None = None) -> types.ErrorGroup:
        return self.update(error_group_id, {"state": "open"}, if_match=if_match)

    def assign(
        self, error_group_id: str, assignee_id: str | None, *, if_match: str | None = None
    ) -> types.ErrorGroup:
        """To a user, by id or ``"me"``; to nobody with None."""
        return self.update(error_group_id, {"assignee_id": assignee_id}, if_match=if_match)

    def update_many(
        self, error_group_ids: Sequence[str], change: types.ErrorGroupChangeInput
    ) -> List[Mapping[str, Any]]:
        """The same change of many, 500 in a request; for each ``id`` the ``status``: ``changed``, ``unchanged`` or ``not_found``."""
        results: List[Mapping[str, Any]] = []
        for part in in_parts("ids", error_group_ids, 500):
            results += self._data("POST", "/v1/error_groups/batch", body={**part, "change": change})
        return results

    def occurrences(
        self,
        error_group_id: str,
        *,
        release: Words | None = None,
        environment: Words | None = None,
        user_id: Words | None = None,
        start_time: Time | None = None,
        end_time: Time | None = None,
        range: str | None = None,
        page_size: int = 100,
    ) -> Pages[types.ErrorOccurrence]:
        """The failures of a group, newest first."""
        params = _occurrences(release, environment, user_id, start_time, end_time, range)
        path = "/v1/error_groups/{}/occurrences"
        return Pages(self._transport, path, error_group_id, params=params, page_size=page_size)

    def similar(self, error_group_id: str) -> List[types.ErrorGroup]:
        """Groups that may be the same: of the same kind and type of error, in the same place."""
        return self._data("GET", "/v1/error_groups/{}/similar", error_group_id)

    def merge(
        self, error_group_id: str, others: Sequence[str], *, if_match: str | None = None
    ) -> types.ErrorGroup:
        """Puts other groups into this one, also what comes of them later."""
        path = "/v1/error_groups/{}/merge"
        return self._data("POST", path, error_group_id, body={"ids": others}, if_match=if_match)

    def unmerge(
        self, error_group_id: str, fingerprints: Sequence[str], *, if_match: str | None = None
    ) -> List[types.ErrorGroup]:
        """Takes fingerprints out, each into a group of its own. The answer is this group and those."""
        path = "/v1/error_groups/{}/unmerge"
        return self._data("POST", path, error_group_id, body={"fingerprints": fingerprints}, if_match=if_match)

    def comments(self, error_group_id: str) -> Pages[types.ErrorComment]:
        """Oldest first."""
        return Pages(self._transport, "/v1/error_groups/{}/comments", error_group_id)

    def comment(self, error_group_id: str, text: str) -> types.ErrorComment:
        """Adds a comment, in Markdown."""
        return self._data("POST", "/v1/error_groups/{}/comments", error_group_id, body={"text": text})

    def update_comment(self, comment_id: str, text: str) -> types.ErrorComment:
        """Changes a comment of one's own."""
        return self._data("PATCH", "/v1/error_comments/{}", comment_id, body={"text": text})

    def delete_comment(self, comment_id: str) -> None:
        """One's own; admins delete any."""
        self._transport.call("DELETE", "/v1/error_comments/{}", comment_id)

    def activity(self, error_group_id: str) -> Pages[types.ErrorActivity]:
        """Who did what, and what happened by itself, newest first."""
        return Pages(self._transport, "/v1/error_groups/{}/activity", error_group_id)


def _occurrences(
    release: Words | None,
    environment: Words | None,
    user_id: Words | None,
    start_time: Time | None,
    end_time: Time | None,
    range: str | None,
) -> dict[str, Any]:
    return {
        "release": release,
        "environment": environment,
        "user_id": user_id,
        "start_time": start_time,
        "end_time": end_time,
        "range": range,
    }
