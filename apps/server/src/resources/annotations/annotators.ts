import type { Kysely } from "kysely";
import { mayCall } from "#access/auth/may-call.ts";
import { findKey, findUser } from "#access/auth/principals/find-principals.ts";
import type { Auth } from "#access/create-auth.ts";
import { includesRole } from "#access/rights/roles.ts";
import type { Principal, PrincipalUser } from "#http/principal.ts";
import { NO_RIGHTS, type Rights } from "#http/rights.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { WaitingRow } from "./waiting-queries.ts";

/** Who wrote something that waits: the user, and the key if it was one that is limited. */
type Writer = Pick<WaitingRow, "user_id" | "api_key_id">;

/** The role of somebody in a project, by its row number; undefined where they may not annotate. */
export type RoleToAnnotate = (writer: Writer, projectId: number) => ProjectRole | undefined;

/** As whom it counts what was written while authentication was off, or by somebody whose account was deleted. */
const UNKNOWN: PrincipalUser = { id: 0, username: "", email: null, role: "MEMBER", authMethod: "LOCAL" };

/**
 * Reads the rights that these writers have now, as `db` has them.
 * @param now microseconds since 1970
 */
export async function readAnnotators(
	db: Kysely<Tables>,
	{ enabled, rights }: Pick<Auth, "enabled" | "rights">,
	writers: readonly Writer[],
	now: number,
): Promise<RoleToAnnotate> {
	if (!enabled) return () => "manager";
	const byWriter = new Map<string, Rights>();
	for (const writer of writers) {
		const key = toKey(writer);
		if (byWriter.has(key)) continue;
		const principal = await findPrincipal(db, writer, now);
		const isAllowed = principal !== undefined && mayCall(principal, "annotate");
		byWriter.set(key, isAllowed ? await rights.ofIn(db, principal) : NO_RIGHTS);
	}
	return (writer, projectId) => {
		const role = byWriter.get(toKey(writer))?.roleAt(projectId);
		return includesRole(role, "annotator") ? role : undefined;
	};
}

/** The writer as of now; undefined when the account or the key is gone. */
async function findPrincipal(db: Kysely<Tables>, writer: Writer, now: number): Promise<Principal | undefined> {
	if (writer.api_key_id !== null) {
		const found = await findKey(db, { id: writer.api_key_id });
		const expiresAt = found?.principal.expiresAt ?? null;
		return expiresAt !== null && expiresAt <= now ? undefined : found?.principal;
	}
	const user = writer.user_id === null ? UNKNOWN : await findUser(db, writer.user_id);
	return user === undefined ? undefined : { kind: "run", user };
}

function toKey({ user_id, api_key_id }: Writer): string {
	return `${user_id} ${api_key_id}`;
}
