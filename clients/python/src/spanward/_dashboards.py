from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OF_THE_SERVER = frozenset({"id", "owner_id", "created_at", "updated_at", "updated_by", "is_built_in"})


def written(dashboard: Mapping[str, Any]) -> dict[str, Any]:
    """A dashboard without what only the server says of it."""
    return {name: value for name, value in dashboard.items() if name not in _OF_THE_SERVER}
