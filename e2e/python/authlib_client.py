"""The OAuth client of Authlib."""

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from person import approve
from server_under_test import URL

CALLBACK = "http://127.0.0.1:5125/callback"


def status(token):
    return requests.get(f"{URL}/v1/user", headers={"authorization": f"Bearer {token}"}).status_code


def test_code_with_pkce_refresh_and_revocation():
    server = requests.get(f"{URL}/.well-known/oauth-authorization-server").json()
    registered = requests.post(
        server["registration_endpoint"],
        json={"client_name": "of Authlib", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"},
    ).json()
    session = OAuth2Session(
        registered["client_id"],
        token_endpoint_auth_method=registered["token_endpoint_auth_method"],
        revocation_endpoint_auth_method="none",
        redirect_uri=CALLBACK,
        scope="read",
        code_challenge_method="S256",
        token_endpoint=server["token_endpoint"],
    )
    verifier = "authlib-" * 6
    address, state = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
    # It checks the state itself, and sends the verifier.
    token = session.fetch_token(authorization_response=approve(address), state=state, code_verifier=verifier)
    assert token["scope"] == "read", token
    assert session.get(f"{URL}/v1/projects").status_code == 200
    assert session.post(f"{URL}/v1/projects", json={"name": "of Authlib"}).status_code == 403

    # As it does by itself when a token has expired.
    renewed = session.refresh_token(server["token_endpoint"], refresh_token=token["refresh_token"])
    assert renewed["refresh_token"] != token["refresh_token"]
    assert session.get(f"{URL}/v1/user").status_code == 200

    assert session.revoke_token(server["revocation_endpoint"], token=renewed["refresh_token"]).status_code == 200
    assert [status(token["access_token"]), status(renewed["access_token"])] == [401, 401]
    try:
        session.refresh_token(server["token_endpoint"], refresh_token=renewed["refresh_token"])
    except OAuthError as error:
        assert error.error == "invalid_grant", error
    else:
        raise AssertionError("an authorization that has ended went on")
