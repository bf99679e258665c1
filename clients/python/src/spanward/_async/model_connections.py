from __future__ import annotations

from .. import types
from .paging import AsyncPages
from .resource import AsyncResource


class AsyncModelConnections(AsyncResource):
    """How the server reaches providers of models. Admins make and change connections in Settings → Models."""

    def list(self) -> AsyncPages[types.ModelConnection]:
        return AsyncPages(self._transport, "/v1/model_connections")

    async def get(self, connection_id: str) -> types.ModelConnection:
        return await self._data("GET", "/v1/model_connections/{}", connection_id)
