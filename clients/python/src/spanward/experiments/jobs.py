"""Work of the server that does not go on."""

from __future__ import annotations

from typing import Any

from .._errors import SpanwardError


class JobNotDone(SpanwardError):
    """The job is paused, as at a limit of costs, has failed or was cancelled."""

    def __init__(self, job: Any) -> None:
        self.job = job
        reason = f": {job['error']}" if job["error"] else ""
        super().__init__(f"the job {job['name']} is {job['state']}{reason}")
