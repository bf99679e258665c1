from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from .._sync.client import Client
from .. import types
from ._failures import NOT_FINISHED, NOT_PASSED, PASSED

_WORDS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def gate(client: Client, experiment_id: str, given: argparse.Namespace) -> int:
    """Asks whether an experiment passes, writes the reports, and sets the tag. The exit code."""
    options: dict[str, Any] = {
        "baseline": given.baseline,
        "baseline_optional": given.baseline_optional,
        "allow_incomplete": given.allow_incomplete,
    }
    answer = client.experiments.gate(experiment_id, given.require, **options)
    for format in ("junit", "markdown"):
        file = getattr(given, format)
        if file is not None:
            report = client.experiments.gate_report(experiment_id, given.require, format=format, **options)
            Path(file).write_text(report, encoding="utf-8")
    print(json.dumps(answer) if given.json else "\n".join(_describe(answer)), flush=True)
    if answer["passed"] and given.tag_on_pass is not None:
        client.experiments.tag(experiment_id, given.tag_on_pass)
        say(f"The experiment now has the tag {given.tag_on_pass}.")
    return _exit_code_of(answer)


def _exit_code_of(answer: types.ExperimentGate) -> int:
    if answer["passed"]:
        return PASSED
    has_failed = any(problem["code"] != "incomplete" for problem in answer["problems"]) or any(
        one["outcome"] == "failed" for one in answer["requirements"]
    )
    return NOT_PASSED if has_failed else NOT_FINISHED


def _describe(answer: types.ExperimentGate) -> list[str]:
    """The result in lines for people."""
    requirements = answer["requirements"]
    width = max(len(one_line(one["requirement"])) for one in requirements)
    lines = [f"{'Gate passed' if answer['passed'] else 'Gate not passed'}: {answer['url']}"]
    lines += [f"  {one_line(problem['message'])}" for problem in answer["problems"]]
    lines += [
        f"  {_WORDS[one['outcome']]:<8} {one_line(one['requirement']):<{width}}  {one_line(one['message'])}".rstrip()
        for one in requirements
    ]
    if answer["regressions"]:
        lines.append("Largest regressions:")
    for loss in answer["regressions"]:
        example = one_line(loss["external_id"] or loss["example_id"])
        scores = f"{loss['baseline_value']:.6g} before, {loss['value']:.6g} now"
        lines.append(f"  {example}: {one_line(loss['metric'])} {scores}: {loss['url']}")
    return lines


def one_line(text: str) -> str:
    """A text of others in one line; what could steer a terminal or the log of a build is escaped."""
    return _UNSEEN.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", " ".join(text.split()))


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
