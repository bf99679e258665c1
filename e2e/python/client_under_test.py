"""The client that the checks of this folder (check_*.py) run with. CLIENT_UNDER_TEST says which: a name of CLIENTS.

A check calls `client` as the sync client is called; what is awaitable is awaited for it. Which public functions exist is
found by looking at the client, so that one without a check is noticed.
"""

import asyncio
import inspect
import os
import time
import zlib
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import httpx

from server_under_test import URL

NAME = os.environ.get("CLIENT_UNDER_TEST", "phoenix")
KEY = os.environ.get("PHOENIX_API_KEY")
ADMIN_KEY = os.environ.get("SPANWARD_ADMIN_KEY")
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
# Ids that no other client uses on the same server.
_OFFSET = zlib.crc32(NAME.encode()) << 24


def _phoenix(key):
    from phoenix.client import Client

    return _of_phoenix(Client(base_url=URL, api_key=key), is_async=False)


def _phoenix_async(key):
    from phoenix.client import AsyncClient

    return _of_phoenix(AsyncClient(base_url=URL, api_key=key), is_async=True)


def _of_phoenix(client, *, is_async):
    from phoenix.client import exceptions, experiments
    from phoenix.client.helpers import spans as helpers
    from phoenix.client.types import PromptVersion
    from phoenix.client.types.spans import SpanQuery

    def functions(module):
        """Those that take a client come in two forms."""
        names = set(module.__all__)
        other = {name.removeprefix("async_") for name in names if name.startswith("async_")} if is_async else {
            name for name in names if name.startswith("async_")
        }
        return module, sorted(names - other)

    return SimpleNamespace(
        client=client,
        functions={"experiments module": functions(experiments), "span helpers": functions(helpers)},
        NotFound=ValueError,
        PromptVersion=PromptVersion,
        RefusedError=httpx.HTTPStatusError,
        SpanCreationError=exceptions.SpanCreationError,
        SpanQuery=SpanQuery,
        status_of=lambda error: error.response.status_code,
        frames_by_get=False,
        tells_unstored=False,
    )


def _spanward_async(key):
    from spanward import AsyncClient

    return _of_spanward(AsyncClient(URL, api_key=key or ""))


def _of_spanward(client):
    import spanward
    import spanward_adapter as adapter

    helpers = ["dataframe_to_spans", "get_input_output_context", "get_retrieved_documents"]
    runs = ["create_evaluator", "evaluate_experiment", "get_experiment", "resume_evaluation", "resume_experiment"]
    return SimpleNamespace(
        client=adapter.Adapter(client),
        functions={
            "experiments module": (adapter, [*runs, "run_experiment"]),
            "span helpers": (adapter, [*helpers, "uniquify_spans", "uniquify_spans_dataframe"]),
        },
        NotFound=spanward.NotFound,
        PromptVersion=adapter.PromptVersion,
        RefusedError=spanward.ApiError,
        SpanCreationError=adapter.SpanCreationError,
        SpanQuery=adapter.SpanQuery,
        status_of=lambda error: error.status,
        frames_by_get=True,
        tells_unstored=True,
    )


CLIENTS = {
    "phoenix": _phoenix,
    "phoenix_async": _phoenix_async,
    "spanward_async": _spanward_async,
}
_RESOURCES = ("projects", "spans", "traces", "sessions", "datasets", "experiments", "prompts")
_loop = asyncio.new_event_loop()

#: The public functions that were called: `spans.get_spans`, `experiments module.run_experiment`.
called = set()


class Recorded:
    """A client, a part of one or a module, which notes what is called of it and waits for what is awaitable."""

    def __init__(self, target, path=()):
        self._target = target
        self._path = path

    def __getattr__(self, name):
        value = getattr(self._target, name)
        path = (*self._path, name)
        if inspect.isclass(value) or not (callable(value) or _is_part(value)):
            return value
        if not callable(value):
            return Recorded(value, path)

        def call(*arguments, **options):
            called.add(".".join(path))
            result = value(*arguments, **options)
            return _loop.run_until_complete(result) if inspect.isawaitable(result) else result

        return call


def _is_part(value):
    return type(value).__module__.split(".")[0] in ("phoenix", "spanward_adapter") and not isinstance(value, (str, int))


def public_functions():
    """Every public function of the client, as `called` names it."""
    found = []

    def look(part, path):
        for name, value in inspect.getmembers(part):
            if name.startswith("_"):
                continue
            if callable(value):
                found.append(".".join((*path, name)))
            elif _is_part(value):
                look(value, (*path, name))

    for resource in _RESOURCES:
        look(getattr(_made.client, resource), (resource,))
    for path, (_, names) in _made.functions.items():
        found.extend(f"{path}.{name}" for name in names)
    return sorted(found)


def connect(key):
    return Recorded(CLIENTS[NAME](key).client)


_made = CLIENTS[NAME](KEY)
#: The client itself, which functions of the modules take.
raw_client = _made.client
client = Recorded(raw_client)
PromptVersion, SpanCreationError, SpanQuery = _made.PromptVersion, _made.SpanCreationError, _made.SpanQuery
#: What is raised for a thing that is not there, and for what the server refuses.
NotFound, RefusedError = _made.NotFound, _made.RefusedError
#: Whether data frames are read by GET, which viewers may.
FRAMES_BY_GET = _made.frames_by_get
#: Whether an experiment tells what of it could not be stored; the released client goes on.
TELLS_UNSTORED = _made.tells_unstored
#: With the rights of an admin, also where `client` has those of a member.
admin = connect(ADMIN_KEY) if ADMIN_KEY else client
MAY_ADMINISTRATE = KEY is None or ADMIN_KEY is None


def module_function(path, name):
    """A function of a module of the client: `module_function("experiments module", "run_experiment")`, sync or async."""
    module, names = _made.functions[path]
    found = f"async_{name}" if f"async_{name}" in names else name
    return getattr(Recorded(module, (path,)), found)


def unique(name):
    """A name that no other client uses on the same server."""
    return f"{NAME.replace('_', '-')}-{name}"


def span_id(number):
    return f"{_OFFSET + number:016x}"


def trace_id(number):
    return f"{_OFFSET + number:032x}"


def make_span(number, name, *, trace=1, parent=None, kind="CHAIN", status="OK", attributes=None):
    return {
        "name": name,
        "context": {"trace_id": trace_id(trace), "span_id": span_id(number)},
        "span_kind": kind,
        "parent_id": None if parent is None else span_id(parent),
        "start_time": (START + timedelta(seconds=number)).isoformat(),
        "end_time": (START + timedelta(seconds=number + 2)).isoformat(),
        "status_code": status,
        "status_message": "",
        "attributes": attributes or {},
        "events": [],
    }


def log_spans(project, *spans):
    result = client.spans.log_spans(project_identifier=project, spans=list(spans))
    assert result["total_received"] == result["total_queued"] == len(spans), result


def wait_for(read):
    """What `read` answers once it is something."""
    end = time.monotonic() + 20
    while not (found := read()):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.1)
    return found


def fails(call, *kinds):
    try:
        call()
    except kinds as error:
        return error
    raise AssertionError(f"expected one of {kinds}")


def status_of(call):
    """The status with which a call is refused."""
    return refusal_status(fails(call, RefusedError))


def refusal_status(error):
    return _made.status_of(error)
