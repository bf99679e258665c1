"""A bar on the terminal while something long goes on."""

from __future__ import annotations

import sys
import threading

_WIDTH = 30


class ProgressBar:
    """Drawn on standard error when that is a terminal."""

    def __init__(self, what: str, total: int, show: bool) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._failed = 0
        self._shown = show and total > 0 and sys.stderr.isatty()
        self._lock = threading.Lock()

    def step(self, count: int = 1, *, failed: bool = False) -> None:
        with self._lock:
            self._done += count
            self._failed += failed
            self._draw()

    def __enter__(self) -> ProgressBar:
        self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            sys.stderr.write("\n")

    def _draw(self) -> None:
        if not self._shown:
            return
        filled = round(_WIDTH * min(self._done / self._total, 1))
        failures = f", {self._failed} failed" if self._failed else ""
        sys.stderr.write(
            f"\r{self._what:<11} {'█' * filled}{'░' * (_WIDTH - filled)} {self._done}/{self._total}{failures}"
        )
        sys.stderr.flush()
