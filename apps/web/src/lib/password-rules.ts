import { passwordTexts as TEXTS } from "../texts/password-en.ts";

/** One rule of the password policy, and whether a password meets it. */
export interface PasswordRule {
	readonly text: string;
	readonly isMet: boolean;
}

const DEFAULT_LENGTH = 4;
const STRONG_LENGTH = 12;
const MOST_BYTES = 1024;
const SPECIAL = /[!@#$%^&*()_+]/;

/**
 * The rules of the policy in words, for the field of a new password. The server decides; rules that are seldom broken
 * (no control characters, at most 1,024 bytes) are listed only when broken.
 */
export function passwordRules(password: string, strong: boolean): readonly PasswordRule[] {
	const text = password.normalize("NFKC");
	const length = [...text].length;
	const least = strong ? STRONG_LENGTH : DEFAULT_LENGTH;
	const rules = [{ text: TEXTS.atLeast(least), isMet: length >= least }];
	if (strong) {
		rules.push(
			{ text: TEXTS.upper, isMet: /\p{Lu}/u.test(text) },
			{ text: TEXTS.lower, isMet: /\p{Ll}/u.test(text) },
			{ text: TEXTS.digit, isMet: /\p{Nd}/u.test(text) },
			{ text: TEXTS.special, isMet: SPECIAL.test(text) },
		);
	}
	if (/\p{Cc}/u.test(text)) rules.push({ text: TEXTS.noControl, isMet: false });
	if (new TextEncoder().encode(text).length > MOST_BYTES) rules.push({ text: TEXTS.notLonger, isMet: false });
	return rules;
}

export function keepsPasswordRules(password: string, strong: boolean): boolean {
	return passwordRules(password, strong).every((rule) => rule.isMet);
}
