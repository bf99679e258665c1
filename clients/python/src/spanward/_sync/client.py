# Generated from _async by `npm run generate`.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from .analytics import Analytics
from .annotations import AnnotationConfigs, Annotations
from .dashboards import Dashboards
from .datasets import Datasets
from .end_users import EndUsers
from .error_groups import ErrorGroups
from .evaluators import Evaluators
from .experiment_jobs import ExperimentJobs
from .experiments import Experiments
from .model_connections import ModelConnections
from .projects import Projects
from .prompts import Prompts
from .review_queues import ReviewQueues
from .sessions import Sessions
from .spans import Spans
from .traces import Traces
from .transport import Transport
from .users import ApiKeys, Users
from .views import Views


class Client:
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
        http: httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(
            base_url, api_key=api_key, headers=headers, timeout=timeout, retries=retries, http=http
        )
        self.projects = Projects(self._transport)
        self.traces = Traces(self._transport)
        self.spans = Spans(self._transport)
        self.sessions = Sessions(self._transport)
        self.analytics = Analytics(self._transport)
        self.end_users = EndUsers(self._transport)
        self.error_groups = ErrorGroups(self._transport)
        self.dashboards = Dashboards(self._transport)
        self.views = Views(self._transport)
        self.annotations = Annotations(self._transport)
        self.annotation_configs = AnnotationConfigs(self._transport)
        self.review_queues = ReviewQueues(self._transport)
        self.datasets = Datasets(self._transport)
        self.experiment_jobs = ExperimentJobs(self._transport)
        self.experiments = Experiments(self._transport, self.datasets, self.experiment_jobs)
        self.evaluators = Evaluators(self._transport)
        self.model_connections = ModelConnections(self._transport)
        self.prompts = Prompts(self._transport)
        self.users = Users(self._transport)
        self.api_keys = ApiKeys(self._transport)

    @property
    def base_url(self) -> str:
        return self._transport.base_url

    def request(
        self, method: str, path: str, *, params: Mapping[str, Any] | None = None, body: Any = None
    ) -> Any:
        """The JSON answer of any path of the API, for operations without a method; ``/docs`` of the server lists them."""
        return self._transport.call(method, path.replace("{", "{{").replace("}", "}}"), params=params, body=body)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
