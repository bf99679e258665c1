import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Words to which people add a number and a sign when a policy asks for them; the list below has them bare. */
const STEMS = new Set([
	...["password", "passwort", "passwd", "pass", "admin", "administrator", "root", "user", "test", "welcome", "login"],
	...["letmein", "changeme", "iloveyou", "qwerty", "qwertz", "qwertyuiop", "asdfgh", "azerty", "master", "secret"],
	...["default", "spanward"],
]);
const LETTERS: Readonly<Record<string, string>> = { "@": "a", "0": "o", "3": "e", $: "s", "1": "i", "!": "i" };
const SHIFTED_DIGITS = ")!@#$%^&*(";
const MAX_SIGNS = 4;

let known: ReadonlySet<string> | undefined;

/**
 * Whether this is one of the 3,000 commonest passwords, in any case, also with digits and signs for letters
 * (`P@ssw0rd`), with the signs on the digits' keys, or with a usual number after one of the commonest words.
 */
export function isCommonPassword(password: string): boolean {
	known ??= readList();
	const lower = password.toLowerCase();
	const letters = Array.from(lower, (character) => LETTERS[character] ?? character).join("");
	const digits = Array.from(lower, (character) => {
		const digit = SHIFTED_DIGITS.indexOf(character);
		return digit === -1 ? character : String(digit);
	}).join("");
	return known.has(lower) || known.has(letters) || known.has(digits) || isNumberedStem(lower);
}

function isNumberedStem(lower: string): boolean {
	const [, word = "", end = ""] = /^(.*\p{L})(\P{L}*)$/u.exec(lower) ?? [];
	const stem = Array.from(word, (character) => LETTERS[character] ?? character).join("");
	const number = end.replace(/\D/g, "");
	return STEMS.has(stem) && end.length - number.length <= MAX_SIGNS && isUsualNumber(number);
}

/** `123`, a year, `00`, `777` */
function isUsualNumber(digits: string): boolean {
	return (
		digits.length <= 2 || "1234567890".startsWith(digits) || /^(19|20)\d\d$/.test(digits) || /^(\d)\1*$/.test(digits)
	);
}

function readList(): ReadonlySet<string> {
	const lines = readFileSync(join(import.meta.dirname, "common-passwords.txt"), "utf8").split("\n");
	return new Set(lines.filter((line) => line !== "" && !line.startsWith("# ")));
}
