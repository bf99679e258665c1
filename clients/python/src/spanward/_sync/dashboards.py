# Generated from _async by `npm run generate`.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import types
from .._dashboards import written
from .paging import Pages
from .resource import Resource


class Dashboards(Resource):
    """
    Dashboards as JSON (docs/dashboards.md). Built-in ones have ids such as ``builtin:cost``; ``project``, an id or a name,
    says which project they are about.
    """

    def list(self, project: str | None = None, *, name_contains: str | None = None) -> Pages[types.DashboardSummary]:
        """Built-in ones first, then the newest; of a project, or all that you see. Without their widgets."""
        return Pages(
            self._transport, "/v1/dashboards", params={"project": project, "name_contains": name_contains}
        )

    def get(self, dashboard_id: str, *, project: str | None = None) -> types.Dashboard:
        return self._data("GET", "/v1/dashboards/{}", dashboard_id, params={"project": project})

    def get_with_etag(self, dashboard_id: str) -> tuple[types.Dashboard, str]:
        """A dashboard, and what ``if_match`` takes."""
        return self._data_with_etag("/v1/dashboards/{}", dashboard_id)

    def create(self, dashboard: Mapping[str, Any]) -> types.Dashboard:
        """
        ``{"name": …, "project_id": …, "widgets": […]}``, or what ``get`` answered, under another name. ``project_id`` is an id
        or a name; without it the dashboard is across projects.
        """
        return self._data("POST", "/v1/dashboards", body=written(dashboard))

    def replace(
        self, dashboard_id: str, dashboard: Mapping[str, Any], *, if_match: str | None = None
    ) -> types.Dashboard:
        """
        Puts what ``get`` answered, changed, in the place of what is stored.

        :param if_match: the ETag of the state that was read
        :raises PreconditionFailed: somebody else changed it since
        """
        path = "/v1/dashboards/{}"
        return self._data("PUT", path, dashboard_id, body=written(dashboard), if_match=if_match)

    def delete(self, dashboard_id: str, *, if_match: str | None = None) -> None:
        """One's own; admins delete any shared one."""
        self._transport.call("DELETE", "/v1/dashboards/{}", dashboard_id, if_match=if_match)

    def export(self, dashboard_id: str, *, project: str | None = None) -> types.DashboardFile:
        """Without ids and owners, for ``import_`` there or elsewhere."""
        return self._transport.call(
            "GET", "/v1/dashboards/{}/export", dashboard_id, params={"project": project}
        )

    def import_(self, file: Mapping[str, Any], *, project: str | None = None) -> types.Dashboard:
        """Makes a dashboard of what ``export`` answered, across projects without one; a name that is taken gets a number."""
        return self._data("POST", "/v1/dashboards/import", params={"project": project}, body=file)
