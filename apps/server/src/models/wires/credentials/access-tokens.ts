import { createHash } from "node:crypto";
import { forgetOldest } from "#base/forget-oldest.ts";
import type { OpenConnection } from "#models/connection.ts";
import { ModelError } from "#models/model-error.ts";
import { type Hide, hiderOf } from "../errors/hide-credentials.ts";
import { errorOfResponse, notOfProtocol } from "../errors/provider-error.ts";
import { objectAt, parseJson } from "../json-object.ts";
import { MAX_ERROR_BYTES, readText } from "../read-text.ts";
import { googleTokenRequest } from "./google-token-request.ts";
import { microsoftTokenRequest } from "./microsoft-token-request.ts";

/** Asks an authority for a token. */
export interface TokenRequest {
	readonly url: string;
	readonly form: URLSearchParams;
}

/** Other addresses than those of Google and Microsoft: for tests, whose authorities are servers of their own. */
export interface TokenAddresses {
	readonly google?: string;
	/** In place of `https://login.microsoftonline.com` and its like. */
	readonly microsoft?: string;
}

interface Token {
	readonly value: string;
	/** By `Date.now()`; some time before the authority ends it. */
	readonly usableUntil: number;
}

export interface TokenOptions {
	/** The guarded one. */
	readonly fetch: typeof fetch;
	readonly signal: AbortSignal;
}

const MARGIN_MS = 5 * 60_000;
const MAX_TOKENS = 200;

/** Tokens for Vertex and Entra by the credentials they were got with, until shortly before they end. */
export class AccessTokens {
	readonly #addresses: TokenAddresses;
	readonly #tokens = new Map<string, Token>();

	constructor(addresses: TokenAddresses = {}) {
		this.#addresses = addresses;
	}

	/** Undefined for a connection whose credentials go into its requests as they are. */
	async tokenOf(connection: OpenConnection, options: TokenOptions): Promise<string | undefined> {
		const hide = hiderOf(connection);
		const key = keyOf(connection);
		const kept = this.#tokens.get(key);
		if (kept !== undefined && kept.usableUntil > Date.now()) return kept.value;
		const request = await this.#requestFor(connection);
		if (request === undefined) return;
		const token = await askForToken(request, hide, options);
		this.#keep(key, token);
		return token.value;
	}

	/** The next request asks anew: the provider refused the token. */
	forget(connection: OpenConnection): void {
		this.#tokens.delete(keyOf(connection));
	}

	async #requestFor({ kind, baseUrl, credentials }: OpenConnection): Promise<TokenRequest | undefined> {
		const { service_account: account, tenant_id: tenant, client_id: client, client_secret: secret } = credentials;
		if (kind === "google_vertex" && account !== undefined) {
			return await googleTokenRequest(account, this.#addresses.google);
		}
		if (kind !== "azure_openai" || tenant === undefined || client === undefined || secret === undefined) return;
		return microsoftTokenRequest({ baseUrl, tenant, client, secret }, this.#addresses.microsoft);
	}

	#keep(key: string, token: Token): void {
		this.#tokens.delete(key);
		this.#tokens.set(key, token);
		forgetOldest(this.#tokens, MAX_TOKENS);
	}
}

function keyOf({ kind, baseUrl, credentials }: OpenConnection): string {
	return createHash("sha256")
		.update(JSON.stringify([kind, baseUrl, Object.entries(credentials).sort()]))
		.digest("base64");
}

async function askForToken({ url, form }: TokenRequest, hide: Hide, options: TokenOptions): Promise<Token> {
	const { response, body } = await post(url, form, options);
	if (!response.ok) {
		const { message, status = 0, isPassing } = errorOfResponse(response, body, hide);
		// Authorities answer 400 to credentials that they do not know.
		const code = status < 500 && status !== 429 ? "authentication" : isPassing ? "unreachable" : "bad_response";
		throw new ModelError(code, `No token was given for the credentials of the connection. ${message}`, {
			status,
			isPassing,
		});
	}
	const { access_token: value, expires_in: seconds } = objectAt(parseJson(body)?.value);
	if (typeof value !== "string" || value === "") {
		throw notOfProtocol("The authority answered without a token.", body, hide);
	}
	const lifetime = Number.isFinite(Number(seconds)) ? Number(seconds) * 1_000 : 0;
	return { value, usableUntil: Date.now() + Math.max(lifetime - MARGIN_MS, 0) };
}

async function post(
	url: string,
	form: URLSearchParams,
	{ fetch, signal }: TokenOptions,
): Promise<{ readonly response: Response; readonly body: string }> {
	const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
	const response = await fetch(url, { method: "POST", headers, body: form.toString(), signal, redirect: "manual" });
	return { response, body: await readText(response, MAX_ERROR_BYTES) };
}
