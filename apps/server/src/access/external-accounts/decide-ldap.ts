import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Config } from "#base/config.ts";
import { isBuiltInEmail } from "#base/email.ts";
import { cleanUsername } from "#base/username.ts";
import type { Tables } from "#storage/schema.ts";
import type { SignInRefusal, Steps } from "../sign-in/steps.ts";
import { findUserByEmail, freeUsername, type UserRow } from "../users/queries.ts";
import type { Decision } from "./decision.ts";
import type { LdapIdentity } from "./identity.ts";
import { isUnusedListed } from "./unused-listed.ts";

const WITHOUT_PASSWORD = { auth_method: "LDAP", password_hash: null, password_due: 0, password_replaced: 0 } as const;

/**
 * The account of somebody who has logged in to the directory: the one with the unique id, else one of the directory's
 * with the email, else a new one. An email that belongs to an account with another way to log in, or of another entry,
 * lets nobody in.
 * @throws SignInRefusal
 */
export async function decideLdap(
	db: Kysely<Tables>,
	config: Pick<Config, "SERVICE_ADMINS" | "SERVICE_LDAP_ALLOW_SIGN_UP">,
	identity: LdapIdentity,
	steps: Steps,
): Promise<Decision> {
	const { uniqueId, role } = identity;
	const emails = uniqueId === undefined ? identity.emails.slice(0, 1) : identity.emails;
	const refuse = (text: string, settings: readonly string[] = [], owner?: UserRow): SignInRefusal =>
		steps.refuse("account", "invalid_login", text, { settings, facts: factsOf(identity, owner) });

	const known = uniqueId === undefined ? undefined : await findByUniqueId(db, uniqueId);
	if (known !== undefined) {
		steps.ok("account", "This is the account that has signed in with this unique id before.", {
			facts: factsOf(identity, known),
		});
		return { kind: "known", user: known, changes: { role, ...(await newEmail(db, known, emails, steps)) } };
	}
	const owner = await findOwner();
	if (owner !== undefined) {
		const isWaiting = owner.auth_method === "LOCAL" || uniqueId !== undefined;
		const text = isWaiting
			? "An account waits for this person: the log-in makes it theirs."
			: "This is the account of the directory with this email.";
		steps.ok("account", text, { facts: factsOf(identity, owner) });
		const changes = { role, ...(uniqueId === undefined ? {} : { ldap_unique_id: uniqueId }), ...WITHOUT_PASSWORD };
		return { kind: isWaiting ? "bind" : "known", user: owner, changes };
	}
	const [email = null] = emails;
	if (email === null && uniqueId === undefined) {
		throw refuse("The entry has neither an email nor a unique id to identify the person.", [
			"SERVICE_LDAP_ATTR_EMAIL",
			"SERVICE_LDAP_ATTR_UNIQUE_ID",
		]);
	}
	if (!config.SERVICE_LDAP_ALLOW_SIGN_UP) {
		throw refuse(
			"There is no account with this email, and SERVICE_LDAP_ALLOW_SIGN_UP is false: create the user under Settings → Users first, or set it to true.",
			["SERVICE_LDAP_ALLOW_SIGN_UP"],
		);
	}
	const name = cleanUsername(identity.name) || "user";
	const username = await freeUsername(db, name, () => ` (${randomBytes(3).toString("hex")})`);
	steps.ok("account", `There is no account for this person yet: the log-in creates one, as ${role}.`, {
		facts: [{ name: "username", value: username }, ...factsOf(identity)],
	});
	return { kind: "create", user: { username, email, role, login: { method: "LDAP", uniqueId } } };

	/**
	 * The account that waits for one of the emails. Only the first one must not be somebody else's: further ones, such
	 * as that of a team, may be shared.
	 * @throws SignInRefusal when the first one is somebody else's
	 */
	async function findOwner(): Promise<UserRow | undefined> {
		for (const [index, email] of emails.entries()) {
			const isBuiltIn = isBuiltInEmail(email);
			const user = await findUserByEmail(db, email);
			if (user !== undefined && !isBuiltIn && mayBind(user)) return user;
			if (index > 0) continue;
			if (isBuiltIn) {
				throw refuse("The email belongs to an account of Spanward itself, which nobody else can use.");
			}
			if (user !== undefined) throw refuseOwned(user);
		}
		return undefined;
	}

	function mayBind(user: UserRow): boolean {
		if (user.auth_method === "LDAP") return uniqueId === undefined || user.ldap_unique_id === null;
		return isUnusedListed(user, config);
	}

	function refuseOwned(user: UserRow): SignInRefusal {
		if (user.auth_method === "LDAP") {
			return refuse(
				"The email belongs to an account with another unique id, as when an address is reassigned: if it is the same person, clear the binding under Settings → Users.",
				["SERVICE_LDAP_ATTR_UNIQUE_ID"],
				user,
			);
		}
		const way = user.auth_method === "LOCAL" ? "a password" : "a provider";
		return refuse(
			`The email belongs to an account that logs in with ${way}, and an account has one way to log in: delete that account, or let its owner log in that way.`,
			[],
			user,
		);
	}
}

async function findByUniqueId(db: Kysely<Tables>, uniqueId: string): Promise<UserRow | undefined> {
	return await db.selectFrom("users").selectAll().where("ldap_unique_id", "=", uniqueId).executeTakeFirst();
}

/** The column of an email that has changed in the directory, unless it is somebody else's. */
async function newEmail(
	db: Kysely<Tables>,
	user: UserRow,
	emails: readonly string[],
	steps: Steps,
): Promise<{ readonly email?: string }> {
	const [email] = emails;
	if (email === undefined || (user.email !== null && emails.includes(user.email))) return {};
	if (!isBuiltInEmail(email) && (await findUserByEmail(db, email)) === undefined) return { email };
	steps.warn("email", "The account keeps its email: the one in the directory belongs to another account.", {
		facts: [
			{ name: "email of the account", value: user.email ?? "" },
			{ name: "email in the directory", value: email },
		],
	});
	return {};
}

function factsOf({ emails, uniqueId }: LdapIdentity, user?: UserRow) {
	return [
		...(user === undefined
			? []
			: [
					{ name: "account", value: user.username },
					{ name: "role", value: user.role },
				]),
		{ name: "unique id", value: uniqueId ?? "(none)" },
		{ name: "emails", value: emails.join(", ") || "(none)" },
	];
}
