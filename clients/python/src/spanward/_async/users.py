from __future__ import annotations

import datetime
from typing import Any, List, Literal

from .._values import without_none
from .paging import AsyncPages
from .resource import AsyncResource

Role = Literal["ADMIN", "MEMBER", "VIEWER"]


class AsyncUsers(AsyncResource):
    """Accounts. All methods except ``me`` are for admins."""

    async def me(self) -> Any:
        """Who the key belongs to."""
        return await self._data("GET", "/v1/user")

    def list(self) -> AsyncPages[Any]:
        return AsyncPages(self._transport, "/v1/users")

    async def create(
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
        return await self._data("POST", "/v1/users", body=body)

    async def update(self, user_id: str, *, username: str | None = None, role: Role | None = None) -> Any:
        return await self._data("PATCH", "/v1/users/{}", user_id, body=without_none(username=username, role=role))

    async def delete(self, user_id: str) -> None:
        await self._transport.call("DELETE", "/v1/users/{}", user_id)


class AsyncApiKeys(AsyncResource):
    """API keys. People create them in the web app; programs with a key can list and delete them."""

    async def list_own(self) -> List[Any]:
        return await self._data("GET", "/v1/user/api_keys")

    def list_all(self) -> AsyncPages[Any]:
        """The keys of all users; for admins."""
        return AsyncPages(self._transport, "/v1/users/api_keys")

    async def delete(self, key_id: str) -> None:
        """Deletes a key of one's own; admins may delete anybody's."""
        await self._transport.call("DELETE", "/v1/user/api_keys/{}", key_id)

    async def create_system(
        self, name: str, *, description: str | None = None, expires_at: datetime.datetime | None = None
    ) -> Any:
        """Creates a system key; needs the admin secret as key. Only this answer contains the new key."""
        data = without_none(name=name, description=description, expires_at=expires_at)
        return await self._data("POST", "/v1/system/api_keys", body={"data": data})

    async def delete_system(self, key_id: str) -> None:
        await self._transport.call("DELETE", "/v1/system/api_keys/{}", key_id)
