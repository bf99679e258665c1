from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from .._sync.client import Client
from ._arguments import read_arguments
from ._failures import NOT_FINISHED, USAGE, to_failure, usage_failure
from ._gate import gate, one_line, say
from ._run import run


def main(argv: list[str], connect: Callable[[str | None], Client] = Client) -> int:
    """Runs the program. The exit code."""
    try:
        given = read_arguments(argv)
        try:
            client = connect(given.url)
        except ValueError as error:
            raise usage_failure(f"--url: {error}.") from error
        return run(client, given) if given.command == "run" else gate(client, given.experiment, given)
    except (Exception, KeyboardInterrupt) as error:
        failure = to_failure(error)
        more = " python -m spanward.evaluate --help says more." if failure.exit_code == USAGE else ""
        lines = [one_line(line) for line in str(failure).splitlines()]
        say("\n".join(lines) + more)
        return failure.exit_code


def _on_interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    """Tasks that run are waited for and recorded; the second interruption ends at once."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(NOT_FINISHED))
    say("\nStopping: tasks that run are waited for and recorded. Once more ends at once.")
    raise KeyboardInterrupt


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _on_interrupt)
    sys.exit(main(sys.argv[1:]))
