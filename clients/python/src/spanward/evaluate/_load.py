"""Tasks and evaluators of files."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ..experiments.evaluators import Evaluator, as_evaluators
from ._failures import usage_failure

_NAMED = re.compile(r"(.+\.py):(\w+)")
"""``file.py``, or ``file.py:name`` for something in it."""


def load_task(given: str) -> Callable[..., Any]:
    """
    The function ``task`` of a file, or the one that is named.

    :raises ProgramFailure: 64
    """
    file, name, module = _load(given, "--task")
    task = getattr(module, name or "task", None)
    if not callable(task):
        raise usage_failure(f"{file} has no function {name or 'task'}.")
    return task


def load_evaluators(given: str) -> list[Evaluator]:
    """
    The evaluators of a file: all that ``spanward.experiments.evaluator`` has made there, or the function or evaluator that is named.

    :raises ProgramFailure: 64
    """
    file, name, module = _load(given, "--evaluator")
    if name is not None:
        one = getattr(module, name, None)
        if not callable(one) and not isinstance(one, Evaluator):
            raise usage_failure(f"{file} has no evaluator {name}.")
        return as_evaluators([one])
    found = [value for value in vars(module).values() if isinstance(value, Evaluator)]
    if not found:
        raise usage_failure(f"{file} has no evaluator: they are made with @evaluator() of spanward.experiments.")
    return list({judge.name: judge for judge in found}.values())


def _load(given: str, option: str) -> tuple[str, str | None, ModuleType]:
    named = _NAMED.fullmatch(given)
    file, name = (named[1], named[2]) if named else (given, None)
    path = Path(file).resolve()
    if not path.is_file():
        raise usage_failure(f"{option}: there is no file {file}.")
    # What lies beside the file can be imported, as when Python runs it.
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"spanward_evaluate_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise usage_failure(f"{option}: {file} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise usage_failure(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    return file, name, module
