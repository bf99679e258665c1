from __future__ import annotations

from . import types


class EndUserInRange(types.EndUser):
    """A user, and whether the figures are of the whole range."""

    is_partial: bool
    """Time was up before all was read; from ``covered_start_time`` on everything was."""
    covered_start_time: str | None
