"""Exit codes, on which builds rely: docs/gates-in-ci.md. Others than 0 to 2 are those of sysexits.h."""

from __future__ import annotations

import traceback

from .._errors import ApiError, AuthenticationError, PermissionDenied, ServerFailure, ServerUnreachable, TooManyRequests
from ..experiments.jobs import JobNotDone
from ..experiments.unstored import ResultsNotStored

PASSED = 0
NOT_PASSED = 1
NOT_FINISHED = 2
"""Something failed or is missing, the work was interrupted, or this program has a fault."""
USAGE = 64
UNREACHABLE = 69
REFUSED = 77


class ProgramFailure(Exception):
    """Ends the program with a sentence for people and an exit code."""

    def __init__(self, exit_code: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def usage_failure(message: str) -> ProgramFailure:
    return ProgramFailure(USAGE, message)


def to_failure(error: BaseException) -> ProgramFailure:
    if isinstance(error, ProgramFailure):
        return error
    if isinstance(error, KeyboardInterrupt):
        return ProgramFailure(NOT_FINISHED, "Interrupted.")
    if isinstance(error, ResultsNotStored):
        return ProgramFailure(to_failure(error.results[0].error).exit_code, str(error))
    if isinstance(error, JobNotDone):
        return ProgramFailure(NOT_FINISHED, f"{error}.")
    if isinstance(error, ServerUnreachable):
        return ProgramFailure(UNREACHABLE, str(error))
    if isinstance(error, ApiError):
        issues = [f"{'.'.join(map(str, issue['loc']))}: {issue['msg']}" for issue in error.issues]
        return ProgramFailure(_exit_code_of(error), "; ".join(issues) or str(error))
    if isinstance(error, OSError):
        return usage_failure(str(error))
    return ProgramFailure(NOT_FINISHED, "".join(traceback.format_exception(error)))


def _exit_code_of(error: ApiError) -> int:
    if isinstance(error, (AuthenticationError, PermissionDenied)):
        return REFUSED
    return UNREACHABLE if isinstance(error, (ServerFailure, TooManyRequests)) else USAGE
