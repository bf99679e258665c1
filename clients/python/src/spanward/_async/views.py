from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .. import types
from .._values import without_none
from .paging import AsyncPages
from .resource import AsyncResource

Page = Literal["traces", "spans", "sessions", "users", "errors"]
Visibility = Literal["shared", "private"]


class AsyncViews(AsyncResource):
    """Filters, columns, orders and ranges of lists, saved under a name (docs/views.md). ``project`` is an id or a name."""

    def list(
        self, project: str | None = None, *, page: Page | None = None, name_contains: str | None = None
    ) -> AsyncPages[types.View]:
        """Newest first: shared ones and one's own, with a project those of it and those of every project."""
        params = {"project": project, "page": page, "name_contains": name_contains}
        return AsyncPages(self._transport, "/v1/views", params=params)

    async def get(self, view_id: str) -> types.View:
        return await self._data("GET", "/v1/views/{}", view_id)

    async def create(
        self,
        name: str,
        page: Page,
        state: types.ViewStateInput,
        *,
        project: str | None = None,
        visibility: Visibility = "shared",
    ) -> types.View:
        """``state`` has the parameters of the list: ``{"filter": "latency_ms > 5000", "range": "7d"}``."""
        body = without_none(name=name, page=page, state=state, project=project, visibility=visibility)
        return await self._data("POST", "/v1/views", body=body)

    async def update(
        self,
        view_id: str,
        *,
        name: str | None = None,
        state: types.ViewStateInput | None = None,
        visibility: Visibility | None = None,
    ) -> types.View:
        """What is not given stays."""
        body = without_none(name=name, state=state, visibility=visibility)
        return await self._data("PATCH", "/v1/views/{}", view_id, body=body)

    async def delete(self, view_id: str) -> None:
        await self._transport.call("DELETE", "/v1/views/{}", view_id)

    async def defaults(self, project: str) -> types.DefaultViews:
        """By page the id of the view that the list opens with, or None."""
        return await self._data("GET", "/v1/projects/{}/default_views", project)

    async def set_defaults(self, project: str, views: Mapping[Page, str | None]) -> types.DefaultViews:
        """Needs an admin. Pages that are not named keep theirs; None takes one away."""
        return await self._data("PUT", "/v1/projects/{}/default_views", project, body=views)
