# Generated from _async by `npm run generate`.
from __future__ import annotations

from collections.abc import Iterator, Callable, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

from .._errors import ServerUnreachable, to_api_error
from .._retries import request_headers, wait_before_retry
from .._settings import auth_headers, base_url
from .._values import to_params, to_wire
from .waiting import sleep


class Transport:
    """Sends requests, retries where that makes sense, and raises error answers as exceptions."""

    def __init__(
        self,
        url: str | None,
        *,
        api_key: str | None,
        headers: Mapping[str, str] | None,
        timeout: float,
        retries: int,
        http: httpx.Client | None,
    ) -> None:
        self.base_url = base_url(url)
        self.headers = auth_headers(api_key, headers)
        self._retries = retries
        self._owns_http = http is None
        self._http = http or httpx.Client(timeout=httpx.Timeout(timeout, connect=10))

    def call(
        self,
        method: str,
        path: str,
        *names: str,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        if_match: str | None = None,
    ) -> Any:
        """The JSON of an answer; None for an empty one. ``path`` has ``{}`` for each of ``names``."""
        response = self.send(method, path, *names, params=params, body=body, if_match=if_match)
        return response.json() if response.content and "json" in response.headers.get("content-type", "") else None

    def send(
        self,
        method: str,
        path: str,
        *names: str,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        if_match: str | None = None,
        **content: Any,
    ) -> httpx.Response:
        headers = request_headers(method, {"accept": "application/json, application/problem+json"} | self.headers)
        if if_match is not None:
            headers = headers | {"if-match": if_match}
        if body is not None:
            content["json"] = to_wire(body)
        return self._ask(
            lambda: self._http.request(
                method, self.url(path, *names), params=to_params(params), headers=headers, **content
            )
        )

    @contextmanager
    def stream(
        self, method: str, path: str, *names: str, params: Mapping[str, Any] | None = None
    ) -> Iterator[httpx.Response]:
        """An answer that is read as a stream; it is not retried once it has begun."""
        request = self._http.build_request(
            method,
            self.url(path, *names),
            params=to_params(params),
            headers={"accept": "*/*, application/problem+json"} | self.headers,
        )
        response = self._ask(lambda: self._http.send(request, stream=True))
        try:
            yield response
        except httpx.TransportError as error:
            raise ServerUnreachable(f"the answer of {self.base_url} broke off: {error}") from error
        finally:
            response.close()

    def _ask(self, request: Callable[[], httpx.Response]) -> httpx.Response:
        for attempt in range(1, self._retries + 2):
            response, failure = None, None
            try:
                response = request()
                if response.is_success:
                    return response
                response.read()
            except httpx.TransportError as error:
                response, failure = None, error
            wait = wait_before_retry(response, attempt) if attempt <= self._retries else None
            if wait is None:
                if response is not None:
                    raise to_api_error(response)
                raise ServerUnreachable(
                    f"cannot reach {self.base_url}: {failure or type(failure).__name__}"
                ) from failure
            sleep(wait)
        raise AssertionError("unreachable")

    def url(self, path: str, *names: str) -> str:
        return self.base_url + path.format(*(quote(name, safe="") for name in names))

    def close(self) -> None:
        if self._owns_http:
            self._http.close()
