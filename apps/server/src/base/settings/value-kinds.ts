import { z } from "zod";
import { canonicalEmail, isEmail } from "../email.ts";
import { SecretText } from "../secret-text.ts";
import { trimUsername, usernameKey, usernameProblem } from "../username.ts";
import { shown } from "./setting.ts";

/** Says that a value is wrong; the message follows the name of the variable. */
export type Wrong = (message: string) => void;

/**
 * A kind of value, read from the trimmed text of a variable.
 * @param allowed what it may be, in Markdown, for docs/settings.md
 */
export function valueKind<T>(allowed: string, parse: (text: string, wrong: Wrong) => T): z.ZodType<T> {
	return z
		.string()
		.transform((text, context) => parse(text, (message) => context.addIssue({ code: "custom", message })))
		.describe(allowed);
}

/** In the words of docs/settings.md. */
export function oneOf(values: readonly string[]): string {
	return values.map((value) => `\`${value}\``).join(", ");
}

/** One of some words. */
export function choice<const Values extends readonly [string, ...string[]]>(...values: Values) {
	const error = `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
	return z.enum(values, { error }).describe(oneOf(values));
}

export const text = z.string();

export const boolean = valueKind(oneOf(["true", "false"]), (value, wrong) => {
	if (!/^(true|false)$/i.test(value)) wrong("must be true or false, ignoring case");
	return value.toLowerCase() === "true";
});

/** A Kubernetes service of this name sets a variable of its own in every pod. */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\//i;

export function integer(min: number, max: number): z.ZodType<number> {
	return valueKind(`${min} to ${max}`, (value, wrong) => {
		const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
		if (!(number >= min && number <= max)) wrong(`must be a whole number from ${min} to ${max}`);
		return number;
	});
}

export function port(min: 0 | 1): z.ZodType<number> {
	return valueKind(min === 0 ? "0 (any free port) to 65535" : "1 to 65535", (value, wrong) => {
		if (SERVICE_LINK.test(value)) {
			wrong(
				"was set by Kubernetes, for a service in this namespace whose name gives the same variable: set the variable in the pod to a port number, set enableServiceLinks: false there, or rename the service",
			);
			return Number.NaN;
		}
		const number = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
		if (!(number >= min && number <= 65_535)) wrong(`must be a port, a whole number from ${min} to 65535`);
		return number;
	});
}

interface DecimalRange {
	/** Exclusive lower bound. */
	readonly above?: number;
	readonly from?: number;
	readonly to: number;
	/** `a number of minutes` */
	readonly what: string;
}

/** A number with or without a fraction; no exponent, no hex, no sign. */
export function decimal({ above, from, to, what }: DecimalRange): z.ZodType<number> {
	const allowed = above === undefined ? `${from ?? 0} to ${to}` : `more than ${above}, to ${to}`;
	return valueKind(`${allowed}, also with a fraction`, (value, wrong) => {
		const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
		const isInRange = (above === undefined ? number >= (from ?? 0) : number > above) && number <= to;
		if (!isInRange)
			wrong(`must be ${what} ${above === undefined ? `from ${from ?? 0}` : `> ${above} and`} up to ${to}`);
		return number;
	});
}

const MINUTES_OF_A_CENTURY = 52_560_000;

export function minutes(max: number = MINUTES_OF_A_CENTURY): z.ZodType<number> {
	return decimal({ above: 0, to: max, what: "a number of minutes" });
}

/** The items between commas, without empty ones. */
export function items(value: string): string[] {
	return value
		.split(",")
		.map((item) => item.trim())
		.filter((item) => item !== "");
}

export const secret = valueKind("text", (value) => new SecretText(value));

const MIN_SECRET_LENGTH = 32;
/** Characters that a bearer token may have. */
const MAX_SECRET_LENGTH = 4_096;

/** A secret that keys are made from or that is a key: every rule it breaks is named, the secret is not. */
export const strongSecret = valueKind("32 to 4096 characters of ASCII", (value, wrong) => {
	const unmet = [
		value.length >= MIN_SECRET_LENGTH ? [] : [`have at least ${MIN_SECRET_LENGTH} characters`],
		value.length <= MAX_SECRET_LENGTH ? [] : [`have at most ${MAX_SECRET_LENGTH} characters`],
		/\s/.test(value) ? ["have no white space"] : [],
		/^[\x21-\x7e\s]*$/.test(value) ? [] : ["have printable ASCII characters only"],
		/[0-9]/.test(value) ? [] : ["have a digit"],
		/[a-z]/.test(value) ? [] : ["have a lower-case letter"],
	].flat();
	if (unmet.length > 0) wrong(`must ${unmet.join(", ")}; openssl rand -hex 32 generates a good one`);
	return new SecretText(value);
});

/** Former secrets. As a secret may have a comma, the whole text counts as one too. */
export const formerSecrets = valueKind("secrets, separated by commas", (value, wrong): readonly SecretText[] => {
	const split = items(value);
	if (split.some((item) => /\s/.test(item))) wrong("must be secrets separated by commas, without white space in them");
	return [...new Set([...split, ...(split.length > 1 ? [value] : [])])].map((item) => new SecretText(item));
});

export const emailAddress = valueKind("an email address", (value, wrong) => {
	const email = canonicalEmail(value);
	if (!isEmail(email)) wrong("must be an email address such as help@example.com");
	return email;
});

/** A sender: an address, also on this machine. */
export const senderAddress = valueKind("an email address", (value, wrong) => {
	const isLocal = /^[\w.+-]{1,64}@localhost$/.test(value);
	if (!isLocal && !isEmail(canonicalEmail(value))) wrong("must be an email address such as spanward@example.com");
	return value;
});

export interface AdminEntry {
	readonly username: string;
	readonly email: string;
}

/** `username=email;username=email`. Names may contain `=`, addresses may not: the last one separates them. */
export const adminList = valueKind(
	"`username=email`, separated by semicolons",
	(value, wrong): readonly AdminEntry[] => {
		const usernames = new Set<string>();
		const emails = new Set<string>();
		const pairs = value
			.split(";")
			.map((pair) => pair.trim())
			.filter((pair) => pair !== "");
		return pairs.map((pair) => {
			const at = pair.lastIndexOf("=");
			const username = trimUsername(pair.slice(0, Math.max(at, 0)));
			const email = canonicalEmail(pair.slice(at + 1));
			const problem = at < 0 ? "there is no =" : (usernameProblem(username) ?? adminEmailProblem(email));
			if (problem !== undefined)
				wrong(`must be username=email pairs separated by semicolons; in ${shown(pair)} ${problem}`);
			if (usernames.has(usernameKey(username))) wrong(`names the username ${shown(username)} twice`);
			if (emails.has(email)) wrong(`names the email ${shown(email)} twice`);
			usernames.add(usernameKey(username));
			emails.add(email);
			return { username, email };
		});
	},
);

function adminEmailProblem(email: string): string | undefined {
	return isEmail(email) ? undefined : "the email is not valid";
}
