"""The official Python client of the Model Context Protocol."""

import asyncio
import os
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from mcp.types import PromptReference

from person import approve
from server_under_test import HEADERS, URL

MCP = f"{URL}/mcp"
PROJECT = os.environ["SPANWARD_PROJECT"]
TRACE = os.environ["SPANWARD_TRACE"]
CALLBACK = "http://127.0.0.1:5126/callback"


async def use_everything(mode):
    async with (
        httpx2.AsyncClient(headers=HEADERS) as http,
        Client(streamable_http_client(MCP, http_client=http), mode=mode) as client,
    ):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["get_trace"].annotations.read_only_hint, tools["get_trace"]
        # The client checks the data of an answer against the tool's own schema.
        answer = await client.call_tool("get_trace", {"project": PROJECT, "trace_id": TRACE})
        assert not answer.is_error, answer
        assert answer.structured_content["trace"]["trace_id"] == TRACE, answer
        assert TRACE in answer.content[0].text, answer
        wrong = await client.call_tool("get_trace", {"project": PROJECT, "trace_id": "0" * 32})
        assert wrong.is_error and "not found" in wrong.content[0].text, wrong

        templates = [each.uri_template for each in (await client.list_resource_templates()).resource_templates]
        assert "spanward://project/{name}/trace/{trace_id}" in templates, templates
        read = await client.read_resource(f"spanward://project/{PROJECT}/trace/{TRACE}")
        assert TRACE in read.contents[0].text, read

        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert "debug_trace" in prompts, prompts
        said = await client.get_prompt("debug_trace", {"project": PROJECT, "trace_id": TRACE})
        assert TRACE in said.messages[0].content.text, said
        argument = {"name": "project", "value": PROJECT[:3]}
        completed = await client.complete(PromptReference(type="ref/prompt", name="debug_trace"), argument)
        assert PROJECT in completed.completion.values, completed


def test_a_client_of_the_newest_revision():
    asyncio.run(use_everything("auto"))


def test_a_client_of_earlier_revisions():
    asyncio.run(use_everything("legacy"))


class Memory:
    """Where the client keeps what it was given."""

    tokens = None
    client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


def test_logs_in_by_itself():
    asyncio.run(log_in())


async def log_in():
    answers = []

    async def open_browser(address):
        answers.append(parse_qs(urlsplit(approve(address)).query))

    async def wait_for_browser():
        answer = {name: values[0] for name, values in answers[-1].items()}
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    memory = Memory()
    provider = OAuthClientProvider(
        server_url=MCP,
        client_metadata=OAuthClientMetadata(client_name="of mcp", redirect_uris=[CALLBACK]),
        storage=memory,
        redirect_handler=open_browser,
        callback_handler=wait_for_browser,
    )
    async with (
        httpx2.AsyncClient(auth=provider) as http,
        Client(streamable_http_client(MCP, http_client=http)) as client,
    ):
        # It asks for what the challenge names.
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert "get_trace" in tools and "annotate" not in tools, tools
        assert not (await client.call_tool("list_projects", {})).is_error
        assert len(answers) == 1, answers
        assert memory.tokens.scope == "read", memory.tokens
