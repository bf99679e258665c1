"""Waiting and concurrency. Written by hand for both the asynchronous and the synchronous client."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def concurrently(items: Iterator[T], limit: int, work: Callable[[T], None]) -> None:
    """Does ``work`` for every item, in at most ``limit`` threads. The first failure is raised when all running work has ended."""
    failure: BaseException | None = None
    with ThreadPoolExecutor(max_workers=limit) as pool:
        running: set[Future[None]] = set()
        for item in items:
            running.add(pool.submit(contextvars.copy_context().run, work, item))
            if len(running) >= limit:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                failure = next((future.exception() for future in done if future.exception() is not None), None)
            if failure is not None:
                break
        for future in running:
            failure = failure or future.exception()
    if failure is not None:
        raise failure
