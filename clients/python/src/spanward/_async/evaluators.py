from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import types
from .._values import without_none
from .paging import AsyncPages
from .resource import AsyncResource


class AsyncEvaluators(AsyncResource):
    """
    Evaluators that the server runs; ``evaluator`` is a name or an id. Those that run in your program are made with
    ``spanward.experiments.evaluator``.
    """

    def list(self, *, name_contains: str | None = None, kind: str | None = None) -> AsyncPages[types.Evaluator]:
        params = {"name_contains": name_contains, "kind": kind}
        return AsyncPages(self._transport, "/v1/evaluators", params=params)

    async def get(self, evaluator: str) -> types.Evaluator:
        return await self._data("GET", "/v1/evaluators/{}", evaluator)

    async def create(
        self, name: str, version: Mapping[str, Any], *, description: str | None = None, template: str | None = None
    ) -> types.Evaluator:
        """With its first version."""
        body = without_none(name=name, version=version, description=description, template=template)
        return await self._data("POST", "/v1/evaluators", body=body)

    def versions(self, evaluator: str) -> AsyncPages[types.EvaluatorVersionOfEvaluator]:
        """Newest first."""
        return AsyncPages(self._transport, "/v1/evaluators/{}/versions", evaluator)

    async def create_version(self, evaluator: str, version: Mapping[str, Any]) -> types.EvaluatorVersionOfEvaluator:
        return await self._data("POST", "/v1/evaluators/{}/versions", evaluator, body={"version": version})

    async def archive(self, evaluator: str) -> None:
        """Its versions and results stay."""
        await self._transport.call("DELETE", "/v1/evaluators/{}", evaluator)
