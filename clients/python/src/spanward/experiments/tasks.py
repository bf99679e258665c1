"""Calls functions of users with the arguments that they name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any


def arguments_of(function: Callable[..., Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """
    The facts that a function takes, by the names of its parameters. A function of one parameter with another name gets the
    example; with ``**kwargs`` it gets all.

    :raises TypeError: when it requires an unknown parameter
    """
    parameters = inspect.signature(function).parameters
    kinds = [parameter.kind for parameter in parameters.values()]
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return dict(facts)
    needed = [
        name
        for name, parameter in parameters.items()
        if parameter.default is inspect.Parameter.empty and parameter.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    unknown = [name for name in needed if name not in facts]
    if len(needed) == 1 and unknown:
        return {needed[0]: facts["output"] if "output" in facts else facts["example"]}
    if unknown:
        raise TypeError(f"{_name(function)} needs {', '.join(unknown)}; there is {', '.join(facts)}")
    return {name: facts[name] for name in parameters if name in facts}


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)
