from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import types
from .._values import without_none
from .paging import AsyncPages
from .resource import AsyncResource
from .waiting import sleep

_FIRST_LOOK_SECONDS = 0.2
_LONGEST_BETWEEN_LOOKS_SECONDS = 2.0


class AsyncExperimentJobs(AsyncResource):
    """Work of the server on experiments: prompts run over a dataset, evaluators over the runs."""

    def list(
        self, *, dataset_id: str | None = None, experiment_id: str | None = None
    ) -> AsyncPages[types.ExperimentJob]:
        """Newest first."""
        params = {"dataset_id": dataset_id, "experiment_id": experiment_id}
        return AsyncPages(self._transport, "/v1/experiment_jobs", params=params)

    async def get(self, job_id: str) -> types.ExperimentJob:
        return await self._data("GET", "/v1/experiment_jobs/{}", job_id)

    async def create(self, job: Mapping[str, Any]) -> types.ExperimentJob:
        """Starts a job, which goes on whether or not anybody waits for it."""
        return await self._data("POST", "/v1/experiment_jobs", body=job)

    async def estimate(self, job: Mapping[str, Any]) -> types.ExperimentJobEstimate:
        """What a job would cost, and how long it would take."""
        return await self._data("POST", "/v1/experiment_jobs/estimate", body=job)

    async def update(
        self, job_id: str, *, state: str | None = None, max_cost_usd: float | None = None
    ) -> types.ExperimentJob:
        """Pauses it (``paused``), lets it go on (``running``), or changes what it may cost."""
        body = without_none(state=state, max_cost_usd=max_cost_usd)
        return await self._data("PATCH", "/v1/experiment_jobs/{}", job_id, body=body)

    async def cancel(self, job_id: str) -> None:
        """What it has recorded stays."""
        await self._transport.call("DELETE", "/v1/experiment_jobs/{}", job_id)

    async def retry(self, job_id: str) -> types.ExperimentJob:
        """Does again what failed, and nothing else."""
        return await self._data("POST", "/v1/experiment_jobs/{}/retry", job_id)

    async def wait(
        self, job_id: str, *, on_progress: Callable[[types.ExperimentJob], None] | None = None
    ) -> types.ExperimentJob:
        """Waits until the server does not work on it any more: until it is done, paused, has failed or was cancelled."""
        pause = _FIRST_LOOK_SECONDS
        while True:
            job = await self.get(job_id)
            if on_progress is not None:
                on_progress(job)
            if job["state"] not in ("waiting", "running"):
                return job
            await sleep(pause)
            pause = min(pause * 1.5, _LONGEST_BETWEEN_LOOKS_SECONDS)
