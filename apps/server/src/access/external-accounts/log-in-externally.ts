import type { Kysely, Transaction } from "kysely";
import type { WritingContext } from "#context.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Principal } from "#http/principal.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { AuditEntry, Origin } from "../auth/audit.ts";
import type { LogInSession, TokenPair } from "../auth/log-in-sessions/sessions.ts";
import type { Steps } from "../sign-in/steps.ts";
import { insertUser, type UserRow } from "../users/queries.ts";
import { userTarget } from "../users/to-user.ts";
import { decideLdap } from "./decide-ldap.ts";
import { decideOAuth2 } from "./decide-oauth2.ts";
import type { Decision } from "./decision.ts";
import type { ExternalIdentity } from "./identity.ts";
import { keepLastAdmin, LAST_ADMIN } from "./last-admin.ts";

type Needs = Pick<WritingContext, "auth" | "config" | "db" | "log" | "now">;

/**
 * Opens a session for the person whom a provider or directory has signed in, in one transaction with what that changes:
 * a new account, a binding, the role, the email.
 * @throws SignInRefusal when no account may be theirs
 */
export async function logInExternally(
	{ auth, config, db, log, now }: Needs,
	request: Origin,
	identity: ExternalIdentity,
	steps: Steps,
): Promise<TokenPair> {
	const by = wayOf(identity);
	const stepsBefore = steps.list.length;
	const session = await db.write(async (transaction) => {
		steps.cutTo(stepsBefore);
		const decision = await decide(transaction, config, identity, steps);
		const user = await apply(transaction, decision, now());
		const opened = await auth.sessions.open(transaction, user.id, identity.method, request);
		const principal = toPrincipal(user, opened);
		for (const entry of entriesOf(decision, user, identity)) {
			await auth.audit.recordIn(transaction, {
				...entry,
				principal,
				request,
				target: userTarget(user),
			});
		}
		return opened;
	});
	// Other sessions and keys of the user may have another role now.
	auth.principals.invalidate();
	const user = encodeGlobalId("User", session.user_id);
	for (const { name: step, outcome, text, settings } of steps.list) {
		// The others may be intended, such as groups without a role.
		const level = step === "email" || step === "account" ? "warn" : "info";
		if (outcome === "warning") log[level]({ ...by, step, settings, user }, text);
	}
	return await auth.sessions.pairOf(session);
}

/**
 * Notes what {@link logInExternally} would do, and changes nothing.
 * @throws SignInRefusal as that would
 */
export async function previewLogIn(
	{ config, db }: Pick<Needs, "config"> & { readonly db: Pick<Database, "read"> },
	identity: ExternalIdentity,
	steps: Steps,
): Promise<void> {
	await decide(db.read, config, identity, steps);
}

async function decide(
	db: Kysely<Tables>,
	config: Needs["config"],
	identity: ExternalIdentity,
	steps: Steps,
): Promise<Decision> {
	const decision =
		identity.method === "OAUTH2"
			? await decideOAuth2(db, config, identity, steps)
			: await decideLdap(db, config, identity, steps);
	return await keepLastAdmin(db, config, decision, identity, steps);
}

async function apply(transaction: Transaction<Tables>, decision: Decision, now: number): Promise<UserRow> {
	if (decision.kind === "create") {
		const created = await insertUser(transaction, { ...decision.user, now });
		if (created === undefined) throw new Error("another account took the name or email in the same transaction");
		return created;
	}
	const { user, changes } = decision;
	const differs = Object.entries(changes).some(([column, value]) => user[column as keyof UserRow] !== value);
	if (!differs) return user;
	if (user.auth_method === "LOCAL") {
		await transaction.deleteFrom("password_resets").where("user_id", "=", user.id).execute();
	}
	return await transaction
		.updateTable("users")
		.set({ ...changes, updated_at: now })
		.where("id", "=", user.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

/** The entries of a log-in in the audit log, after those of what it changed. */
function entriesOf(
	decision: Decision,
	user: UserRow,
	identity: ExternalIdentity,
): readonly Pick<AuditEntry, "action" | "outcome" | "code" | "details">[] {
	const by = wayOf(identity);
	const outcome = "success";
	const logIn = { action: "login", outcome, details: by } as const;
	if (decision.kind === "create") {
		const details = { ...by, role: user.role, auth_method: user.auth_method };
		return [{ action: "user.create", outcome, details }, logIn];
	}
	const { user: before, refusedRole } = decision;
	const bind = { action: "user.bind", outcome, details: { ...by, auth_method_before: before.auth_method } } as const;
	const kept = { action: "user.update", outcome: "denied", code: LAST_ADMIN } as const;
	const update = {
		action: "user.update",
		outcome,
		details: {
			...by,
			...(before.role === user.role ? {} : { role_before: before.role, role: user.role }),
			...(before.email === user.email ? {} : { email_before: before.email, email: user.email }),
		},
	} as const;
	const isUpdated = before.role !== user.role || before.email !== user.email;
	return [
		...(decision.kind === "bind" ? [bind] : []),
		...(isUpdated ? [update] : []),
		...(refusedRole === undefined ? [] : [{ ...kept, details: { ...by, role: user.role, role_refused: refusedRole } }]),
		logIn,
	];
}

function wayOf(identity: ExternalIdentity) {
	return identity.method === "OAUTH2" ? { provider: identity.provider.id } : { directory: "ldap" };
}

function toPrincipal(user: UserRow, session: LogInSession): Principal {
	const { id, username, email, role, auth_method: authMethod } = user;
	return {
		kind: "session",
		user: { id, username, email, role, authMethod },
		sessionId: session.id,
		passwordDue: false,
		expiresAt: session.access_expires_at,
	};
}
