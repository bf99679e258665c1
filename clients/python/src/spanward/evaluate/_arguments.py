from __future__ import annotations

import argparse
import re
from typing import NoReturn

from ._failures import usage_failure

OF_NEW = ("dataset", "version_id", "split", "name", "repetitions", "prompt", "connection", "model")
"""What belongs to a new experiment, and not to one that is gone on with."""
_NAME_ON_SERVER = re.compile(r"[a-z0-9]([_a-z0-9-]*[a-z0-9])?")
_EPILOG = "Exit codes: 0 passed, 1 not passed, 2 not finished, 64 wrong use, 69 server not reached, 77 refused."


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise usage_failure(f"{message[:1].upper()}{message[1:]}.")


def read_arguments(argv: list[str]) -> argparse.Namespace:
    """
    :raises ProgramFailure: 64
    """
    parser = _Parser(prog="python -m spanward.evaluate", epilog=_EPILOG, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="run|gate")
    run = commands.add_parser(
        "run", help="run an experiment, or go on with one", epilog=_EPILOG, allow_abbrev=False
    )
    run.add_argument("--dataset", metavar="NAME", help="for a new experiment")
    run.add_argument("--experiment", metavar="ID", help="go on with this one")
    run.add_argument("--task", metavar="FILE", help="file with the function task, or file:name")
    run.add_argument("--prompt", metavar="NAME[@TAG]", help="the server runs this prompt, over --connection with --model")
    run.add_argument("--connection", metavar="NAME", help="to the model that a prompt is run with")
    run.add_argument("--model", metavar="NAME", help="of the connection; that of the prompt unless told otherwise")
    run.add_argument("--max-cost", metavar="DOLLARS", type=_dollars, help="what the server may spend")
    run.add_argument(
        "--evaluator",
        metavar="FILE",
        action="append",
        help="file with evaluators, or file:name; or the name of one of the server; repeatable",
    )
    run.add_argument("--repetitions", metavar="N", type=_count, help="runs of each example; 1 unless told otherwise")
    run.add_argument("--concurrency", metavar="N", type=_count, default=5, help="tasks at a time; 5 unless told otherwise")
    run.add_argument("--split", metavar="NAME", action="append", help="only these examples; repeatable")
    run.add_argument("--version-id", metavar="ID", help="of the dataset; the newest unless told otherwise")
    run.add_argument("--name", help="of the experiment")
    run.add_argument("--no-trace", action="store_true", help="no traces of the runs")
    gate = commands.add_parser(
        "gate", help="say whether an experiment passes", epilog=_EPILOG, allow_abbrev=False
    )
    gate.add_argument("--experiment", metavar="ID", required=True)
    for command in (run, gate):
        command.add_argument(
            "--require", metavar="TEXT", action="append", help="such as \"mean('correctness') >= 0.8\"; repeatable"
        )
        command.add_argument("--baseline", metavar="ID", help="experiment to compare with, or tag:NAME")
        command.add_argument("--baseline-optional", action="store_true", help="the baseline need not be there")
        command.add_argument("--allow-incomplete", action="store_true", help="the experiment need not be finished")
        command.add_argument("--junit", metavar="FILE", help="write a test report")
        command.add_argument("--markdown", metavar="FILE", help="write a comment")
        command.add_argument("--tag-on-pass", metavar="NAME", help="move this tag to the experiment if it passes")
        command.add_argument("--json", action="store_true", help="print the result for programs")
        command.add_argument(
            "--url", help="of the server; else SERVICE_COLLECTOR_ENDPOINT. The key is in SERVICE_API_KEY"
        )
    given = parser.parse_args(argv)
    _check(given)
    return given


def _check(given: argparse.Namespace) -> None:
    if not given.require:
        if given.command == "gate":
            raise usage_failure("--require is missing, such as --require \"mean('correctness') >= 0.8\".")
        for option in ("baseline", "junit", "markdown", "tag_on_pass"):
            if getattr(given, option) is not None:
                raise usage_failure(f"{_spelled(option)} needs a --require.")
    if given.command == "gate":
        return
    if (given.dataset is None) == (given.experiment is None):
        raise usage_failure("Either --dataset NAME for a new experiment, or --experiment ID to go on with one.")
    if given.experiment is not None:
        for option in OF_NEW:
            if getattr(given, option) is not None:
                raise usage_failure(f"{_spelled(option)} is for a new experiment: leave it out with --experiment.")
    elif (given.task is None) == (given.prompt is None):
        raise usage_failure("Either --task FILE or --prompt NAME: what is to be run on each example?")
    if (given.prompt is None) != (given.connection is None):
        raise usage_failure("--prompt and --connection go together: the server asks that model.")


def to_resume(given: argparse.Namespace) -> list[str]:
    """The arguments that go on with an experiment, but for its id."""
    words: list[str] = []
    for option, value in vars(given).items():
        if option in ("command", "experiment", *OF_NEW) or (option == "concurrency" and value == 5):
            continue
        if option == "evaluator" and given.prompt is not None:
            value = evaluator_files(given)  # the job of a prompt has those of the server
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                words.append(_spelled(option))
            elif one is not None and one is not False:
                words += [_spelled(option), str(one)]
    return words


def evaluator_files(given: argparse.Namespace) -> list[str]:
    return [one for one in given.evaluator or [] if not _NAME_ON_SERVER.fullmatch(one)]


def evaluator_names(given: argparse.Namespace) -> list[str]:
    """Names of evaluators of the server; everything else is a file."""
    return [one for one in given.evaluator or [] if _NAME_ON_SERVER.fullmatch(one)]


def _dollars(text: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        cost = 0.0
    if not 0 < cost < float("inf"):
        raise argparse.ArgumentTypeError("it takes US dollars")
    return cost


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("it takes a whole number from 1")
    return int(text)


def _spelled(option: str) -> str:
    return f"--{option.replace('_', '-')}"
