"""Where the server of the running test is, and a plain way to read it."""

import json
import os
import urllib.parse
import urllib.request

URL = os.environ["SPANWARD_URL"]
GRPC_ADDRESS = os.environ["SPANWARD_GRPC_ADDRESS"]
_KEY = os.environ.get("PHOENIX_API_KEY")
# Lower case, as gRPC wants it.
HEADERS = {} if _KEY is None else {"authorization": f"Bearer {_KEY}"}


def read_spans(project):
    """The newest spans of a project over REST, as parsed JSON."""
    return _read(f"projects/{urllib.parse.quote(project)}/spans?limit=1000")


def read_annotations(project, of, ids, ids_are=None):
    """The annotations of spans, traces, sessions or documents by their ids, notes too."""
    query = urllib.parse.urlencode([("limit", 1000), *((ids_are or f"{of}_ids", one) for one in ids)])
    return _read(f"projects/{urllib.parse.quote(project)}/{of}_annotations?{query}")


def post(path, body=None):
    """Sends JSON, and returns what is in the answer's `data`."""
    headers = {**HEADERS, "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{URL}/v1/{path}", data=data, headers=headers, method="POST")
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]


def _read(path):
    with urllib.request.urlopen(urllib.request.Request(f"{URL}/v1/{path}", headers=HEADERS)) as response:
        return json.load(response)["data"]


def names(spans):
    return sorted(span["name"] for span in spans)
