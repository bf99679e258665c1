# Generated from _async by `npm run generate`.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import types
from .._prompts import PromptVersion, from_openai
from .._values import without_none
from .paging import Pages
from .resource import Resource


class Prompts(Resource):
    """Prompts; ``prompt`` is a name or an id."""

    def list(self, *, name_contains: str | None = None, tag: str | None = None) -> Pages[types.Prompt]:
        """Newest first; ``tag``: only prompts that have a version with this tag."""
        return Pages(self._transport, "/v1/prompts", params={"name_contains": name_contains, "tag": tag})

    def get(self, prompt: str, *, tag: str | None = None) -> PromptVersion:
        """The newest version, or the one with this tag."""
        if tag is None:
            return PromptVersion(self._data("GET", "/v1/prompts/{}/latest", prompt))
        return PromptVersion(self._data("GET", "/v1/prompts/{}/tags/{}", prompt, tag))

    def get_version(self, version_id: str) -> PromptVersion:
        return PromptVersion(self._data("GET", "/v1/prompt_versions/{}", version_id))

    def create(
        self,
        name: str,
        *,
        messages: Sequence[Mapping[str, Any]],
        model_provider: str,
        model_name: str,
        description: str | None = None,
        version_description: str | None = None,
        template_format: str = "MUSTACHE",
        invocation_parameters: Mapping[str, Any] | None = None,
        tools: Mapping[str, Any] | None = None,
        response_format: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
    ) -> PromptVersion:
        """A version of the prompt, which is made when there is none of the name. ``invocation_parameters`` are the model's, such as ``{"temperature": 0}``."""
        version = _version(
            messages,
            model_provider,
            model_name,
            template_format,
            invocation_parameters,
            tools,
            response_format,
            version_description,
        )
        prompt = without_none(name=name, description=description, metadata=metadata)
        created = PromptVersion(self._data("POST", "/v1/prompts", body={"prompt": prompt, "version": version}))
        for tag in tags:
            self.tag(created.id, tag)
        return created

    def create_from_openai(
        self,
        name: str,
        parameters: Mapping[str, Any],
        *,
        model_provider: str = "OPENAI",
        description: str | None = None,
        version_description: str | None = None,
        template_format: str = "MUSTACHE",
        tags: Sequence[str] = (),
    ) -> PromptVersion:
        """A version that is what OpenAI's chat completions are called with: ``model``, ``messages``, ``tools``, ``temperature``, …."""
        return self.create(
            name,
            **from_openai(parameters),
            model_provider=model_provider,
            description=description,
            version_description=version_description,
            template_format=template_format,
            tags=tags,
        )

    def update(
        self, prompt: str, *, description: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> types.Prompt:
        body = without_none(description=description, metadata=metadata)
        return self._data("PATCH", "/v1/prompts/{}", prompt, body=body)

    def delete(self, prompt: str) -> None:
        """Deletes the prompt with all its versions."""
        self._transport.call("DELETE", "/v1/prompts/{}", prompt)

    def versions(self, prompt: str) -> Pages[types.PromptVersion]:
        """Newest first."""
        return Pages(self._transport, "/v1/prompts/{}/versions", prompt)

    def tag(self, version_id: str, name: str, *, description: str | None = None) -> None:
        """Sets the tag, and takes it from any other version of the prompt."""
        body = without_none(name=name, description=description)
        self._transport.call("POST", "/v1/prompt_versions/{}/tags", version_id, body=body)

    def tags(self, version_id: str) -> Pages[types.PromptVersionTag]:
        return Pages(self._transport, "/v1/prompt_versions/{}/tags", version_id)

    def diff(self, version_id: str, *, against: str) -> Any:
        """The differences between two versions."""
        return self._data("GET", "/v1/prompt_versions/{}/diff", version_id, params={"against": against})


_VARIANTS = {"AZURE_OPENAI": "azure_openai", "ANTHROPIC": "anthropic", "GOOGLE": "google", "AWS": "aws"}


def _version(
    messages: Sequence[Mapping[str, Any]],
    provider: str,
    model: str,
    template_format: str,
    parameters: Mapping[str, Any] | None,
    tools: Mapping[str, Any] | None,
    response_format: Mapping[str, Any] | None,
    description: str | None,
) -> dict[str, Any]:
    variant = _VARIANTS.get(provider, provider.lower())
    return without_none(
        description=description,
        model_provider=provider,
        model_name=model,
        template_type="CHAT",
        template_format=template_format,
        template={"type": "chat", "messages": list(messages)},
        invocation_parameters={"type": variant, variant: dict(parameters or {})},
        tools=tools,
        response_format=response_format,
    )
