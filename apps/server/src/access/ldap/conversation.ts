import { randomUUID } from "node:crypto";
import type { Config } from "#base/config.ts";
import { fillFilter, toSearchFilter } from "#base/ldap-syntax/filter.ts";
import type { LdapIdentity } from "../external-accounts/identity.ts";
import { fact } from "../sign-in/facts.ts";
import type { Steps } from "../sign-in/steps.ts";
import { reasonOfActiveDirectory } from "./active-directory.ts";
import { shownValue } from "./attributes.ts";
import { Connection } from "./connection.ts";
import { CODE, ResultError, ServerFailure } from "./failures.ts";
import { readGroups, type ToFilter } from "./groups.ts";
import { readPerson, storedName, wantedAttributes } from "./identity.ts";
import type { Entry } from "./responses.ts";
import { decideRole } from "./roles.ts";
import type { LdapServer, Transport } from "./transport.ts";

type Ldapts = typeof import("ldapts");

export interface ConversationOptions {
	readonly ldapts: Ldapts;
	readonly config: Config;
	readonly transport: Transport;
	readonly server: LdapServer;
	readonly steps: Steps;
	/** Ends whatever is under way. */
	readonly signal: AbortSignal;
}

/** One server, asked about one person. */
export class Conversation implements AsyncDisposable {
	readonly #options: ConversationOptions;
	readonly #connection: Connection;
	readonly #toFilter: ToFilter;

	private constructor(options: ConversationOptions, connection: Connection) {
		this.#options = options;
		this.#connection = connection;
		this.#toFilter = (text) => toSearchFilter(options.ldapts, text);
	}

	/** Connects, and binds as the service account where there is one. @throws ServerFailure */
	static async open(options: ConversationOptions): Promise<Conversation> {
		const connection = await connect(options);
		try {
			await bindServiceAccount(options, connection);
			return new Conversation(options, connection);
		} catch (error) {
			await connection[Symbol.asyncDispose]();
			throw error;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#connection[Symbol.asyncDispose]();
	}

	/**
	 * The entry of the user with this name: the only match below the first base that has any.
	 * @throws SignInRefusal when there is none, or more than one
	 * @throws ServerFailure
	 */
	async findUser(username: string): Promise<Entry> {
		const { config, steps } = this.#options;
		const text = fillFilter(config.SERVICE_LDAP_USER_SEARCH_FILTER, username);
		const filter = this.#toFilter(text);
		const attributes = wantedAttributes(config);
		for (const base of config.SERVICE_LDAP_USER_SEARCH_BASE_DNS) {
			const facts = [fact("base", base), fact("filter", text)];
			const found = await this.#search(base, () =>
				this.#connection.search(base, { scope: "sub", filter, attributes, sizeLimit: 2 }),
			);
			const [entry, ...others] = found?.entries ?? [];
			if (found?.isCut === true || others.length > 0) {
				const problem = "SERVICE_LDAP_USER_SEARCH_FILTER finds several entries for the typed name.";
				throw steps.refuse("search", "invalid_login", problem, {
					settings: ["SERVICE_LDAP_USER_SEARCH_FILTER"],
					facts,
				});
			}
			if (entry === undefined) continue;
			// In a bind, the empty DN stands for anybody.
			if (entry.dn === "") throw new ServerFailure("search", "The directory found an entry without a DN.", { facts });
			steps.ok("search", "The user is in the directory.", {
				facts: [...facts, fact("entry", entry.dn), ...entry.attributes.flatMap(factsOf)],
			});
			return entry;
		}
		const problem =
			"SERVICE_LDAP_USER_SEARCH_FILTER finds nobody for the typed name below SERVICE_LDAP_USER_SEARCH_BASE_DNS.";
		throw steps.refuse("search", "invalid_login", problem, {
			settings: ["SERVICE_LDAP_USER_SEARCH_FILTER", "SERVICE_LDAP_USER_SEARCH_BASE_DNS"],
			facts: [fact("filter", text)],
		});
	}

