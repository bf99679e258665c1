import { randomInt } from "node:crypto";
import type { Kysely } from "kysely";
import type { Config } from "#base/config.ts";
import { isBuiltInEmail } from "#base/email.ts";
import { cleanUsername } from "#base/username.ts";
import type { Tables } from "#storage/schema.ts";
import type { SignInRefusal, Steps } from "../sign-in/steps.ts";
import { findUserByEmail, freeUsername, type OAuth2Columns, type UserRow } from "../users/queries.ts";
import type { Decision } from "./decision.ts";
import type { OAuth2Identity } from "./identity.ts";
import { isUnusedListed } from "./unused-listed.ts";

/**
 * The account of somebody whom a provider has signed in: the one that is bound to this identity, else one that waits for
 * it, else a new one. An account that has another identity or another way to log in is never given away by its email.
 * @throws SignInRefusal
 */
export async function decideOAuth2(
	db: Kysely<Tables>,
	config: Pick<Config, "OAUTH2_PROVIDERS" | "SERVICE_ADMINS">,
	identity: OAuth2Identity,
	steps: Steps,
): Promise<Decision> {
	const { provider, email, role } = identity;
	const refuse = (text: string, settings: readonly string[] = [], owner?: UserRow): SignInRefusal =>
		steps.refuse("account", provider.allowSignUp ? "email_in_use" : "sign_in_not_allowed", text, {
			settings,
			facts: factsOf(identity, owner),
		});

	const bound = await findBound(db, identity);
	if (bound !== undefined) {
		steps.ok("account", "This is the account that has signed in with this identity before.", {
			facts: factsOf(identity, bound),
		});
		return { kind: "known", user: bound, changes: { ...(await newEmail(db, bound, identity, steps)), ...refreshed() } };
	}
	const expected = await findExpected(db, config.OAUTH2_PROVIDERS, identity);
	if (expected !== undefined) {
		noteBinding(expected);
		const changes = { ...(await newEmail(db, expected, identity, steps)), ...refreshed() };
		return { kind: "bind", user: expected, changes };
	}
	if (isBuiltInEmail(email)) {
		throw refuse("The email belongs to an account of Spanward itself, which nobody else can use.");
	}
	const owner = await findUserByEmail(db, email);
	if (owner !== undefined) {
		checkMayBind(owner);
		noteBinding(owner);
		return { kind: "bind", user: owner, changes: refreshed() };
	}
	if (!provider.allowSignUp) {
		const variable = `${provider.prefix}ALLOW_SIGN_UP`;
		throw refuse(
			`There is no account for this identity or email, and ${variable} is false: create the user under Settings → Users first, or set it to true.`,
			[variable],
		);
	}
	const wanted = identity.name ?? (cleanUsername(email.split("@")[0] ?? "") || "user");
	const username = await freeUsername(db, wanted, () => `-${randomInt(10_000, 100_000)}`);
	steps.ok(
		"account",
		`There is no account for this identity or email yet: the log-in creates one, as ${role.forNew}.`,
		{
			facts: [{ name: "username", value: username }, ...factsOf(identity)],
		},
	);
	const login = { method: "OAUTH2", identity: columnsOf(identity), picture: identity.picture } as const;
	return { kind: "create", user: { username, email, role: role.forNew, login } };

	function refreshed() {
		return {
			...columnsOf(identity),
			...(role.forExisting === undefined ? {} : { role: role.forExisting }),
			profile_picture_url: identity.picture ?? null,
		};
	}

	function noteBinding(user: UserRow): void {
		steps.ok("account", "An account waits for this person: the log-in binds it to this identity.", {
			facts: factsOf(identity, user),
		});
	}

	/** @throws SignInRefusal for an account that its email alone does not give away */
	function checkMayBind(user: UserRow): void {
		if (isUnusedListed(user, config)) {
			throw refuse(
				"The email belongs to an account that SERVICE_ADMINS created, with a password that nobody knows: delete it and create it anew under Settings → Users as one of a provider, which the list leaves as it is.",
				["SERVICE_ADMINS"],
				user,
			);
		}
		if (user.auth_method !== "OAUTH2") {
			const way = user.auth_method === "LOCAL" ? "a password" : "the directory";
			throw refuse(
				`The email belongs to an account that logs in with ${way}, and an account has one way to log in: delete that account, or let its owner log in that way.`,
				[],
				user,
			);
		}
		if (user.oauth2_issuer !== null) {
			throw refuse(
				"The email belongs to an account that is bound to another identity: if it is the same person, clear the binding under Settings → Users.",
				[],
				user,
			);
		}
		if (!isExpected(user, identity)) {
			throw refuse(
				"The email belongs to an account that was created for another client id or user id at the provider: create it again for this one.",
				[],
				user,
			);
		}
		const distrust = emailDistrust(identity);
		if (distrust !== undefined) throw refuse(distrust.text, distrust.settings, user);
	}
}

