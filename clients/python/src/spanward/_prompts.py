"""Prompts as applications use them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from . import types

_PATTERNS = {"MUSTACHE": re.compile(r"\{\{\s*([\w.-]+)\s*\}\}"), "F_STRING": re.compile(r"\{(\w+)\}")}


class PromptVersion:
    """A version of a prompt. ``data`` is what the server answered."""

    def __init__(self, data: types.PromptVersion) -> None:
        self.data: Any = data

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def model_name(self) -> str:
        return self.data["model_name"]

    @property
    def model_provider(self) -> str:
        return self.data["model_provider"]

    @property
    def invocation_parameters(self) -> dict[str, Any]:
        """Those of the model, such as ``{"temperature": 0}``."""
        parameters = self.data["invocation_parameters"]
        return dict(parameters[parameters["type"]])

    @property
    def variables(self) -> list[str]:
        """Names of the variables in the template, in the order of their first occurrence."""
        pattern = _PATTERNS.get(self.data["template_format"])
        texts = [text for message in self.data["template"]["messages"] for text in _texts(message["content"])]
        found = [name for text in texts for name in (pattern.findall(text) if pattern else [])]
        return list(dict.fromkeys(found))

    def format(self, variables: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The messages with the variables filled in, as chat APIs take them.

        :raises KeyError: when a variable of the template is not given
        """
        given = dict(variables or {})
        missing = [name for name in self.variables if name not in given]
        if missing:
            raise KeyError(f"the prompt needs {', '.join(missing)}")
        pattern = _PATTERNS.get(self.data["template_format"])

        def fill(text: str) -> str:
            return pattern.sub(lambda match: str(given[match.group(1)]), text) if pattern else text

        return [
            {"role": message["role"], "content": _fill(message["content"], fill)}
            for message in self.data["template"]["messages"]
        ]

    def span_attributes(self) -> dict[str, str]:
        """Attributes for a span that uses this version, by which the prompt's page finds it."""
        return {"llm.prompt_template.version": self.id}

    def __repr__(self) -> str:
        return f"PromptVersion(id={self.id!r}, model_name={self.model_name!r})"


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if part["type"] == "text"]


def _fill(content: Any, fill: Any) -> Any:
    if isinstance(content, str):
        return fill(content)
    return [part | {"text": fill(part["text"])} if part["type"] == "text" else part for part in content]
