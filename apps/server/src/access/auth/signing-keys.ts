import { hkdfSync } from "node:crypto";
import type { Config } from "#base/config.ts";

/** What a key is for; each has a key of its own, so that one kind of token or text is never taken for another. */
export type KeyPurpose = "access" | "refresh" | "reset" | "oauth-state" | "encryption" | "lockout" | "canary";

const KEY_BYTES = 32;

/** Keys derived from `SERVICE_SECRET` and, for verifying and decrypting only, from `SERVICE_SECRET_PREVIOUS`. */
export interface SigningKeys {
	/** The key that signs and encrypts. */
	current(purpose: KeyPurpose): Uint8Array;
	/** The current key, then those of former secrets. */
	all(purpose: KeyPurpose): readonly Uint8Array[];
}

/** HKDF-SHA256 (RFC 5869) with a label per purpose. Undefined while `SERVICE_SECRET` is unset. */
export function deriveSigningKeys(
	config: Pick<Config, "SERVICE_SECRET" | "SERVICE_SECRET_PREVIOUS">,
): SigningKeys | undefined {
	if (config.SERVICE_SECRET === null) return undefined;
	const secrets = [config.SERVICE_SECRET, ...config.SERVICE_SECRET_PREVIOUS];
	const derived = new Map<KeyPurpose, readonly [Uint8Array, ...Uint8Array[]]>();
	const keysOf = (purpose: KeyPurpose) => {
		const known = derived.get(purpose);
		if (known !== undefined) return known;
		const [first, ...rest] = secrets.map((secret) => derive(secret.reveal(), purpose));
		if (first === undefined) throw new Error("no secret to derive a key from");
		const keys = [first, ...rest] as const;
		derived.set(purpose, keys);
		return keys;
	};
	return { current: (purpose) => keysOf(purpose)[0], all: keysOf };
}

function derive(secret: string, purpose: KeyPurpose): Uint8Array {
	return new Uint8Array(hkdfSync("sha256", secret, "", `spanward ${purpose}`, KEY_BYTES));
}
