import { ConnectionError, ServerError } from "@spanward/client";
import { printable } from "@spanward/server/src/command-line/printable.ts";
import * as openid from "openid-client";
import { AUDIENCES, type Audience, type Profile, type Tokens } from "../credentials.ts";
import { CommandFailure, EXIT, usageFailure } from "../failure.ts";

/** Comes with each server. */
const CLIENT_ID = "spanward-cli";
const TIMEOUT_S = 15;

/**
 * The authorization server at an address (RFC 8414), which has to be its issuer.
 * @throws CommandFailure where programs cannot log in
 */
export async function discover(url: string): Promise<openid.Configuration> {
	try {
		return await openid.discovery(new URL(url), CLIENT_ID, undefined, openid.None(), {
			timeout: TIMEOUT_S,
			// The user gave an address without TLS.
			execute: url.startsWith("http:") ? [openid.allowInsecureRequests] : [],
		});
	} catch (error) {
		throw (await discoveryFailure(error, url)) ?? toOAuthFailure(error, url);
	}
}

async function discoveryFailure(error: unknown, url: string): Promise<CommandFailure | undefined> {
	if (!(error instanceof openid.ClientError)) return undefined;
	const { cause } = error;
	if (cause instanceof Response && cause.status === 404) {
		const reason = await reasonOf(cause.url);
		return new CommandFailure(EXIT.notAllowed, `${reason ?? `${url} lets no programs log in.`} ${keyHint(url)}`);
	}
	const issuer = issuerIn(cause);
	if (issuer === undefined) return undefined;
	return usageFailure(`${url} calls itself ${printable(issuer)}: log in with that address.`);
}

/** Why there is no such page, if that is to be changed by a setting. */
async function reasonOf(address: string): Promise<string | undefined> {
	const response = await fetch(address, { headers: { accept: "application/problem+json" } });
	if (!response.headers.get("content-type")?.includes("json")) return undefined;
	const { code, detail }: { code?: unknown; detail?: unknown } = await response.json();
	return code === "root_url_unset" && typeof detail === "string" ? printable(detail) : undefined;
}

/** What to do where no program can log in. */
export function keyHint(url: string): string {
	return `Make a key in its Settings → API keys, and run spanward login --key ${url}.`;
}

function issuerIn(cause: unknown): string | undefined {
	if (typeof cause !== "object" || cause === null || !("body" in cause)) return undefined;
	const { body } = cause;
	if (typeof body !== "object" || body === null || !("issuer" in body)) return undefined;
	return typeof body.issuer === "string" ? body.issuer : undefined;
}

type TokenAnswer = Awaited<ReturnType<typeof openid.refreshTokenGrant>>;

/** @throws CommandFailure for an answer without a refresh token or an end */
export function toTokens({ access_token, refresh_token, expires_in }: TokenAnswer, url: string): Tokens {
	if (refresh_token === undefined || expires_in === undefined)
		throw new CommandFailure(EXIT.server, `${url} gave tokens that cannot be refreshed.`);
	return { access_token, refresh_token, expires_at: new Date(Date.now() + expires_in * 1_000).toISOString() };
}

/**
 * Gets new tokens for a refresh token, which is spent then. Never sent a second time: that would end the authorization.
 * @throws CommandFailure when the authorization has ended
 */
export async function refresh(url: string, audience: Audience, refreshToken: string): Promise<Tokens> {
	const configuration = await discover(url);
	try {
		return toTokens(await openid.refreshTokenGrant(configuration, refreshToken), url);
	} catch (error) {
		if (error instanceof openid.ResponseBodyError && error.error === "invalid_grant")
			throw new CommandFailure(
				EXIT.notAllowed,
				`The log-in at ${url} was ended, or has expired: log in again with ${commandFor(url, audience)}.`,
			);
		throw toOAuthFailure(error, url);
	}
}

/** What logs in. */
export function commandFor(url: string, audience: Audience): string {
	return `spanward login ${audience === "mcp" ? "--mcp " : ""}${url}`;
}

/** Ends the authorizations of a profile at its server (RFC 7009). */
export async function endAuthorizations({ url, tokens = {} }: Profile): Promise<void> {
	const kept = AUDIENCES.flatMap((audience) => tokens[audience] ?? []);
	if (kept.length === 0) return;
	const configuration = await discover(url);
	try {
		for (const { refresh_token } of kept) await openid.tokenRevocation(configuration, refresh_token);
	} catch (error) {
		throw toOAuthFailure(error, url);
	}
}

/** What people are told of an error of the library, or the error itself. */
export function toOAuthFailure(error: unknown, url: string): unknown {
	// What fetch throws when there is no answer; faults of this program have a code.
	if (error instanceof TypeError && !("code" in error)) return new ConnectionError(url, error);
	if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
		return refusal(error, url);
	if (!(error instanceof Error && "code" in error && String(error.code).startsWith("OAUTH_"))) return error;
	if (error.code === "OAUTH_TIMEOUT") return new ConnectionError(url, error);
	const { cause } = error;
	if (cause instanceof Response && (cause.status >= 500 || cause.status === 429))
		return new ServerError(cause.status, "server_error", `${url} answered ${cause.status}`);
	const why = cause instanceof Error ? ` (${cause.message})` : "";
	return new CommandFailure(EXIT.server, `${url} does not answer as OAuth has it: ${printable(error.message + why)}.`);
}

function refusal(
	error: openid.AuthorizationResponseError | openid.ResponseBodyError,
	url: string,
): CommandFailure | ServerError {
	const { error: code, error_description: said } = error;
	if (code === "access_denied") return new CommandFailure(EXIT.notAllowed, "It was refused, so nothing was kept.");
	if (code === "expired_token")
		return new CommandFailure(EXIT.condition, "The code has expired, as nobody entered it in time. Log in again.");
	const text = printable(`${url} refuses: ${said ?? code}`);
	if ("status" in error && error.status >= 429) return new ServerError(error.status, code, text);
	return new CommandFailure(EXIT.notAllowed, `${text}.`);
}
