"""What a person does in the browser that a program opens: looks at what it asks for, and allows it."""

import os
from urllib.parse import parse_qsl, urlsplit

import requests

from server_under_test import URL

# Of somebody who is logged in.
_SESSION = {"cookie": os.environ["SPANWARD_SESSION"]}


def approve(authorization_url):
    """The address that the browser is sent back to, with a code."""
    asked = requests.get(authorization_url, allow_redirects=False)
    query = urlsplit(asked.headers["location"]).query
    shown = requests.get(f"{URL}/oauth2/authorize/request?{query}", headers=_SESSION)
    assert shown.status_code == 200, shown.text
    decision = {**dict(parse_qsl(query)), "approved": True}
    decided = requests.post(f"{URL}/oauth2/authorize/decision", json=decision, headers={**_SESSION, "origin": URL})
    assert decided.status_code == 200, decided.text
    return decided.json()["redirect_to"]
