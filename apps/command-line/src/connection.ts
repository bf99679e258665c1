import { Spanward, type SpanwardOptions } from "@spanward/client";
import { type Audience, credentialsPath, othersMayRead, type Profile, readCredentials } from "./credentials.ts";
import { CommandFailure, EXIT, usageFailure } from "./failure.ts";
import { fetchWithoutRedirects } from "./fetch-without-redirects.ts";
import type { Io } from "./io.ts";
import { AccessTokens } from "./log-in/access-tokens.ts";
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
 * same address, or its tokens: they are never sent to another address than they were given for.
 * @throws CommandFailure when none is named
 */
export async function findTarget({ environment }: Pick<Io, "environment">, given: Given): Promise<Target> {
	const { current, profiles } = await readCredentials(environment);
	const key = environment["SERVICE_API_KEY"]?.trim() || undefined;
	const of = (name: string | undefined, { url, ...kept }: Profile): Target => ({
		url,
		...(name !== undefined && { profile: name }),
		...(key === undefined ? kept : { key }),
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
export function connectTo(
	target: Target,
	io: Pick<Io, "environment" | "signal">,
	options: SpanwardOptions = {},
): Spanward {
	return new Spanward({
		baseUrl: target.url,
		headers: { "user-agent": "spanward-cli" },
		retries: { attempts: ATTEMPTS },
		fetch: fetchAs(target, "api", io),
		...options,
	});
}

/**
 * `fetch` with the key of a target, or with an access token of its log-in: a new one when that has run out or is refused.
 * Without either, nothing is sent, as the environment's key was looked at already.
 */
export function fetchAs(target: Target, audience: Audience, io: Pick<Io, "environment" | "signal">): typeof fetch {
	const { key, profile, url, tokens } = target;
	const held = tokens?.[audience];
	const accessTokens =
		held === undefined || profile === undefined ? undefined : new AccessTokens(io, { profile, url, audience }, held);
	return async (input, init = {}) => {
		const signal = init.signal ? AbortSignal.any([io.signal, init.signal]) : io.signal;
		const send = (credential: string | undefined) => {
			const headers = new Headers(init.headers);
			if (credential === undefined) headers.delete("authorization");
			else headers.set("authorization", `Bearer ${credential}`);
			return fetchWithoutRedirects(input, { ...init, headers, signal });
		};
		if (accessTokens === undefined) return await send(key);
		const token = await accessTokens.get();
		const response = await send(token);
		if (response.status !== 401 || !canBeSentAgain(init.body)) return response;
		const next = await accessTokens.getInsteadOf(token);
		await response.body?.cancel();
		return await send(next);
	};
}

function canBeSentAgain(body: RequestInit["body"]): boolean {
	return body === undefined || body === null || typeof body === "string" || ArrayBuffer.isView(body);
}

/** @throws CommandFailure when others of this machine may read the keys */
export async function assertOnlyOwnerReads(io: Io): Promise<void> {
	if (await othersMayRead(io.environment)) {
		const path = credentialsPath(io.environment);
		throw new CommandFailure(EXIT.usage, `Others on this machine may read ${path}: run chmod 600 ${path}.`);
	}
}
