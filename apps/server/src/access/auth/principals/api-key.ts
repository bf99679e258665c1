import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Owners and admins are notified of a key so long before its end. */
export const KEY_ENDS_SOON_MS = 14 * 86_400_000;

export type ApiKeyKind = "user" | "system";

/** Begins every key, and besides them tokens of programs. */
export const API_KEY_PREFIX = "sw_";
/** Begins access tokens of programs. */
export const ACCESS_TOKEN_PREFIX = "sw_a_";
const PREFIX: Readonly<Record<ApiKeyKind, string>> = { user: "sw_u_", system: "sw_s_" };
/** Begins keys of either kind that were made to send and nothing else, and their stored public ids after `sw_`. */
const INGEST_PREFIX = "i_";
const PUBLIC_ID_LENGTH = 8;
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const LAST_CHARACTERS = 4;

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = BigInt(DIGITS.length);
const SHAPE = /^sw_([usi])_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** A new key: the text for its owner, which is stored nowhere, and what is stored of it. */
export interface MintedApiKey {
	/** `sw_u_<public id>_<secret><checksum>`, `sw_s_…` for system keys, `sw_i_…` for keys that can only send. */
	readonly key: string;
	/** With `i_` before it for keys that can only send. */
	readonly publicId: string;
	/** SHA-256 of the whole key: its secret has 256 random bits, so that a slow hash would protect nothing more. */
	readonly hash: Buffer;
	readonly lastCharacters: string;
}

/** @param isIngestOnly whether the key can send and do nothing else */
export function mintApiKey(kind: ApiKeyKind, isIngestOnly = false): MintedApiKey {
	const id = base62(randomBytes(PUBLIC_ID_LENGTH), PUBLIC_ID_LENGTH);
	const publicId = isIngestOnly ? INGEST_PREFIX + id : id;
	const unchecked = `${beginningOf(kind, publicId)}_${base62(randomBytes(SECRET_BYTES), SECRET_LENGTH)}`;
	const key = unchecked + checksum(unchecked);
	return { key, publicId, hash: hashToken(key), lastCharacters: key.slice(-LAST_CHARACTERS) };
}

/**
 * What a key says about itself; undefined, without asking the database, for what cannot be one, such as a mistyped key.
 */
export function parseApiKey(text: string): NamedApiKey | undefined {
	const [, letter, id, check] = SHAPE.exec(text) ?? [];
	if (id === undefined || checksum(text.slice(0, -CHECKSUM_LENGTH)) !== check) return undefined;
	if (letter === "i") return { publicId: INGEST_PREFIX + id };
	return { kind: letter === "u" ? "user" : "system", publicId: id };
}

export interface NamedApiKey {
	/** Absent where keys of both kinds look alike. */
	readonly kind?: ApiKeyKind;
	readonly publicId: string;
}

/** `sw_u_ab12cd34` */
function beginningOf(kind: ApiKeyKind, publicId: string): string {
	return (publicId.startsWith(INGEST_PREFIX) ? API_KEY_PREFIX : PREFIX[kind]) + publicId;
}

/** What lists show of a key: `sw_u_ab12cd34_…wxyz`. */
export function hintOf(kind: ApiKeyKind, publicId: string, lastCharacters: string): string {
	return `${beginningOf(kind, publicId)}_…${lastCharacters}`;
}

/** SHA-256 */
export function hashToken(token: string): Buffer {
	return hash("sha256", token, "buffer");
}

/** CRC-32, by which programs that look for leaked secrets tell a key from a text that resembles one. */
function checksum(text: string): string {
	return digits(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function base62(bytes: Buffer, length: number): string {
	return digits(BigInt(`0x${bytes.toString("hex")}`), length);
}

/** The last `length` digits of a number, zeros before it. */
function digits(value: bigint, length: number): string {
	let text = "";
	for (let rest = value; text.length < length; rest /= BASE) text = DIGITS.charAt(Number(rest % BASE)) + text;
	return text;
}
