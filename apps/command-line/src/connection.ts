import { Spanward, type SpanwardOptions } from "@spanward/client";
import { credentialsPath, othersMayRead, type Profile, readCredentials } from "./credentials.ts";
import { CommandFailure, EXIT, usageFailure } from "./failure.ts";
import { fetchWithoutRedirects } from "./fetch-without-redirects.ts";
import type { Io } from "./io.ts";
import { serverAddress } from "./server-address.ts";

/** How often a request is sent before the command says that the server is not there: within three seconds. */
const ATTEMPTS = 3;

/** The server that a command asks, and what it asks with. */
export interface Target extends Profile {
	/** The log-in that it is of. */
	readonly profile?: string;
}

interface Given {
	/** `--url` */
	readonly url?: string | undefined;
	/** `--profile` */
	readonly profile?: string | undefined;
}

/**
 * Finds the server: `--url`, `SERVICE_URL`, else the log-in's. The key is `SERVICE_API_KEY`, else that of a log-in at the
 * same address: a key is never sent to another address than it was given for.
 * @throws CommandFailure when none is named
 */
export async function findTarget({ environment }: Io, given: Given): Promise<Target> {
	const { current, profiles } = await readCredentials(environment);
	const key = environment["SERVICE_API_KEY"]?.trim() || undefined;
	const of = (name: string | undefined, profile: Profile): Target => ({
		...profile,
		...(name !== undefined && { profile: name }),
		...(key !== undefined && { key }),
	});
	if (given.profile !== undefined) {
		if (given.url !== undefined) throw usageFailure("--url and --profile both name a server: leave one out.");
		const profile = Object.hasOwn(profiles, given.profile) ? profiles[given.profile] : undefined;
		if (profile !== undefined) return of(given.profile, profile);
		const known = Object.keys(profiles).join(", ") || "none yet: spanward login <address>";
		throw usageFailure(`There is no profile ${given.profile}. Profiles: ${known}.`);
	}
	const [address, from] =
		given.url === undefined
			? ([environment["SERVICE_URL"]?.trim() || undefined, "SERVICE_URL"] as const)
			: ([given.url, "--url"] as const);
	if (address !== undefined) {
		const url = serverAddress(address, from);
		const known = Object.entries(profiles).filter(([, profile]) => profile.url === url);
		const [name, profile] = known.find(([own]) => own === current) ?? known[0] ?? [undefined, { url }];
		return of(name, profile);
	}
	const profile = current !== undefined && Object.hasOwn(profiles, current) ? profiles[current] : undefined;
	if (current === undefined || profile === undefined)
		throw usageFailure(
			"No server is named: log in with spanward login <address>, or give --url <address> or SERVICE_URL.",
		);
	return of(current, profile);
}

/** What asks the server. A command that is interrupted ends its requests. */
export function connectTo(target: Target, { signal }: Pick<Io, "signal">, options: SpanwardOptions = {}): Spanward {
	return new Spanward({
		baseUrl: target.url,
		// Without a key, none: the environment's was looked at already.
		headers: {
			...(target.key === undefined ? {} : { authorization: `Bearer ${target.key}` }),
			"user-agent": "spanward-cli",
		},
		retries: { attempts: ATTEMPTS },
		fetch: (input, init) =>
			fetchWithoutRedirects(input, { ...init, signal: init?.signal ? AbortSignal.any([signal, init.signal]) : signal }),
		...options,
	});
}

/** @throws CommandFailure when others of this machine may read the keys */
export async function assertOnlyOwnerReads(io: Io): Promise<void> {
	if (await othersMayRead(io.environment)) {
		const path = credentialsPath(io.environment);
		throw new CommandFailure(EXIT.usage, `Others on this machine may read ${path}: run chmod 600 ${path}.`);
	}
}
