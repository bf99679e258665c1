import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { KeyPurpose, SigningKeys } from "./signing-keys.ts";

/** A text as it is stored: encrypted with the key of this id. */
export interface SealedText {
	readonly key_id: string;
	readonly nonce: Uint8Array;
	/** With the authentication tag at its end. */
	readonly ciphertext: Uint8Array;
}

const ALGORITHM = "aes-256-gcm";
/** NIST SP 800-38D, 8.2.2: random nonces have 96 bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 12;

/**
 * Encrypts texts with AES-256-GCM under the current key and decrypts those of former ones. A text is bound to its name:
 * copied to another row it does not decrypt.
 */
export class SecretBox {
	/** What new texts are encrypted with. */
	readonly keyId: string;
	readonly #keys: ReadonlyMap<string, Uint8Array>;

	constructor(keys: SigningKeys, purpose: KeyPurpose = "encryption") {
		this.keyId = idOf(keys.current(purpose));
		this.#keys = new Map(keys.all(purpose).map((key) => [idOf(key), key]));
	}

	seal(name: string, text: string): SealedText {
		const nonce = randomBytes(NONCE_BYTES);
		const cipher = createCipheriv(ALGORITHM, this.#key(this.keyId), nonce, { authTagLength: TAG_BYTES });
		cipher.setAAD(boundTo(name, this.keyId));
		const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
		return { key_id: this.keyId, nonce, ciphertext };
	}

	/** Undefined when the text was sealed under another name or key, or changed since. */
	open(name: string, sealed: SealedText): string | undefined {
		if (!this.#keys.has(sealed.key_id) || sealed.nonce.length !== NONCE_BYTES) return undefined;
		const end = sealed.ciphertext.length - TAG_BYTES;
		if (end < 0) return undefined;
		const decipher = createDecipheriv(ALGORITHM, this.#key(sealed.key_id), sealed.nonce, { authTagLength: TAG_BYTES });
		decipher.setAAD(boundTo(name, sealed.key_id));
		decipher.setAuthTag(sealed.ciphertext.subarray(end));
		const text = decipher.update(sealed.ciphertext.subarray(0, end));
		try {
			return Buffer.concat([text, decipher.final()]).toString("utf8");
		} catch {
			// The only thing that final() throws for: the tag is another.
			return undefined;
		}
	}

	#key(id: string): Uint8Array {
		const key = this.#keys.get(id);
		if (key === undefined) throw new Error("no key of this id");
		return key;
	}
}

function boundTo(name: string, keyId: string): Buffer {
	return Buffer.from(`spanward secret\0${keyId}\0${name}`, "utf8");
}

/** Tells keys apart without saying anything about them. */
function idOf(key: Uint8Array): string {
	return createHmac("sha256", key).update("spanward key id").digest().subarray(0, KEY_ID_BYTES).toString("base64url");
}
