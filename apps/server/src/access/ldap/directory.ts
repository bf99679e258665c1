import { isIPv6 } from "node:net";
import type { Config } from "#base/config.ts";
import { canonicalDn } from "#base/ldap-syntax/dn.ts";
import { NoPermit, Semaphore } from "#base/semaphore.ts";
import type { Lockout } from "../auth/passwords/lockout.ts";
import type { LdapIdentity } from "../external-accounts/identity.ts";
import { SignInRefusal, type Step, Steps } from "../sign-in/steps.ts";
import { attempt } from "./attempts.ts";
import { Conversation } from "./conversation.ts";
import { ServerFailure } from "./failures.ts";
import { foldName } from "./names.ts";
import type { Entry } from "./responses.ts";
import { type LdapServer, Transport } from "./transport.ts";

export interface LdapCredentials {
	readonly username: string;
	readonly password: string;
}

/** What one of the servers answered to a check of the settings. */
export interface ServerReport {
	readonly address: string;
	readonly steps: readonly Step[];
}

/** Includes the wait for a turn and every server that has to be asked. */
const TOTAL_MS = 15_000;
const AT_ONCE = 10;
const MAX_WAITING = 200;
const MAX_USERNAME = 256;
const MAX_PASSWORD_BYTES = 1_024;

/** Identifies and authenticates people by the LDAP directory. */
export class LdapDirectory {
	readonly #config: Config;
	readonly #lockout: Lockout;
	readonly #transport: Transport;
	readonly #servers: readonly LdapServer[];
	readonly #semaphore = new Semaphore(AT_ONCE, MAX_WAITING);

	constructor(config: Config, lockout: Lockout) {
		this.#config = config;
		this.#lockout = lockout;
		this.#transport = new Transport(config);
		const port = config.SERVICE_LDAP_PORT ?? (config.SERVICE_LDAP_TLS_MODE === "ldaps" ? 636 : 389);
		this.#servers = config.SERVICE_LDAP_HOST.map((host) => toServer(host, port));
	}

	/**
	 * Checks a password and lets `admit` decide about its owner. All of it is one attempt of the lockout, for the name
	 * that was typed and for the entry that has it.
	 * @throws SignInRefusal `invalid_login`, or `directory_unavailable` which does not count as an attempt
	 * @throws UserError 429 while the name or the entry is locked
	 */
	async authenticate<T>(
		{ username, password }: LdapCredentials,
		steps: Steps,
		admit: (identity: LdapIdentity) => Promise<T>,
	): Promise<T> {
		const name = readName(username, steps);
		refuseUnusablePassword(password, steps);
		return await attempt(this.#lockout, foldName(name), async () => {
			const identity = await this.#ask(steps, (conversation) => this.#identify(conversation, name, password));
			return await admit(identity);
		});
	}

	/**
	 * As {@link authenticate}, for an admin who tries the settings; without a password it only looks the user up. A
	 * password counts for the lockout.
	 * @throws SignInRefusal as a real log-in would
	 */
	async inspect(username: string, password: string | undefined, steps: Steps): Promise<LdapIdentity> {
		if (password !== undefined)
			return await this.authenticate({ username, password }, steps, async (identity) => identity);
		const name = readName(username, steps);
		return await this.#ask(steps, async (conversation) => {
			const entry = await conversation.findUser(name);
			steps.skip("user_bind", "No password was tried.");
			return await conversation.identify(entry, name);
		});
	}

	/** Whether each server can be reached, accepts the service account and has the bases; ends in bounded time. */
	async check(): Promise<readonly ServerReport[]> {
		const signal = AbortSignal.timeout(TOTAL_MS);
		return await Promise.all(
			this.#servers.map(async (server) => {
				const steps = new Steps();
				try {
					await using conversation = await this.#open(server, steps, signal);
					await conversation.checkBases();
				} catch (error) {
					if (!(error instanceof ServerFailure)) throw error;
					noteFailure(steps, error);
				}
				return { address: server.address, steps: steps.list };
			}),
		);
	}

	async #identify(conversation: Conversation, name: string, password: string): Promise<LdapIdentity> {
		const found = await conversation.findUser(name).catch((error: unknown) => {
			if (error instanceof SignInRefusal) return error;
			throw error;
		});
		// A name that nobody has goes the same way, so that timing does not reveal it.
		return await attempt(this.#lockout, found instanceof SignInRefusal ? nobody(name) : accountOf(found), async () => {
			if (found instanceof SignInRefusal) {
				await conversation.checkDummyPassword(password);
				throw found;
			}
			await conversation.checkPassword(found, password);
			return await conversation.identify(found, name);
		});
	}

	/** Asks one server after the other until one can answer. @throws SignInRefusal `directory_unavailable` when none can */
	async #ask<T>(steps: Steps, question: (conversation: Conversation) => Promise<T>): Promise<T> {
		const signal = AbortSignal.timeout(TOTAL_MS);
		try {
			return await this.#semaphore.run(async () => {
				let failure = new ServerFailure("connect", "There is no directory server.");
				for (const [index, server] of this.#servers.entries()) {
					if (index > 0) noteFailure(steps, failure);
					try {
						await using conversation = await this.#open(server, steps, signal);
						return await question(conversation);
					} catch (error) {
						if (!(error instanceof ServerFailure)) throw error;
						failure = error;
					}
					if (signal.aborted) break;
				}
				throw steps.refuse(failure.step, "directory_unavailable", failure.message, failure);
			}, signal);
		} catch (error) {
			if (!(error instanceof NoPermit)) throw error;
			const text = "Too many people log in at this moment for the directory to be asked in time.";
			throw steps.refuse("connect", "directory_unavailable", text, { settings: ["SERVICE_LDAP_HOST"] });
		}
	}

	async #open(server: LdapServer, steps: Steps, signal: AbortSignal): Promise<Conversation> {
		const ldapts = await import("ldapts");
		return await Conversation.open({
			ldapts,
			config: this.#config,
			transport: this.#transport,
			server,
			steps,
			signal,
		});
	}
}

/** Undefined where LDAP is not configured. */
export function createDirectory(config: Config, lockout: Lockout): LdapDirectory | undefined {
	if (!config.SERVICE_ENABLE_AUTH || config.SERVICE_LDAP_HOST.length === 0) return undefined;
	return new LdapDirectory(config, lockout);
}

function toServer(written: string, port: number): LdapServer {
	const host = written.replace(/^\[(.*)\]$/, "$1");
	return { host, port, address: isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}` };
}

/** The lockout's name for an entry. No typed name folds to it, as those have no control characters. */
function accountOf({ dn }: Entry): string {
	return `\0entry\0${canonicalDn(dn) ?? dn}`;
}

function nobody(name: string): string {
	return `\0nobody\0${foldName(name)}`;
}

function readName(username: string, steps: Steps): string {
	const name = username.trim();
	if (foldName(name) !== "" && name.length <= MAX_USERNAME && !/\p{Cc}/u.test(username)) return name;
	throw steps.refuse("search", "invalid_login", "What was typed as the username is none.");
}

/** Servers accept an empty password without checking it (RFC 4513, 5.1.2), and some read only up to a NUL. */
function refuseUnusablePassword(password: string, steps: Steps): void {
	const isUsable = password.trim() !== "" && !password.includes("\0");
	if (isUsable && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES) return;
	throw steps.refuse("user_bind", "invalid_login", "What was typed as the password is none.");
}

function noteFailure(steps: Steps, { step, message, settings, facts }: ServerFailure): void {
	steps.fail(step, message, { settings, facts });
}