	/** Undefined for a base that is not there. @throws ServerFailure */
	async #search<T>(base: string, search: () => Promise<T>): Promise<T | undefined> {
		const { config, server, steps } = this.#options;
		try {
			return await search();
		} catch (error) {
			if (!(error instanceof ResultError)) throw error;
			const facts = [fact("base", base), ...error.facts];
			const account = ["SERVICE_LDAP_BIND_DN", "SERVICE_LDAP_BIND_PASSWORD"];
			if (error.code === CODE.noSuchObject) {
				const text =
					"A base in SERVICE_LDAP_USER_SEARCH_BASE_DNS does not exist, or the service account may not see it.";
				steps.fail("search", text, { settings: ["SERVICE_LDAP_USER_SEARCH_BASE_DNS", "SERVICE_LDAP_BIND_DN"], facts });
				return undefined;
			}
			if (config.SERVICE_LDAP_BIND_DN === null && WANTS_BIND.has(error.code)) {
				const text = `${server.address} does not allow searches without a service account.`;
				throw new ServerFailure("search", text, { settings: account, facts, cause: error });
			}
			if (error.code === CODE.insufficientAccess) {
				const text = `${server.address} does not let the service account search.`;
				throw new ServerFailure("search", text, { settings: account, facts, cause: error });
			}
			if (error.code === CODE.referral) {
				const text = `${server.address} refers to another server for a base; referrals are not followed.`;
				const settings = ["SERVICE_LDAP_USER_SEARCH_BASE_DNS", "SERVICE_LDAP_HOST"];
				throw new ServerFailure("search", text, { settings, facts, cause: error });
			}
			throw resultFailure("search", server, error, facts);
		}
	}

	/**
	 * Checks the password on a connection of its own, so that no search runs as the user.
	 * @throws SignInRefusal for a wrong one
	 * @throws ServerFailure
	 */
	async checkPassword(entry: Entry, password: string): Promise<void> {
		const { server, steps } = this.#options;
		try {
			await this.#bindAs(entry.dn, password);
		} catch (error) {
			if (!(error instanceof ResultError)) throw error;
			if (!WRONG_PASSWORD.has(error.code)) throw resultFailure("user_bind", server, error);
			const text = `The directory does not accept the password${reasonOfActiveDirectory(error.diagnostic)}.`;
			throw steps.refuse("user_bind", "invalid_login", text, { facts: error.facts, cause: error });
		}
		steps.ok("user_bind", "The password is right.");
	}

	/** Takes as long as checking a password, for a name that nobody has. */
	async checkDummyPassword(password: string): Promise<void> {
		const [base = ""] = this.#options.config.SERVICE_LDAP_USER_SEARCH_BASE_DNS;
		try {
			await this.#bindAs(`cn=${randomUUID()},${base}`, password);
		} catch (error) {
			// The result does not matter, as there is no such user.
			if (!(error instanceof ResultError || error instanceof ServerFailure)) throw error;
		}
	}

	async #bindAs(dn: string, password: string): Promise<void> {
		const silent = { ...this.#options, steps: undefined };
		await using connection = await connect(silent);
		await connection.bind(dn, password);
	}

	/**
	 * Who the entry is and which role they have.
	 * @throws SignInRefusal
	 * @throws ServerFailure
	 */
	async identify(entry: Entry, typed: string): Promise<LdapIdentity> {
		const { config, steps } = this.#options;
		const person = readPerson(config, entry, typed, steps);
		const user = { entry, username: storedName(config, entry, typed) };
		const groups = await readGroups(config, this.#connection, this.#toFilter, user, steps);
		const facts = groupFacts(groups.dns);
		const decision = decideRole(config.SERVICE_LDAP_GROUP_ROLE_MAPPINGS, groups);
		if (decision.outcome === "matched") {
			const count = groups.dns.length === 1 ? "1 group" : `${groups.dns.length} groups`;
			steps.ok("groups", `The user is in ${count}.`, { facts });
			const matched = [fact("group_dn", decision.groupDn), { name: "role", value: decision.role }];
			steps.ok("role", `The role is ${decision.role}.`, { facts: matched });
			return { ...person, role: decision.role };
		}
		if (decision.outcome === "unsure") {
			const text = "Groups that may give another role could not be read: nobody is let in with a lower one.";
			throw steps.refuse("groups", "directory_unavailable", text, { settings: groupSettings(config), facts });
		}
		const text =
			groups.dns.length === 0
				? "According to the directory, the user is in no group."
				: "None of the user's groups is in SERVICE_LDAP_GROUP_ROLE_MAPPINGS.";
		const searches = config.SERVICE_LDAP_GROUP_SEARCH_FILTER !== null;
		const hint = ` ${config.SERVICE_LDAP_ATTR_MEMBER_OF} has only direct groups: for nested groups set SERVICE_LDAP_GROUP_SEARCH_FILTER.`;
		const settings = [
			"SERVICE_LDAP_GROUP_ROLE_MAPPINGS",
			...groupSettings(config),
			...(searches ? [] : ["SERVICE_LDAP_GROUP_SEARCH_FILTER"]),
		];
		throw steps.refuse("role", "invalid_login", searches ? text : text + hint, { settings, facts });
	}

	/** Notes whether each base exists. */
	async checkBases(): Promise<void> {
		const { config, steps } = this.#options;
		const filter = this.#toFilter("(objectClass=*)");
		const check = async (name: string, bases: readonly string[]) => {
			for (const base of bases) {
				const facts = [fact("base", base)];
				try {
					await this.#connection.search(base, { scope: "base", filter, attributes: ["1.1"] });
					steps.ok("search", `A base in ${name} exists.`, { facts });
				} catch (error) {
					if (!(error instanceof ResultError)) throw error;
					const text = `A base in ${name} does not exist, or the service account may not see it.`;
					const settings = [name, "SERVICE_LDAP_BIND_DN"];
					steps.fail("search", text, { settings, facts: [...facts, ...error.facts] });
				}
			}
		};
		await check("SERVICE_LDAP_USER_SEARCH_BASE_DNS", config.SERVICE_LDAP_USER_SEARCH_BASE_DNS);
		if (config.SERVICE_LDAP_GROUP_SEARCH_FILTER === null) return;
		await check("SERVICE_LDAP_GROUP_SEARCH_BASE_DNS", config.SERVICE_LDAP_GROUP_SEARCH_BASE_DNS);
	}
}

