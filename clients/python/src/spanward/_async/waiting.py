"""Waiting and doing several things at a time. Written once for each of the two worlds."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function that is asynchronous, or runs one that is not in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*args, **kwargs)
    result = await asyncio.to_thread(function, *args, **kwargs)
    return await result if inspect.isawaitable(result) else result


async def concurrently(items: AsyncIterator[T], limit: int, work: Callable[[T], Awaitable[None]]) -> None:
    """Does ``work`` for every item, at most ``limit`` at a time. The first failure is raised once what runs has ended."""
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
