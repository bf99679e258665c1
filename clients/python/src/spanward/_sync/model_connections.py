# Generated from _async by `npm run generate`.
from __future__ import annotations

from .. import types
from .paging import Pages
from .resource import Resource


class ModelConnections(Resource):
    """How the server reaches providers of models. Admins make and change connections in Settings → Models."""

    def list(self) -> Pages[types.ModelConnection]:
        return Pages(self._transport, "/v1/model_connections")

    def get(self, connection_id: str) -> types.ModelConnection:
        return self._data("GET", "/v1/model_connections/{}", connection_id)
