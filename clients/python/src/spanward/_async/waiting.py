"""Waiting and concurrency. Written by hand for both the asynchronous and the synchronous client."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls an asynchronous function, or runs another one in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*args, **kwargs)
    result = await asyncio.to_thread(function, *args, **kwargs)
    return await result if inspect.isawaitable(result) else result


async def concurrently(items: AsyncIterator[T], limit: int, work: Callable[[T], Awaitable[None]]) -> None:
    """Does ``work`` for every item, at most ``limit`` at a time. The first failure is raised when all running work has ended."""
    running: set[asyncio.Task[None]] = set()
    failure: BaseException | None = None
    async for item in items:
        running.add(asyncio.ensure_future(work(item)))
        if len(running) >= limit:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            failure = next((task.exception() for task in done if task.exception() is not None), None)
        if failure is not None:
            break
    outcomes = await asyncio.gather(*running, return_exceptions=True)
    failure = failure or next((outcome for outcome in outcomes if isinstance(outcome, BaseException)), None)
    if failure is not None:
        raise failure
