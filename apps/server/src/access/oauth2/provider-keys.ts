import {
	createLocalJWKSet,
	decodeProtectedHeader,
	errors,
	type JSONWebKeySet,
	type JWTPayload,
	type JWTVerifyOptions,
	jwtVerify,
} from "jose";
import { z } from "zod";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { parseJson } from "#http/parse-json.ts";
import { type Outgoing, OutgoingError } from "./outgoing.ts";
import { outgoingFault } from "./outgoing-faults.ts";
import { ProviderFault } from "./provider-fault.ts";

/** Asymmetric algorithms only: neither a secret nor a public key taken for one must sign (RFC 8725, 3.1 and 3.2). */
export const SIGNING_ALGORITHMS = [
	...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"],
	...["EdDSA", "Ed25519"],
];

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(1_000) });

const KEPT_MS = 3_600_000;
const KEPT_UNSAID_MS = 600_000;
/** For the same unknown key the provider is asked once in this time, and only for a few such keys. */
const RENEWED_EVERY_MS = 60_000;
const MAX_RENEWALS = 3;

interface KnownKeys {
	readonly until: number;
	readonly keys: JSONWebKeySet;
}

/** The keys that a provider signs with; fetched again when a token is signed by a key that is not among them. */
export class ProviderKeys {
	readonly #provider: OAuth2Provider;
	readonly #outgoing: Outgoing;
	readonly #address: string;
	#known: KnownKeys | undefined;
	#asking: Promise<KnownKeys> | undefined;
	/** When the keys were fetched again, by the reason. */
	readonly #renewals = new Map<string, number>();

	constructor(provider: OAuth2Provider, outgoing: Outgoing, address: string) {
		this.#provider = provider;
		this.#outgoing = outgoing;
		this.#address = address;
	}

	/**
	 * The claims of a token that one of the keys has signed.
	 * @throws errors.JOSEError, ProviderFault
	 */
	async verify(token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
		const keys = await this.list();
		try {
			return await verifyBy(keys, token, options);
		} catch (error) {
			if (!isAboutKeys(error)) throw error;
			if (this.#mayRenew(`${error.code} ${decodeProtectedHeader(token).kid}`)) this.#known = undefined;
			// Another sign-in may have fetched the keys meanwhile, for the same reason.
			const renewed = await this.list();
			if (renewed === keys) throw error;
			return await verifyBy(renewed, token, options);
		}
	}

	/** @throws ProviderFault */
	async list(): Promise<JSONWebKeySet> {
		if (this.#known !== undefined && performance.now() < this.#known.until) return this.#known.keys;
		this.#asking ??= this.#fetch().finally(() => {
			this.#asking = undefined;
		});
		this.#known = await this.#asking;
		return this.#known.keys;
	}

	#mayRenew(reason: string): boolean {
		const now = performance.now();
		for (const [known, at] of this.#renewals) if (now - at >= RENEWED_EVERY_MS) this.#renewals.delete(known);
		if (this.#renewals.has(reason) || this.#renewals.size >= MAX_RENEWALS) return false;
		this.#renewals.set(reason, now);
		return true;
	}

	async #fetch(): Promise<KnownKeys> {
		const { prefix } = this.#provider;
		const asked = { step: "id_token", what: "its keys", address: this.#address, code: "oauth_error" } as const;
		const answer = await this.#outgoing
			.send(this.#address, { headers: { accept: "application/json" } })
			.catch((error) => {
				throw error instanceof OutgoingError ? outgoingFault(error, asked, prefix) : error;
			});
		const parsed = answer.status === 200 ? KeySet.safeParse(parseJson(answer.text)) : undefined;
		if (parsed?.success !== true) {
			throw new ProviderFault("id_token", "There is no key set at the provider's jwks_uri.", {
				code: "oauth_error",
				settings: [`${prefix}OIDC_CONFIG_URL`],
				facts: [
					{ name: "Address", value: this.#address },
					{ name: "Status", value: String(answer.status) },
				],
			});
		}
		const maxAge = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(answer.headers.get("cache-control") ?? "")?.[1];
		const keptMs = maxAge === undefined ? KEPT_UNSAID_MS : Math.min(Number(maxAge) * 1_000, KEPT_MS);
		return { until: performance.now() + Math.max(keptMs, RENEWED_EVERY_MS), keys: parsed.data };
	}
}

async function verifyBy(keys: JSONWebKeySet, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
	const strict = { ...options, algorithms: SIGNING_ALGORITHMS };
	try {
		return (await jwtVerify(token, createLocalJWKSet(keys), strict)).payload;
	} catch (error) {
		if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
		// The token does not name its key.
		for await (const key of error) {
			try {
				return (await jwtVerify(token, key, strict)).payload;
			} catch (wrong) {
				if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
			}
		}
		throw new errors.JWSSignatureVerificationFailed();
	}
}

function isAboutKeys(error: unknown): error is errors.JOSEError {
	return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
}
