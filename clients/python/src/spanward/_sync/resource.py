# Generated from _async by `npm run generate`.
from __future__ import annotations

from typing import Any

from .transport import Transport


class Resource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _data(self, method: str, path: str, *names: str, **parts: Any) -> Any:
        """The ``data`` of an answer."""
        return (self._transport.call(method, path, *names, **parts))["data"]

    def _data_with_etag(self, path: str, *names: str) -> tuple[Any, str]:
        """The ``data`` of what is read, and the entity tag by which it is changed."""
        response = self._transport.send("GET", path, *names)
        return response.json()["data"], response.headers["etag"]
