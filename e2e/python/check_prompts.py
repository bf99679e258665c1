"""Prompts, their versions and tags."""

from client_under_test import NotFound, PromptVersion, client, fails, unique

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


def test_every_provider():
    for provider in ("OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GOOGLE", "DEEPSEEK", "XAI", "AWS", "OLLAMA"):
        name = unique(f"provider-{provider.lower().replace('_', '-')}")
        client.prompts.create(name=name, version=version("some-model", model_provider=provider))
        read = client.prompts.get(prompt_identifier=name)
        assert read._model_provider == provider
