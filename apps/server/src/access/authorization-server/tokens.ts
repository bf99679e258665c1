import { randomBytes, randomInt } from "node:crypto";
import { ACCESS_TOKEN_PREFIX, hashToken } from "../auth/principals/api-key.ts";

export { hashToken };

const REFRESH_TOKEN = /^sw_r_([\w-]{43})\.[\w-]{43}$/;
/** No vowels, so that no words arise, and no letters that look alike (RFC 8628, 6.1). */
const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH = 8;
const REGISTERED_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const REGISTERED_ID_LENGTH = 22;

/** 256 random bits in base64url. */
function secret(): string {
	return randomBytes(32).toString("base64url");
}

export function mintAccessToken(): string {
	return ACCESS_TOKEN_PREFIX + secret();
}

export interface RefreshToken {
	readonly token: string;
	/** What all refresh tokens of a grant share: of which the grant is found. */
	readonly family: string;
}

/** The first refresh token of a grant, or the next one. */
export function mintRefreshToken(family: string = secret()): RefreshToken {
	return { token: `sw_r_${family}.${secret()}`, family };
}

/** The family of a refresh token; undefined for another text. */
export function familyOf(token: string): string | undefined {
	return REFRESH_TOKEN.exec(token)?.[1];
}

/** An authorization code or device code. */
export function mintCode(): string {
	return secret();
}

/** `WDJBMJHT` */
export function mintUserCode(): string {
	return pick(USER_CODE_LETTERS, USER_CODE_LENGTH);
}

/** `WDJB-MJHT` */
export function shownUserCode(code: string): string {
	return `${code.slice(0, USER_CODE_LENGTH / 2)}-${code.slice(USER_CODE_LENGTH / 2)}`;
}

/** A user code as somebody types it: in any case, with whatever between its letters. */
export function typedUserCode(text: string): string {
	return text.toUpperCase().replace(/[^A-Z]/g, "");
}

/** `px_dcr_` and 22 letters and digits, the form that programs know. */
export function mintClientId(prefix: "px_dcr_" | "sw_client_"): string {
	return prefix + pick(REGISTERED_ID_LETTERS, REGISTERED_ID_LENGTH);
}

function pick(letters: string, length: number): string {
	return Array.from({ length }, () => letters.charAt(randomInt(letters.length))).join("");
}
