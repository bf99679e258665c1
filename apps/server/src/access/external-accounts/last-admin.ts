import type { Kysely } from "kysely";
import type { Config } from "#base/config.ts";
import type { Tables } from "#storage/schema.ts";
import type { Steps } from "../sign-in/steps.ts";
import { hasUsableAdmin } from "../users/queries.ts";
import type { Decision } from "./decision.ts";
import type { ExternalIdentity } from "./identity.ts";

/** Code of the audit log's entry, which {@link findKeptAdmin} looks for. */
export const LAST_ADMIN = "last_admin";

/**
 * Makes an exception from giving the role that provider or directory name: the last admin who can log in keeps theirs,
 * as nobody could give it back.
 */
export async function keepLastAdmin(
	db: Kysely<Tables>,
	config: Config,
	decision: Decision,
	identity: ExternalIdentity,
	steps: Steps,
): Promise<Decision> {
	if (decision.kind === "create") return decision;
	const { user, changes } = decision;
	const { role } = changes;
	if (user.role !== "ADMIN" || role === undefined || role === "ADMIN") return decision;
	if (await hasUsableAdmin(db, config, user.id)) return decision;
	const [who, settings] =
		identity.method === "OAUTH2"
			? ["The provider", [`${identity.provider.prefix}ROLE_ATTRIBUTE_PATH`, `${identity.provider.prefix}ROLE_MAPPING`]]
			: ["The directory", ["SERVICE_LDAP_GROUP_ROLE_MAPPINGS"]];
	steps.warn(
		"account",
		`${who} gives the role ${role}, and the account keeps ADMIN: there is no other admin who can log in. Map a group or role of this person to ADMIN, or make somebody else an admin.`,
		{ settings, facts: [{ name: "account", value: user.username }] },
	);
	return { ...decision, changes: { ...changes, role: "ADMIN" }, refusedRole: role };
}

/**
 * The admin who is still one only because {@link keepLastAdmin} kept the role at the last log-in, and the role that was
 * refused.
 */
export async function findKeptAdmin(
	db: Kysely<Tables>,
	config: Config,
): Promise<{ readonly username: string; readonly role: string } | undefined> {
	const admins = await db.selectFrom("users").select(["id", "username"]).where("role", "=", "ADMIN").execute();
	for (const { id, username } of admins) {
		const entries = db.selectFrom("audit_events").where("target_type", "=", "user").where("target_id", "=", id);
		const kept = await entries
			.select(["id", "details"])
			.where("action", "=", "user.update")
			.where("code", "=", LAST_ADMIN)
			.orderBy("id", "desc")
			.limit(1)
			.executeTakeFirst();
		if (kept === undefined || (await hasUsableAdmin(db, config, id))) continue;
		// The entry of the same log-in follows it.
		const logIns = await entries
			.select("id")
			.where("action", "=", "login")
			.where("outcome", "=", "success")
			.where("id", ">", kept.id)
			.limit(2)
			.execute();
		if (logIns.length > 1) continue;
		return { username, role: /"role_refused":"(\w+)"/.exec(kept.details ?? "")?.[1] ?? "another role" };
	}
	return undefined;
}
