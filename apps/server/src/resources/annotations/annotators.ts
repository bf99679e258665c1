import type { Kysely } from "kysely";
import { mayCall } from "#access/auth/may-call.ts";
import { findLimitedSender, findUser } from "#access/auth/principals/find-principals.ts";
import type { Auth } from "#access/create-auth.ts";
import { includesRole } from "#access/rights/roles.ts";
import type { Principal, PrincipalUser } from "#http/principal.ts";
import { NO_RIGHTS, type Rights } from "#http/rights.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { WaitingRow } from "./waiting-queries.ts";

/** Who wrote something that waits: the user, and the key or program if it was one that is limited. */
type Writer = Pick<WaitingRow, "user_id" | "api_key_id" | "oauth2_grant_id">;

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

/** The writer as of now; undefined when the account, the key or the program's grant is gone. */
async function findPrincipal(db: Kysely<Tables>, writer: Writer, now: number): Promise<Principal | undefined> {
	const { api_key_id: keyId, oauth2_grant_id: grantId } = writer;
	if (keyId !== null) return await findLimitedSender(db, { keyId }, now);
	if (grantId !== null) return await findLimitedSender(db, { grantId }, now);
	const user = writer.user_id === null ? UNKNOWN : await findUser(db, writer.user_id);
	return user === undefined ? undefined : { kind: "run", user };
}

function toKey({ user_id, api_key_id, oauth2_grant_id }: Writer): string {
	return `${user_id} ${api_key_id} ${oauth2_grant_id}`;
}
