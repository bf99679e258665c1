"""A progress bar on the terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from typing import IO, Any, Literal, Union, cast

Shown = Union[bool, Literal["lines"]]
"""Whether progress is drawn on a terminal; ``"lines"`` also writes a line now and then elsewhere, as to the log of a build."""

_WIDTH = 30
_SECONDS_BETWEEN_LINES = 10


class ProgressBar:
    """Drawn on standard error when that is a terminal."""

    def __init__(self, what: str, total: int, show: Shown) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._failed = 0
        self._shown = bool(show) and total > 0 and sys.stderr.isatty()
        self._in_lines = show == "lines" and total > 0 and not sys.stderr.isatty()
        self._written = time.monotonic()
        self._lock = threading.Lock()

    def reading(self, file: IO[bytes]) -> IO[bytes]:
        """Wraps a file so that reading it advances the bar."""
        return cast("IO[bytes]", _Watched(file, self))

    def back_to(self, done: int) -> None:
        with self._lock:
            self._done = done

    def step(self, count: int = 1, *, failed: bool = False) -> None:
        with self._lock:
            self._done += count
            self._failed += failed
            self._draw()
            self._write_line()

    def show(self, counts: Mapping[str, int]) -> None:
        """How far a job of the server has come."""
        with self._lock:
            self._done = counts["done"] + counts["failed"] + counts["skipped"]
            self._failed = counts["failed"]
            self._total = max(1, counts["total"])
            self._draw()
            self._write_line()

    def __enter__(self) -> ProgressBar:
        self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\n")

    def _write_line(self) -> None:
        now = time.monotonic()
        if not self._in_lines or (self._done < self._total and now - self._written < _SECONDS_BETWEEN_LINES):
            return
        self._written = now
        failures = f", {self._failed} failed" if self._failed else ""
        sys.stderr.write(f"{self._what}: {self._done} of {self._total}{failures}\n")
        sys.stderr.flush()

    def _draw(self) -> None:
        if not self._shown:
            return
        filled = round(_WIDTH * min(self._done / self._total, 1))
        failures = f", {self._failed} failed" if self._failed else ""
        sys.stderr.write(
            f"\r{self._what:<11} {'█' * filled}{'░' * (_WIDTH - filled)} {self._done}/{self._total}{failures}"
        )
        sys.stderr.flush()


class _Watched:
    """For a retry, the file is read from its beginning again."""

    def __init__(self, file: IO[bytes], bar: ProgressBar) -> None:
        self._file = file
        self._bar = bar

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._bar.step(len(piece))
        return piece

    def seek(self, offset: int, whence: int = 0) -> int:
        position = self._file.seek(offset, whence)
        self._bar.back_to(position)
        return position

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
