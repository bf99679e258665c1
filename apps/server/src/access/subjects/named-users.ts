import type { Kysely } from "kysely";
import { canonicalEmail } from "#base/email.ts";
import { trimUsername, usernameKey } from "#base/username.ts";
import type { Tables } from "#storage/schema.ts";

/** A query of the users with exactly this username or, with `byEmail`, this email. */
export function usersNamed(db: Kysely<Tables>, name: string, { byEmail }: { readonly byEmail: boolean }) {
	return db
		.selectFrom("users")
		.where(({ eb, or }) =>
			or([
				eb("username_key", "=", usernameKey(trimUsername(name))),
				...(byEmail ? [eb("email", "=", canonicalEmail(name))] : []),
			]),
		);
}
