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
    address = f"{URL}/v1/projects/{urllib.parse.quote(project)}/spans?limit=1000"
    with urllib.request.urlopen(urllib.request.Request(address, headers=HEADERS)) as response:
        return json.load(response)["data"]


def names(spans):
    return sorted(span["name"] for span in spans)
