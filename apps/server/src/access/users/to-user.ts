import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { AuditTarget } from "../auth/audit.ts";
import { acceptedPictureUrl } from "./profile-picture.ts";
import { isBound, type UserRow } from "./queries.ts";
import type { User } from "./schemas.ts";

/** A user row as the wire shows it. */
export function toUser(row: UserRow): z.output<typeof User> {
	const picture = acceptedPictureUrl(row.profile_picture_url);
	return {
		id: encodeGlobalId("User", row.id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
		email: row.email ?? "",
		username: row.username,
		role: row.role,
		auth_method: row.auth_method,
		...(row.auth_method === "LOCAL" ? { password_needs_reset: row.password_due === 1 } : { is_bound: isBound(row) }),
		...(row.oauth2_provider === null ? {} : { oauth2_provider: row.oauth2_provider }),
		...(row.oauth2_client_id === null ? {} : { oauth2_client_id: row.oauth2_client_id }),
		...(row.oauth2_user_id === null ? {} : { oauth2_user_id: row.oauth2_user_id }),
		...(row.ldap_unique_id === null ? {} : { ldap_unique_id: row.ldap_unique_id }),
		...(picture === undefined ? {} : { profile_picture_url: picture }),
		...(row.last_login_at === null ? {} : { last_login_at: formatTime(row.last_login_at) }),
	};
}

/** A user as the audit log names them. */
export function userTarget(row: UserRow): AuditTarget {
	return { type: "user", id: row.id, name: row.username };
}