function columnsOf({ provider, issuer, subject }: OAuth2Identity): OAuth2Columns {
	return {
		oauth2_provider: provider.id,
		oauth2_issuer: issuer,
		oauth2_client_id: provider.clientId,
		oauth2_user_id: subject,
	};
}

async function findBound(db: Kysely<Tables>, { issuer, subject }: OAuth2Identity): Promise<UserRow | undefined> {
	return await db
		.selectFrom("users")
		.selectAll()
		.where("oauth2_issuer", "=", issuer)
		.where("oauth2_user_id", "=", subject)
		.executeTakeFirst();
}

/**
 * An account that was created for exactly this client id and user id, whatever its email; undefined where the client id
 * may stand for several issuers, whose user ids mean different people.
 */
async function findExpected(
	db: Kysely<Tables>,
	providers: Config["OAUTH2_PROVIDERS"],
	{ provider, subject }: OAuth2Identity,
): Promise<UserRow | undefined> {
	const isShared = providers.some(({ id, clientId }) => id !== provider.id && clientId === provider.clientId);
	if (isShared || provider.allowIssuerMismatch) return undefined;
	const [found, ...others] = await db
		.selectFrom("users")
		.selectAll()
		.where("auth_method", "=", "OAUTH2")
		.where("oauth2_issuer", "is", null)
		.where("oauth2_client_id", "=", provider.clientId)
		.where("oauth2_user_id", "=", subject)
		.limit(2)
		.execute();
	return others.length === 0 ? found : undefined;
}

/** Whether an account that was created beforehand is for this identity, as far as its creator named one. */
function isExpected(user: UserRow, { provider, subject }: OAuth2Identity): boolean {
	const { oauth2_client_id: clientId, oauth2_user_id: userId } = user;
	return (clientId === null || clientId === provider.clientId) && (userId === null || userId === subject);
}

/** The column of an email that has changed at the provider, unless it proves nothing or is somebody else's. */
async function newEmail(
	db: Kysely<Tables>,
	user: UserRow,
	identity: OAuth2Identity,
	steps: Steps,
): Promise<{ readonly email?: string }> {
	const { email } = identity;
	if (email === user.email) return {};
	const distrust = emailDistrust(identity);
	const isTaken = isBuiltInEmail(email) || (await findUserByEmail(db, email)) !== undefined;
	if (!isTaken && distrust === undefined) return { email };
	const why = isTaken ? "The new one belongs to another account." : (distrust?.text ?? "");
	steps.warn("email", `The account keeps its email, although the provider now has a different one. ${why}`, {
		settings: isTaken ? [] : (distrust?.settings ?? []),
		facts: [
			{ name: "email of the account", value: user.email ?? "" },
			{ name: "email at the provider", value: email },
		],
	});
	return {};
}

/** Why an email does not prove whose account it is; undefined when it does. */
function emailDistrust({
	provider,
	emailVerified,
}: OAuth2Identity): { readonly text: string; readonly settings: readonly string[] } | undefined {
	if (emailVerified === false) {
		return {
			text: "The provider says that the email is not verified (email_verified is present but not true), so it proves nothing: have it verified there.",
			settings: [],
		};
	}
	if (emailVerified === true || !provider.allowIssuerMismatch || provider.trustEmail) return undefined;
	const variable = `${provider.prefix}TRUST_EMAIL`;
	return {
		text: `The provider does not say whether the email is verified, and with ${provider.prefix}ALLOW_ISSUER_MISMATCH=true it may come from any tenant: set ${variable}=true only if you trust every tenant's emails.`,
		settings: [variable],
	};
}

function factsOf({ issuer, subject, email }: OAuth2Identity, user?: UserRow) {
	return [
		...(user === undefined
			? []
			: [
					{ name: "account", value: user.username },
					{ name: "role", value: user.role },
				]),
		{ name: "issuer", value: issuer },
		{ name: "user id", value: subject },
		{ name: "email", value: email },
	];
}
