import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { Config } from "#base/config.ts";
import { parseJson } from "#http/parse-json.ts";
import {
	type BrowserCookie,
	cookiePrefix,
	cookieValues,
	deleteCookie,
	whereSent,
} from "../auth/log-in-sessions/cookies.ts";
import { SecretBox } from "../auth/secret-box.ts";
import type { SigningKeys } from "../auth/signing-keys.ts";

/** What has to be known when a browser comes back from a provider. */
const Transaction = z.object({
	provider: z.string(),
	/** Begins with the id of the transaction, by which its cookie is found. */
	state: z.string(),
	nonce: z.string(),
	/** Null without PKCE. */
	verifier: z.string().nullable(),
	redirectUri: z.string(),
	returnUrl: z.string().nullable(),
	/** The user who tries the settings; null for a real log-in. */
	tryOf: z.number().nullable(),
	/** Microseconds since 1970. */
	expiresAt: z.number(),
});

export type Transaction = z.output<typeof Transaction>;

type Settings = Pick<Config, "SERVICE_USE_SECURE_COOKIES" | "SERVICE_HOST_ROOT_PATH">;

const TRANSACTION_MICROS = 600_000_000;
const MAX_AGE = TRANSACTION_MICROS / 1_000_000;
const NAME = "service-oauth2-tx-";
const ID_BYTES = 9;
const RANDOM_BYTES = 24;
/** RFC 7636, 4.1 */
const VERIFIER_BYTES = 48;
const STATE = /^([\w-]{12})\.[\w-]{32}$/;
/** Transactions of one browser, of which the oldest is dropped: headers of requests are bounded, by proxies too. */
const MAX_AT_ONCE = 4;
const MAX_BYTES = 4_096;
/** Cookies that are examined; more than any browser has of its own accord. */
const MAX_LOOKED_AT = 32;

/**
 * The sign-ins that a browser has begun, each in a cookie of its own: encrypted, for this service only, and bound to
 * its name. The cookies are sent to every address below the root path, so that a log-out can delete them.
 */
export class Transactions {
	readonly #box: SecretBox;
	readonly #prefix: string;
	readonly #sent: Omit<BrowserCookie, "name">;

	constructor(config: Settings, keys: SigningKeys) {
		const path = config.SERVICE_HOST_ROOT_PATH || "/";
		const secure = config.SERVICE_USE_SECURE_COOKIES;
		this.#box = new SecretBox(keys, "oauth-state");
		this.#prefix = cookiePrefix(path, secure) + NAME;
		// Lax: the provider sends the browser back here.
		this.#sent = { path, sameSite: "lax", secure };
	}

	/** Begins a transaction, kept by the browser that gets the answer. */
	begin(
		begun: Pick<Transaction, "provider" | "redirectUri" | "returnUrl" | "tryOf"> & { readonly pkce: boolean },
		from: IncomingHttpHeaders,
		reply: FastifyReply,
		now: number,
	): Transaction {
		const { pkce, ...rest } = begun;
		const id = randomText(ID_BYTES);
		const transaction: Transaction = {
			...rest,
			state: `${id}.${randomText(RANDOM_BYTES)}`,
			nonce: randomText(RANDOM_BYTES),
			verifier: pkce ? randomText(VERIFIER_BYTES) : null,
			expiresAt: now + TRANSACTION_MICROS,
		};
		const name = this.#prefix + id;
		const value = this.#seal(name, transaction);
		this.#forgetOldest(from, reply, MAX_BYTES - value.length);
		void reply.header("set-cookie", `${name}=${value}; Max-Age=${MAX_AGE}; HttpOnly; ${whereSent(this.#sent)}`);
		return transaction;
	}

	/**
	 * The transaction that a callback with this state ends; undefined when this browser has not begun it, or too long
	 * ago.
	 */
	find(state: string, from: IncomingHttpHeaders, now: number): Transaction | undefined {
		const id = STATE.exec(state)?.[1];
		if (id === undefined) return undefined;
		const name = this.#prefix + id;
		return cookieValues(from.cookie, name)
			.map((value) => this.#open(name, value))
			.find(
				(transaction) => transaction !== undefined && transaction.expiresAt > now && isEqual(transaction.state, state),
			);
	}

	forget(state: string, reply: FastifyReply): void {
		const id = STATE.exec(state)?.[1];
		if (id !== undefined) this.#delete(this.#prefix + id, reply);
	}

	forgetAll(from: IncomingHttpHeaders, reply: FastifyReply): void {
		for (const { name } of this.#read(from)) this.#delete(name, reply);
	}

	/** Makes room for one more. */
	#forgetOldest(from: IncomingHttpHeaders, reply: FastifyReply, room: number): void {
		const sent = this.#read(from).map((cookie) => ({
			...cookie,
			begun: this.#open(cookie.name, cookie.value)?.expiresAt ?? 0,
		}));
		let bytes = 0;
		for (const [index, { name, value, begun }] of sent.sort((a, b) => b.begun - a.begun).entries()) {
			bytes += value.length;
			if (begun === 0 || index >= MAX_AT_ONCE - 1 || bytes > room) this.#delete(name, reply);
		}
	}

	#read(from: IncomingHttpHeaders): readonly { readonly name: string; readonly value: string }[] {
		const all = (from.cookie ?? "").split(";").flatMap((pair) => {
			const [name = "", value = ""] = pair.trim().split(/=(.*)/s);
			const isOurs = name.startsWith(this.#prefix) && /^[\w-]+$/.test(name);
			return isOurs ? [{ name, value }] : [];
		});
		return all.slice(0, MAX_LOOKED_AT);
	}

	#delete(name: string, reply: FastifyReply): void {
		void reply.header("set-cookie", deleteCookie({ ...this.#sent, name }));
	}

	#seal(name: string, transaction: Transaction): string {
		const { key_id, nonce, ciphertext } = this.#box.seal(name, JSON.stringify(transaction));
		return [key_id, encode(nonce), encode(ciphertext)].join(".");
	}

	#open(name: string, value: string): Transaction | undefined {
		const [key_id = "", nonce = "", ciphertext = ""] = value.split(".");
		const sealed = { key_id, nonce: Buffer.from(nonce, "base64url"), ciphertext: Buffer.from(ciphertext, "base64url") };
		const text = this.#box.open(name, sealed);
		// A transaction begun in another version of this service may have another form.
		return text === undefined ? undefined : Transaction.safeParse(parseJson(text)).data;
	}
}

function randomText(bytes: number): string {
	return randomBytes(bytes).toString("base64url");
}

function encode(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("base64url");
}

function isEqual(a: string, b: string): boolean {
	const [left, right] = [Buffer.from(a), Buffer.from(b)];
	return left.length === right.length && timingSafeEqual(left, right);
}
