import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { withLock } from "./credentials-lock.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import type { Environment } from "./io.ts";

/** What a token is for: it is unknown elsewhere (RFC 8707). */
export const AUDIENCES = ["api", "mcp"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** Of an authorization (RFC 6749). */
export interface Tokens {
	readonly access_token: string;
	/** Good for one use: whoever uses it a second time ends the authorization. */
	readonly refresh_token: string;
	/** Of the access token, ISO 8601, by the clock of this machine. */
	readonly expires_at: string;
}

/** A server, and what it is asked with. */
export interface Profile {
	readonly url: string;
	/** An API key; absent while the server asks for none, and after a log-in without one. */
	readonly key?: string;
	/** Of log-ins, each an authorization of its own. */
	readonly tokens?: Readonly<Partial<Record<Audience, Tokens>>>;
}

export interface Credentials {
	/** The name of the profile that commands use unless told otherwise. */
	readonly current?: string;
	readonly profiles: Readonly<Record<string, Profile>>;
}

const VERSION = 1;
const OTHERS = 0o077;

/** `credentials.json` in `$XDG_CONFIG_HOME/spanward`, else in `~/.config/spanward`. */
export function credentialsPath(environment: Environment): string {
	const home = environment["HOME"] || homedir();
	// XDG Base Directory Specification: a relative path is to be ignored.
	const given = environment["XDG_CONFIG_HOME"];
	return join(given?.startsWith("/") ? given : join(home, ".config"), "spanward", "credentials.json");
}

/** @throws CommandFailure when the file cannot be read or understood */
export async function readCredentials(environment: Environment): Promise<Credentials> {
	const path = credentialsPath(environment);
	let text: string;
	try {
		text = await readFile(path, "utf8");
	} catch (error) {
		if (isErrorWithCode(error, "ENOENT")) return { profiles: {} };
		throw error;
	}
	try {
		return toCredentials(JSON.parse(text));
	} catch (error) {
		if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
		throw new CommandFailure(EXIT.usage, `${path} is not what spanward login writes: delete it, and log in again.`);
	}
}

/** Whether other accounts of this machine may read the file. */
export async function othersMayRead(environment: Environment): Promise<boolean> {
	if (process.platform === "win32") return false;
	try {
		return ((await stat(credentialsPath(environment))).mode & OTHERS) !== 0;
	} catch (error) {
		if (isErrorWithCode(error, "ENOENT")) return false;
		throw error;
	}
}

/**
 * Replaces the file by what `change` makes of it, while no other process changes it; readers see the old or the new one
 * whole. Only the owner may read it.
 * @param change is given what is in the file, and returns the same where nothing changes
 */
export async function changeCredentials(
	environment: Environment,
	change: (credentials: Credentials) => Credentials | Promise<Credentials>,
	signal?: AbortSignal,
): Promise<void> {
	const path = credentialsPath(environment);
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	await withLock(path.replace(/json$/, "lock"), signal, async () => {
		const credentials = await readCredentials(environment);
		const changed = await change(credentials);
		if (changed !== credentials) await replaceFile(path, { version: VERSION, ...changed });
	});
}

async function replaceFile(path: string, content: object): Promise<void> {
	const next = `${path}.${randomUUID()}`;
	try {
		await writeFile(next, `${JSON.stringify(content, null, "\t")}\n`, { mode: 0o600, flag: "wx", flush: true });
		// The mask of the process may have taken more away.
		await chmod(next, 0o600);
		await rename(next, path);
	} finally {
		await rm(next, { force: true });
	}
}

function toCredentials(value: unknown): Credentials {
	const { current, profiles } = members(value);
	const read = Object.entries(members(profiles)).map(([name, profile]) => {
		const { url, key, tokens } = members(profile);
		if (typeof url !== "string") throw new TypeError("a profile has no url");
		const read = {
			url,
			...(typeof key === "string" && { key }),
			...(tokens !== undefined && { tokens: toTokens(tokens) }),
		};
		return [name, read] as const;
	});
	return { ...(typeof current === "string" && { current }), profiles: Object.fromEntries(read) };
}

function toTokens(value: unknown): NonNullable<Profile["tokens"]> {
	const given = members(value);
	const read = AUDIENCES.flatMap((audience) => {
		if (given[audience] === undefined) return [];
		const { access_token, refresh_token, expires_at } = members(given[audience]);
		if (typeof access_token !== "string" || typeof refresh_token !== "string" || typeof expires_at !== "string")
			throw new TypeError("tokens are incomplete");
		return [[audience, { access_token, refresh_token, expires_at }] as const];
	});
	return Object.fromEntries(read);
}

function members(value: unknown): Record<string, unknown> {
	if (typeof value !== "object" || value === null) throw new TypeError("not an object");
	return Object.fromEntries(Object.entries(value));
}

function isErrorWithCode(error: unknown, code: string): boolean {
	return error instanceof Error && "code" in error && error.code === code;
}
