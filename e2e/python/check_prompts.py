"""Prompts, their versions and tags."""

import httpx

from client_under_test import KEY, NotFound, PromptVersion, client, fails, unique
from server_under_test import URL

MESSAGES = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "{{question}}"}]


def version(model="gpt-4o-mini", **options):
    return PromptVersion(MESSAGES, model_name=model, **options)


def test_prompt_and_its_versions():
    name = unique("prompt")
    first = client.prompts.create(
        name=name, version=version(description="first"), prompt_description="short answers", prompt_metadata={"team": "a"}
    )
    second = client.prompts.create(name=name, version=version("gpt-4o"))
    assert first.id and second.id and first.id != second.id
    latest = client.prompts.get(prompt_identifier=name)
    assert latest.id == second.id
    formatted = latest.format(variables={"question": "Why?"})
    assert formatted["model"] == "gpt-4o", dict(formatted)
    assert formatted["messages"][1]["content"] == "Why?", dict(formatted)
    assert client.prompts.get(prompt_version_id=first.id).format(variables={"question": "x"})["model"] == "gpt-4o-mini"
    updated = client.prompts.update(prompt_identifier=name, prompt_description="changed", prompt_metadata={"team": "b"})
    assert updated["description"] == "changed", updated
    client.prompts.delete(prompt_identifier=name)
    fails(lambda: client.prompts.get(prompt_identifier=name), NotFound)


def test_tags():
    name = unique("tagged")
    first = client.prompts.create(name=name, version=version())
    second = client.prompts.create(name=name, version=version("gpt-4o"))
    client.prompts.tags.create(prompt_version_id=first.id, name="production", description="what runs")
    assert client.prompts.get(prompt_identifier=name, tag="production").id == first.id
    client.prompts.tags.create(prompt_version_id=second.id, name="production")
    assert client.prompts.get(prompt_identifier=name, tag="production").id == second.id
    client.prompts.tags.create(prompt_version_id=second.id, name="staging")
    tags = client.prompts.tags.list(prompt_version_id=second.id)
    assert sorted(tag["name"] for tag in tags) == ["production", "staging"], tags
    assert client.prompts.tags.list(prompt_version_id=first.id) == []


def test_parameters_tools_and_formats_come_back():
    function = {
        "name": "look_up",
        "description": "Looks up",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
    parameters = {
        "model": "gpt-4o-mini",
        "temperature": 0.5,
        "messages": [{"role": "user", "content": "{{question}}"}],
        "tools": [{"type": "function", "function": function}],
        "tool_choice": "auto",
    }
    name = unique("tools")
    client.prompts.create(name=name, version=PromptVersion.from_openai(parameters))
    formatted = client.prompts.get(prompt_identifier=name).format(variables={"question": "x"})
    assert formatted["temperature"] == 0.5 and formatted["tool_choice"] == "auto", dict(formatted)
    assert formatted["tools"][0]["function"]["name"] == "look_up", dict(formatted)


def test_e28_what_the_playground_saves():
    """The page saves a variant as it is written out, with a tag."""
    call = {"type": "tool_call", "tool_call_id": "c1", "tool_call": {"type": "function", "name": "look_up", "arguments": "{}"}}
    result = {"type": "tool_result", "tool_call_id": "c1", "tool_result": "sunny"}
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    saved = {
        "model_provider": "OPENAI",
        "model_name": "gpt-4o",
        "template_type": "CHAT",
        "template_format": "MUSTACHE",
        "template": {
            "type": "chat",
            "messages": [
                {"role": "system", "content": "Be short."},
                {"role": "user", "content": [{"type": "text", "text": "Weather in {{city}}?"}]},
                {"role": "assistant", "content": [call]},
                {"role": "tool", "content": [result]},
            ],
        },
        "invocation_parameters": {"type": "openai", "openai": {"temperature": 0.2, "max_completion_tokens": 50}},
        "tools": {
            "type": "tools",
            "tools": [{"type": "function", "function": {"name": "look_up", "parameters": schema}}],
            "tool_choice": {"type": "zero_or_more"},
        },
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
    }
    name = unique("playground")
    client.prompts.create(name=name, version=version())
    headers = {"authorization": f"Bearer {KEY}"} if KEY else {}
    body = {"version": saved, "tags": [{"name": "staging"}]}
    httpx.post(f"{URL}/v1/prompts/{name}/versions", json=body, headers=headers).raise_for_status()
    read = client.prompts.get(prompt_identifier=name, tag="staging")
    formatted = dict(read.format(variables={"city": "Oslo"}))
    assert formatted["model"] == "gpt-4o" and formatted["temperature"] == 0.2, formatted
    assert formatted["max_completion_tokens"] == 50, formatted
    assert [message["role"] for message in formatted["messages"]] == ["system", "user", "assistant", "tool"], formatted
    assert "Weather in Oslo?" in str(formatted["messages"][1]["content"]), formatted
    assert formatted["messages"][2]["tool_calls"][0]["id"] == formatted["messages"][3]["tool_call_id"] == "c1", formatted
    assert formatted["tools"][0]["function"]["parameters"] == schema, formatted
    assert formatted["tool_choice"] == "auto", formatted
    assert formatted["response_format"]["json_schema"]["schema"] == schema, formatted


def test_every_provider():
    for provider in ("OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GOOGLE", "DEEPSEEK", "XAI", "AWS", "OLLAMA"):
        name = unique(f"provider-{provider.lower().replace('_', '-')}")
        client.prompts.create(name=name, version=version("some-model", model_provider=provider))
        read = client.prompts.get(prompt_identifier=name)
        assert read._model_provider == provider
