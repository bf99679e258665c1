import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandFailure, EXIT } from "./failure.ts";
import type { Environment } from "./io.ts";

/** A server, and what it is asked with. */
export interface Profile {
	readonly url: string;
	/** An API key; absent while the server asks for none. */
	readonly key?: string;
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

/** Replaces the file by what `change` makes of it; readers see the old or the new one whole. Only the owner may read it. */
export async function changeCredentials(
	environment: Environment,
	change: (credentials: Credentials) => Credentials,
): Promise<void> {
	const path = credentialsPath(environment);
	const changed = change(await readCredentials(environment));
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	const next = `${path}.${randomUUID()}`;
	try {
		await writeFile(next, `${JSON.stringify({ version: VERSION, ...changed }, null, "\t")}\n`, {
			mode: 0o600,
			flag: "wx",
		});
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
		const { url, key } = members(profile);
		if (typeof url !== "string") throw new TypeError("a profile has no url");
		return [name, { url, ...(typeof key === "string" && { key }) }] as const;
	});
	return { ...(typeof current === "string" && { current }), profiles: Object.fromEntries(read) };
}

function members(value: unknown): Record<string, unknown> {
	if (typeof value !== "object" || value === null) throw new TypeError("not an object");
	return Object.fromEntries(Object.entries(value));
}

function isErrorWithCode(error: unknown, code: string): boolean {
	return error instanceof Error && "code" in error && error.code === code;
}
