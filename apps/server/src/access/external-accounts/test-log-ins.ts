import { openTestApp, type TestApp } from "#test-app.ts";
import { SignInRefusal, type Step, Steps } from "../sign-in/steps.ts";
import { insertUser, type NewUser, type UserRow } from "../users/queries.ts";
import type { ExternalIdentity, LdapIdentity, OAuth2Identity } from "./identity.ts";
import { logInExternally, previewLogIn } from "./log-in-externally.ts";

const FROM = { ip: "127.0.0.1", id: "test", headers: {} };

const DIRECTORY = {
	SERVICE_LDAP_HOST: "127.0.0.1",
	SERVICE_LDAP_USER_SEARCH_BASE_DNS: '["dc=example,dc=org"]',
	SERVICE_LDAP_GROUP_ROLE_MAPPINGS: '[{"group_dn":"*","role":"MEMBER"}]',
	SERVICE_LDAP_ATTR_EMAIL: "mail",
	SERVICE_LDAP_ATTR_UNIQUE_ID: "entryUUID",
};

/** The variables of a provider; by their suffixes. */
export function providerSettings(id: string, settings: Readonly<Record<string, string>> = {}): Record<string, string> {
	const all = {
		CLIENT_ID: `client-of-${id}`,
		CLIENT_SECRET: "client-secret-0123456789",
		OIDC_CONFIG_URL: `https://${id}.example/.well-known/openid-configuration`,
		...settings,
	};
	return Object.fromEntries(
		Object.entries(all).map(([suffix, value]) => [`SERVICE_OAUTH2_${id.toUpperCase()}_${suffix}`, value]),
	);
}

/** A server with the providers `acme` and `shut`, which signs nobody up, and a directory. */
export async function openAccounts(settings: Readonly<Record<string, string>> = {}): Promise<Accounts> {
	const server = await openTestApp({
		SERVICE_ENABLE_AUTH: "true",
		...providerSettings("acme"),
		...providerSettings("shut", { ALLOW_SIGN_UP: "false" }),
		...DIRECTORY,
		...settings,
	});
	return new Accounts(server);
}

interface LoggedIn {
	readonly user: UserRow;
	readonly steps: readonly Step[];
	/** Headers that authenticate with the new session. */
	readonly headers: { readonly authorization: string };
}

/** Presents to a server what providers and directories say about a person. */
export class Accounts implements AsyncDisposable {
	readonly server: TestApp;

	constructor(server: TestApp) {
		this.server = server;
	}

	/** Ana, as a provider signs her in. */
	oauth2(id: string, identity: Partial<Omit<OAuth2Identity, "method" | "provider">> = {}): OAuth2Identity {
		const provider = this.server.context.config.OAUTH2_PROVIDERS.find((one) => one.id === id);
		if (provider === undefined) throw new Error(`no provider ${id}`);
		return {
			method: "OAUTH2",
			provider,
			issuer: `https://${id}.example`,
			subject: "ana-1",
			email: "ana@example.com",
			emailVerified: undefined,
			name: "Ana",
			picture: undefined,
			role: { forNew: "VIEWER", forExisting: undefined },
			...identity,
		};
	}

	/** Ana, as the directory has her. */
	ldap(identity: Partial<Omit<LdapIdentity, "method">> = {}): LdapIdentity {
		return {
			method: "LDAP",
			emails: ["ana@example.com"],
			uniqueId: "57daddba-027c-4b88-8108-72c66d77a168",
			name: "Ana",
			role: "MEMBER",
			...identity,
		};
	}

	/** Logs in for real, and checks that a preview says the same and changes nothing. */
	async logIn(identity: ExternalIdentity): Promise<LoggedIn> {
		const { context } = this.server;
		const before = await this.users();
		const previewed = new Steps();
		await previewLogIn(context, identity, previewed);
		if (textOf(await this.users()) !== textOf(before)) throw new Error("a preview changed something");
		const loggedIn = await this.logInOnly(identity);
		const outcomes = (list: readonly Step[]) =>
			textOf(list.map(({ name, outcome, text }) => ({ name, outcome, text })));
		if (outcomes(previewed.list) !== outcomes(loggedIn.steps)) throw new Error("a preview said something else");
		return loggedIn;
	}

	async logInOnly(identity: ExternalIdentity): Promise<LoggedIn> {
		const steps = new Steps();
		const { access } = await logInExternally(this.server.context, FROM, identity, steps);
		const headers = { authorization: `Bearer ${access.token}` };
		const answer = await this.server.get("/v1/user", headers);
		const user = (await this.users()).find(({ username }) => username === answer.json.data.username);
		if (user === undefined) throw new Error("the session is nobody's");
		return { user, steps: steps.list, headers };
	}

	/** The refusal of a log-in; checks that a preview refuses in the same way and that nothing has changed. */
	async refusal(identity: ExternalIdentity): Promise<SignInRefusal> {
		const { context } = this.server;
		const before = textOf(await this.users());
		const attempts = [
			previewLogIn(context, identity, new Steps()),
			logInExternally(context, FROM, identity, new Steps()),
		];
		const [previewed, refused] = await Promise.all(
			attempts.map((attempt) =>
				attempt.then(
					() => undefined,
					(error: unknown) => error,
				),
			),
		);
		if (!(refused instanceof SignInRefusal) || !(previewed instanceof SignInRefusal)) {
			throw new Error("was not refused", { cause: refused ?? previewed });
		}
		if (previewed.code !== refused.code || previewed.message !== refused.message) {
			throw new Error("a preview said something else");
		}
		if (textOf(await this.users()) !== before) throw new Error("a refusal changed something");
		return refused;
	}

	async insert(user: Pick<NewUser, "username" | "login"> & Partial<NewUser>): Promise<UserRow> {
		const { db, now } = this.server.context;
		const email = `${user.username.toLowerCase()}@example.com`;
		const row = await db.write((transaction) =>
			insertUser(transaction, { email, role: "MEMBER", now: now(), ...user }),
		);
		if (row === undefined) throw new Error(`${user.username} exists`);
		return row;
	}

	async users(): Promise<UserRow[]> {
		return await this.server.context.db.read.selectFrom("users").selectAll().orderBy("id").execute();
	}

	/** Actions of the audit log with their details, the newest last. */
	async audited(): Promise<{ readonly action: string; readonly details: unknown }[]> {
		const rows = await this.server.context.db.read.selectFrom("audit_events").selectAll().orderBy("id").execute();
		return rows.map(({ action, details }) => ({ action, details: details === null ? null : JSON.parse(details) }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.server[Symbol.asyncDispose]();
	}
}

function textOf(value: unknown): string {
	return JSON.stringify(value);
}
