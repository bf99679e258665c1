"""Evaluators, which judge the output of a task."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Union

Kind = Literal["CODE", "LLM", "HUMAN", "AGENT", "DECISION"]


@dataclass(frozen=True)
class Evaluator:
    """
    Computes a metric of one run. ``evaluate`` takes any of ``input``, ``output``, ``expected``, ``metadata``, ``example``,
    ``trace_id`` by name, and answers a score, a label, a truth, or a dictionary with ``score``, ``label``, ``explanation``, ``metadata``.
    """

    name: str
    evaluate: Callable[..., Any]
    kind: Kind = "CODE"


Evaluators = Union[
    Sequence[Union[Evaluator, Callable[..., Any], str]], Mapping[str, Union[Evaluator, Callable[..., Any]]]
]
"""Also names of evaluators of the server: ``server:correctness``."""

_ON_SERVER = "server:"


def evaluator(name: str | None = None, *, kind: Kind = "CODE") -> Callable[[Callable[..., Any]], Evaluator]:
    """Decorator that makes a function an evaluator, by default with the function's name."""
    return lambda function: Evaluator(name or _name(function), function, kind)


def as_evaluators(given: Evaluators) -> list[Evaluator]:
    """Those that run in this program."""
    if isinstance(given, Mapping):
        return [replace(_as_evaluator(one, name), name=name) for name, one in given.items()]
    return [_as_evaluator(one) for one in given if not isinstance(one, str)]


def names_on_server(given: Evaluators) -> list[str]:
    """
    Those that the server runs.

    :raises ValueError: for another text
    """
    texts = [] if isinstance(given, Mapping) else [one for one in given if isinstance(one, str)]
    for text in texts:
        if not text.startswith(_ON_SERVER):
            raise ValueError(f"an evaluator of the server is named as server:{text}")
    return [text.removeprefix(_ON_SERVER) for text in texts]


def _as_evaluator(given: Evaluator | Callable[..., Any], name: str | None = None) -> Evaluator:
    return given if isinstance(given, Evaluator) else Evaluator(name or _name(given), given)


def to_result(answer: Any) -> dict[str, Any]:
    """An evaluator's answer in the form that is stored.

    :raises TypeError: for an invalid answer
    """
    if isinstance(answer, bool):
        return {"score": float(answer), "label": str(answer).lower()}
    if isinstance(answer, str):
        return {"label": answer}
    if isinstance(answer, dict):
        unknown = answer.keys() - {"score", "label", "explanation", "metadata"}
        if unknown:
            raise TypeError(
                f"an evaluator answers score, label, explanation and metadata, not {', '.join(sorted(unknown))}"
            )
        return answer
    try:
        return {"score": float(answer)}
    except (TypeError, ValueError):
        raise TypeError(
            f"an evaluator answers a number, a text, a truth or a dictionary, not {type(answer).__name__}"
        ) from None


def _exact_match(output: Any, expected: dict[str, Any]) -> bool:
    members = list(expected.values())
    is_plain = not isinstance(output, (dict, list))
    return output == (members[0] if len(members) == 1 and is_plain else expected)


def _is_json(output: Any) -> bool:
    if not isinstance(output, str):
        return True
    try:
        json.loads(output)
    except ValueError:
        return False
    return True


exact_match = Evaluator("exact_match", _exact_match)
"""1 when the output is equal to what is expected (or to its only member, such as ``{"answer": "…"}``), else 0."""

is_json = Evaluator("is_json", _is_json)
"""1 when the output is not a text, or a text of valid JSON."""


def contains(words: str | Sequence[str], name: str = "contains") -> Evaluator:
    """1 when the text of the output contains all of these words, ignoring case."""
    wanted = [word.lower() for word in ([words] if isinstance(words, str) else words)]
    return Evaluator(name, lambda output: all(word in _text(output).lower() for word in wanted))


def matches(pattern: str | re.Pattern[str], name: str = "matches") -> Evaluator:
    """1 when a part of the output's text matches."""
    compiled = re.compile(pattern)
    return Evaluator(name, lambda output: compiled.search(_text(output)) is not None)


def _text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str)


def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "")
    if name in ("", "<lambda>"):
        raise ValueError("this evaluator needs a name, which is that of the metric: evaluator('name')(function)")
    return name
