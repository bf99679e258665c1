"""Prompts in the form for applications."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from . import types
from ._values import without_none

# The name is a group; what matches without one is an escaped brace.
_PATTERNS = {
    "MUSTACHE": re.compile(r"\{\{\s*([\w.-]+)\s*\}\}"),
    # As in Python, where a conversion and a format may follow the name.
    "F_STRING": re.compile(r"\{\{|\}\}|\{([\w.-]+)(?:![rsa])?(?::[^{}]*)?\}"),
}

_CHOICES = {"none": "none", "zero_or_more": "auto", "one_or_more": "required"}


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
        """The model's parameters, such as ``{"temperature": 0}``."""
        parameters = self.data["invocation_parameters"]
        return dict(parameters[parameters["type"]])

    @property
    def variables(self) -> list[str]:
        """Names of the variables in the template, in the order of their first occurrence."""
        pattern = _PATTERNS.get(self.data["template_format"])
        texts = [text for message in self.data["template"]["messages"] for text in _texts(message["content"])]
        found = [name for text in texts for name in (pattern.findall(text) if pattern else [])]
        return [name for name in dict.fromkeys(found) if name != ""]

    def format(self, variables: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The messages with the variables filled in, as chat APIs take them.

        Texts are inserted as they are, everything else as JSON; a message of one text has it as its content. ``a.b``
        is the variable of that name, else ``b`` of the variable ``a``. What is inserted is not read again.

        :raises KeyError: when a variable of the template is not given
        :raises TypeError: when a value cannot be written as JSON
        """
        given = dict(variables or {})
        values = {name: _find(given, name) for name in self.variables}
        missing = [name for name, value in values.items() if value is _MISSING]
        if missing:
            raise KeyError(f"the prompt needs {', '.join(missing)}")
        pattern = _PATTERNS.get(self.data["template_format"])

        def insert(match: re.Match[str]) -> str:
            return match[0][1:] if match[1] is None else _written(values[match[1]])

        def fill(text: str) -> str:
            return pattern.sub(insert, text) if pattern else text

        return [
            {"role": message["role"], "content": _fill(message["content"], fill)}
            for message in self.data["template"]["messages"]
        ]

    def to_openai(self, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Arguments for OpenAI's chat completions and compatible APIs: ``OpenAI().chat.completions.create(**…)``."""
        called: dict[str, Any] = {"model": self.model_name, "messages": _to_openai_messages(self.format(variables))}
        called |= self.invocation_parameters
        tools = self.data.get("tools")
        if tools is not None:
            called["tools"] = [tool if tool["type"] == "function" else tool["raw"] for tool in tools["tools"]]
            choice = tools.get("tool_choice")
            if choice is not None:
                is_named = choice["type"] == "specific_function"
                named = {"type": "function", "function": {"name": choice.get("function_name")}}
                called["tool_choice"] = named if is_named else _CHOICES[choice["type"]]
            if tools.get("disable_parallel_tool_calls"):
                called["parallel_tool_calls"] = False
        if self.data.get("response_format") is not None:
            called["response_format"] = self.data["response_format"]
        return called

    def span_attributes(self) -> dict[str, str]:
        """Attributes for a span that uses this version, by which the prompt's page finds it."""
        return {"llm.prompt_template.version": self.id}

    def __repr__(self) -> str:
        return f"PromptVersion(id={self.id!r}, model_name={self.model_name!r})"


_MISSING = object()


def _find(variables: Mapping[str, Any], name: str) -> Any:
    """Of the variable with this name, else by the path."""
    if name in variables:
        return variables[name]
    value: Any = variables
    for key in name.split("."):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, (list, tuple)) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return _MISSING
    return value


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if part["type"] == "text"]


def _fill(content: Any, fill: Any) -> Any:
    if isinstance(content, str):
        return fill(content)
    parts = [part | {"text": fill(part["text"])} if part["type"] == "text" else part for part in content]
    return parts[0]["text"] if len(parts) == 1 and parts[0]["type"] == "text" else parts


def from_openai(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments for creating a prompt, from arguments of OpenAI's chat completions."""
    rest = dict(parameters)
    created: dict[str, Any] = {
        "model_name": rest.pop("model"),
        "messages": [part for message in rest.pop("messages") for part in _from_openai_message(message)],
    }
    tools = without_none(tool_choice=_from_openai_choice(rest.pop("tool_choice", None)))
    if rest.pop("parallel_tool_calls", None) is False:
        tools["disable_parallel_tool_calls"] = True
    given = rest.pop("tools", None)
    if given:
        created["tools"] = {"type": "tools", "tools": list(given), **tools}
    if "response_format" in rest:
        created["response_format"] = rest.pop("response_format")
    return created | {"invocation_parameters": rest}


def _from_openai_choice(choice: Any) -> dict[str, str] | None:
    if choice is None:
        return None
    if isinstance(choice, str):
        return {"type": next(ours for ours, theirs in _CHOICES.items() if theirs == choice)}
    return {"type": "specific_function", "function_name": choice["function"]["name"]}


def _from_openai_message(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    role, content = message["role"], message.get("content")
    if role == "tool":
        result = {"type": "tool_result", "tool_call_id": message["tool_call_id"], "tool_result": content}
        return [{"role": "tool", "content": [result]}]
    calls = [
        {"type": "tool_call", "tool_call_id": call["id"], "tool_call": {"type": "function", **call["function"]}}
        for call in message.get("tool_calls") or []
    ]
    if not calls:
        return [{"role": role, "content": content}]
    texts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])
    return [{"role": role, "content": [*texts, *calls]}]


def _to_openai_messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    converted: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        parts = content if isinstance(content, list) else []
        calls = [
            {
                "id": part["tool_call_id"],
                "type": "function",
                "function": {"name": part["tool_call"]["name"], "arguments": part["tool_call"]["arguments"]},
            }
            for part in parts
            if part["type"] == "tool_call"
        ]
        texts = [part for part in parts if part["type"] == "text"]
        for part in parts:
            if part["type"] == "tool_result":
                result = part["tool_result"]
                text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
                converted.append({"role": "tool", "tool_call_id": part["tool_call_id"], "content": text})
        if isinstance(content, str) or texts or calls:
            said = content if isinstance(content, str) else texts or None
            converted.append({"role": message["role"], "content": said} | ({"tool_calls": calls} if calls else {}))
    return converted
