# Generated from _async by `npm run generate`.
from __future__ import annotations

from .. import types
from .._values import without_none
from .paging import Pages
from .resource import Resource


class Projects(Resource):
    """Projects; ``project`` is an id or a name."""

    def list(
        self, *, name_contains: str | None = None, include_experiment_projects: bool = False
    ) -> Pages[types.Project]:
        """Newest first."""
        params = {"name_contains": name_contains, "include_experiment_projects": include_experiment_projects}
        return Pages(self._transport, "/v1/projects", params=params)

    def get(self, project: str) -> types.Project:
        return self._data("GET", "/v1/projects/{}", project)

    def create(self, name: str, *, description: str | None = None) -> types.Project:
        return self._data("POST", "/v1/projects", body=without_none(name=name, description=description))

    def update(self, project: str, *, description: str) -> types.Project:
        return self._data("PUT", "/v1/projects/{}", project, body={"description": description})

    def delete(self, project: str) -> None:
        """Deletes the project with all its traces and annotations."""
        self._transport.call("DELETE", "/v1/projects/{}", project)
