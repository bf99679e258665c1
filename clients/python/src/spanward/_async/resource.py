from __future__ import annotations

from typing import Any

from .transport import AsyncTransport


class AsyncResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _data(self, method: str, path: str, *names: str, **parts: Any) -> Any:
        """The ``data`` of an answer."""
        return (await self._transport.call(method, path, *names, **parts))["data"]

    async def _data_with_etag(self, path: str, *names: str) -> tuple[Any, str]:
        """The ``data`` of what is read, and the entity tag by which it is changed."""
        response = await self._transport.send("GET", path, *names)
        return response.json()["data"], response.headers["etag"]
