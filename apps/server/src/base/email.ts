/** Accounts of the service itself, the only addresses without a dot in the domain. */
export const SYSTEM_EMAIL = "system@localhost";
export const DEFAULT_ADMIN_EMAIL = "admin@localhost";

const BUILT_IN = new Set([SYSTEM_EMAIL, DEFAULT_ADMIN_EMAIL]);
/** RFC 5321, 4.5.3.1.3 */
const MAX_LENGTH = 254;
const MAX_LOCAL_BYTES = 64;
/** RFC 5322 `atext`, and the letters of RFC 6531. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN =
	/^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)+$/u;
const MAX_LABEL_LENGTH = 63;

/**
 * The form in which addresses are stored and compared: trimmed, lower case, NFC. Does not check that the text is an
 * address.
 */
export function canonicalEmail(text: string): string {
	return text.trim().toLowerCase().normalize("NFC");
}

/**
 * The canonical form of an address that another system reports for somebody. Undefined for an invalid one, and for one
 * with a letter that only folding makes ASCII, such as the Kelvin sign: folded, it could be somebody else's address.
 */
export function claimedEmail(text: string): string | undefined {
	if (text.length > 4 * MAX_LENGTH) return undefined;
	const canonical = canonicalEmail(text);
	const looksLikeAscii = (letter: string) => !isAscii(letter) && isAscii(canonicalEmail(letter));
	return isEmail(canonical) && !Array.from(text.trim()).some(looksLikeAscii) ? canonical : undefined;
}

function isAscii(text: string): boolean {
	return Buffer.byteLength(text) === text.length;
}

/**
 * Whether a canonical address belongs to one of the service's own accounts, and so to nobody whom another system
 * reports.
 */
export function isBuiltInEmail(canonical: string): boolean {
	return BUILT_IN.has(canonical);
}

/**
 * Whether a canonical address is one that mails can be sent to. Quoted local parts, comments and address literals are
 * refused: mail libraries disagree about them.
 */
export function isEmail(canonical: string): boolean {
	if (isBuiltInEmail(canonical)) return true;
	if (canonical.length > MAX_LENGTH || Buffer.byteLength(canonical) > MAX_LENGTH) return false;
	const [local = "", domain = "", ...rest] = canonical.split("@");
	return (
		rest.length === 0 &&
		Buffer.byteLength(local) <= MAX_LOCAL_BYTES &&
		LOCAL_PART.test(local) &&
		DOMAIN.test(domain) &&
		domain.split(".").every((label) => label.length <= MAX_LABEL_LENGTH)
	);
}
