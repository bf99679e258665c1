"""Address, headers and project, from arguments and the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping

DEFAULT_BASE_URL = "http://localhost:6006"


def base_url(given: str | None = None) -> str:
    """The address without a slash at its end: the given one, else ``SERVICE_COLLECTOR_ENDPOINT``."""
    text = given if given is not None else os.environ.get("SERVICE_COLLECTOR_ENDPOINT", "").strip() or DEFAULT_BASE_URL
    # Exporters use the same variable, some with their path.
    text = text.strip().rstrip("/").removesuffix("/v1/traces").rstrip("/")
    if not text.startswith(("http://", "https://")):
        raise ValueError(f"the address {text!r} has to begin with http:// or https://, for example {DEFAULT_BASE_URL}")
    return text


def auth_headers(api_key: str | None = None, headers: Mapping[str, str] | None = None) -> dict[str, str]:
    """Headers with lower-case names, as gRPC requires: the key (given, else ``SERVICE_API_KEY``) and the caller's."""
    key = api_key if api_key is not None else os.environ.get("SERVICE_API_KEY", "").strip()
    sent = {"authorization": f"Bearer {key}"} if key else {}
    return sent | {name.lower(): value for name, value in (headers or {}).items()}


def project_name(given: str | None = None) -> str:
    """The given one, else ``SERVICE_PROJECT_NAME``, else ``default``."""
    return given or os.environ.get("SERVICE_PROJECT_NAME", "").strip() or "default"
