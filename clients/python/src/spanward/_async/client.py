from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from .analytics import AsyncAnalytics
from .annotations import AsyncAnnotationConfigs, AsyncAnnotations
from .dashboards import AsyncDashboards
from .datasets import AsyncDatasets
from .end_users import AsyncEndUsers
from .error_groups import AsyncErrorGroups
from .evaluators import AsyncEvaluators
from .experiment_jobs import AsyncExperimentJobs
from .experiments import AsyncExperiments
from .model_connections import AsyncModelConnections
from .projects import AsyncProjects
from .prompts import AsyncPrompts
from .review_queues import AsyncReviewQueues
from .sessions import AsyncSessions
from .spans import AsyncSpans
from .traces import AsyncTraces
from .transport import AsyncTransport
from .users import AsyncApiKeys, AsyncUsers
from .views import AsyncViews


class AsyncClient:
    """
    A client of Spanward's REST API.

    :param base_url: address of the server, including its base path; default ``SERVICE_COLLECTOR_ENDPOINT``, else ``http://localhost:6006``
    :param api_key: default ``SERVICE_API_KEY``
    :param headers: sent with every request; they take precedence over the key
    :param timeout: seconds to wait for an answer to begin
    :param retries: how often a request is retried when the server cannot be reached or is overloaded
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60,
        retries: int = 4,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._transport = AsyncTransport(
            base_url, api_key=api_key, headers=headers, timeout=timeout, retries=retries, http=http
        )
        self.projects = AsyncProjects(self._transport)
        self.traces = AsyncTraces(self._transport)
        self.spans = AsyncSpans(self._transport)
        self.sessions = AsyncSessions(self._transport)
        self.analytics = AsyncAnalytics(self._transport)
        self.end_users = AsyncEndUsers(self._transport)
        self.error_groups = AsyncErrorGroups(self._transport)
        self.dashboards = AsyncDashboards(self._transport)
        self.views = AsyncViews(self._transport)
        self.annotations = AsyncAnnotations(self._transport)
        self.annotation_configs = AsyncAnnotationConfigs(self._transport)
        self.review_queues = AsyncReviewQueues(self._transport)
        self.datasets = AsyncDatasets(self._transport)
        self.experiment_jobs = AsyncExperimentJobs(self._transport)
        self.experiments = AsyncExperiments(self._transport, self.datasets, self.experiment_jobs)
        self.evaluators = AsyncEvaluators(self._transport)
        self.model_connections = AsyncModelConnections(self._transport)
        self.prompts = AsyncPrompts(self._transport)
        self.users = AsyncUsers(self._transport)
        self.api_keys = AsyncApiKeys(self._transport)

    @property
    def base_url(self) -> str:
        return self._transport.base_url

    async def request(
        self, method: str, path: str, *, params: Mapping[str, Any] | None = None, body: Any = None
    ) -> Any:
        """The JSON answer of any path of the API, for operations without a method; ``/docs`` of the server lists them."""
        return await self._transport.call(method, path.replace("{", "{{").replace("}", "}}"), params=params, body=body)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