/** RFC 4511 has more reasons, and servers have used these for a search that only known accounts may make. */
const WANTS_BIND: ReadonlySet<number> = new Set([
	CODE.operationsError,
	CODE.strongerAuthRequired,
	CODE.inappropriateAuthentication,
	CODE.insufficientAccess,
]);

/** The entry has no password, is gone, or may not log in: no other server will say otherwise. */
const WRONG_PASSWORD: ReadonlySet<number> = new Set([
	CODE.noSuchObject,
	CODE.inappropriateAuthentication,
	CODE.invalidCredentials,
]);

async function connect({
	ldapts,
	transport,
	server,
	steps,
	signal,
}: Omit<ConversationOptions, "steps"> & { readonly steps: Steps | undefined }): Promise<Connection> {
	const socket = await transport.open(server, steps, signal);
	return new Connection(ldapts, socket, server, signal, (error, hasAnswered) =>
		transport.describeBreak(server, error, hasAnswered),
	);
}

async function bindServiceAccount(
	{ config, server, steps }: ConversationOptions,
	connection: Connection,
): Promise<void> {
	const { SERVICE_LDAP_BIND_DN: dn, SERVICE_LDAP_BIND_PASSWORD: password } = config;
	if (dn === null || password === null) {
		steps.skip("bind", "There is no service account: SERVICE_LDAP_BIND_DN is not set.");
		return;
	}
	try {
		await connection.bind(dn, password.reveal());
	} catch (error) {
		if (!(error instanceof ResultError)) throw error;
		const { facts } = error;
		if (error.code === CODE.strongerAuthRequired || error.code === CODE.confidentialityRequired) {
			const text = `${server.address} accepts passwords only over an encrypted connection.`;
			throw new ServerFailure("bind", text, { settings: ["SERVICE_LDAP_TLS_MODE"], facts, cause: error });
		}
		if (error.code === CODE.invalidDnSyntax) {
			const text = `${server.address} does not accept the service account's name as a DN.`;
			throw new ServerFailure("bind", text, { settings: ["SERVICE_LDAP_BIND_DN"], facts, cause: error });
		}
		if (!WRONG_PASSWORD.has(error.code)) throw resultFailure("bind", server, error);
		const text = `${server.address} does not accept the service account${reasonOfActiveDirectory(error.diagnostic)}.`;
		const settings = ["SERVICE_LDAP_BIND_DN", "SERVICE_LDAP_BIND_PASSWORD"];
		throw new ServerFailure("bind", text, { settings, facts, cause: error });
	}
	steps.ok("bind", "The service account is accepted.", { facts: [fact("account", dn)] });
}

function resultFailure(
	step: "bind" | "search" | "user_bind",
	{ address }: LdapServer,
	error: ResultError,
	facts = error.facts,
): ServerFailure {
	const what = step === "search" ? "a search" : "a log-in";
	const text = `${address} answers ${what} with LDAP result code ${error.code}.`;
	return new ServerFailure(step, text, { facts, cause: error });
}

const MAX_GROUP_FACTS = 100;
const MAX_VALUE_FACTS = 10;

function groupFacts(dns: readonly string[]) {
	const facts = dns.slice(0, MAX_GROUP_FACTS).map((dn) => fact("group", dn));
	if (dns.length > MAX_GROUP_FACTS) facts.push(fact("group", `and ${dns.length - MAX_GROUP_FACTS} more`));
	return facts;
}

function factsOf({ type, values }: Entry["attributes"][number]) {
	return values.slice(0, MAX_VALUE_FACTS).map((value) => fact(type, shownValue(type, value)));
}

function groupSettings(config: Config): string[] {
	return config.SERVICE_LDAP_GROUP_SEARCH_FILTER === null
		? ["SERVICE_LDAP_ATTR_MEMBER_OF"]
		: ["SERVICE_LDAP_GROUP_SEARCH_FILTER", "SERVICE_LDAP_GROUP_SEARCH_BASE_DNS"];
}
