from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from .transport import AsyncTransport

T = TypeVar("T")


class AsyncPages(Generic[T]):
    """
    A paged list. Iterate over it, or read it as a whole; pages are requested as they are needed.

    :param parts: parameters of several lists, read one after the other
    """

    def __init__(
        self,
        transport: AsyncTransport,
        path: str,
        *names: str,
        params: Mapping[str, Any] | None = None,
        parts: Sequence[Mapping[str, Any]] = ({},),
        page_size: int = 100,
    ) -> None:
        self._transport = transport
        self._path = path
        self._names = names
        self._params = {"limit": page_size, **(params or {})}
        self._parts = parts
        self.is_partial = False
        """Whether time was up before the server had read all for one of the pages that were read so far."""

    async def __aiter__(self) -> AsyncIterator[T]:
        self.is_partial = False
        for part in self._parts:
            cursor: str | None = None
            while True:
                params = {**self._params, **part, "cursor": cursor}
                page = await self._transport.call("GET", self._path, *self._names, params=params)
                self.is_partial = self.is_partial or page.get("is_partial", False)
                for item in page["data"]:
                    yield item
                cursor = page.get("next_cursor")
                if cursor is None:
                    break

    async def to_list(self, limit: int | None = None) -> list[T]:
        """The whole list, or its first ``limit`` items."""
        items: list[T] = []
        if limit is not None and limit <= 0:
            return items
        async for item in self:
            items.append(item)
            if limit is not None and len(items) >= limit:
                break
        return items
