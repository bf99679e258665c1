# Generated from _async by `npm run generate`.
from __future__ import annotations

import datetime
from typing import Any, List, Literal

from .._values import without_none
from .paging import Pages
from .resource import Resource

Role = Literal["ADMIN", "MEMBER", "VIEWER"]


class Users(Resource):
    """Accounts. All methods except ``me`` are for admins."""

    def me(self) -> Any:
        """Who the key belongs to."""
        return self._data("GET", "/v1/user")

    def list(self) -> Pages[Any]:
        return Pages(self._transport, "/v1/users")

    def create(
        self,
        *,
        username: str,
        email: str | None,
        role: Role,
        auth_method: Literal["LOCAL", "OAUTH2", "LDAP"] = "LOCAL",
        password: str | None = None,
        send_welcome_email: bool = True,
    ) -> Any:
        user = {"auth_method": auth_method, "username": username, "email": email, "role": role}
        body = {"user": user | without_none(password=password), "send_welcome_email": send_welcome_email}
        return self._data("POST", "/v1/users", body=body)

    def update(self, user_id: str, *, username: str | None = None, role: Role | None = None) -> Any:
        return self._data("PATCH", "/v1/users/{}", user_id, body=without_none(username=username, role=role))

    def delete(self, user_id: str) -> None:
        self._transport.call("DELETE", "/v1/users/{}", user_id)


class ApiKeys(Resource):
    """API keys. People create them in the web app; programs with a key can list and delete them."""

    def list_own(self) -> List[Any]:
        return self._data("GET", "/v1/user/api_keys")

    def list_all(self) -> Pages[Any]:
        """The keys of all users; for admins."""
        return Pages(self._transport, "/v1/users/api_keys")

    def delete(self, key_id: str) -> None:
        """Deletes a key of one's own; admins may delete anybody's."""
        self._transport.call("DELETE", "/v1/user/api_keys/{}", key_id)

    def create_system(
        self, name: str, *, description: str | None = None, expires_at: datetime.datetime | None = None
    ) -> Any:
        """Creates a system key; needs the admin secret as key. Only this answer contains the new key."""
        data = without_none(name=name, description=description, expires_at=expires_at)
        return self._data("POST", "/v1/system/api_keys", body={"data": data})

    def delete_system(self, key_id: str) -> None:
        self._transport.call("DELETE", "/v1/system/api_keys/{}", key_id)
