import type { OpenConnection } from "#models/connection.ts";
import { objectAt, parseJson } from "../json-object.ts";

/** A text from a provider without what must not be repeated. */
export type Hide = (text: string) => string;

const HIDDEN = "[hidden]";
/** As much of a credential is hidden even where the provider cut the rest off. */
const TELLING_LENGTH = 12;

/** Hides every credential of a connection and the values of its own headers, as they are and as they are encoded. */
export function hiderOf(connection: OpenConnection, tokens: readonly string[] = []): Hide {
	const { service_account: account, ...credentials } = connection.credentials;
	const secrets = [
		...Object.values(credentials),
		...(account === undefined ? [] : [account, ...texts(parseJson(account)?.value)]),
		...Object.values(connection.headers).flatMap((value) => [value, value.replace(/^\w+ +/, "")]),
		...tokens,
	];
	const forms = [...new Set(secrets.filter((secret) => secret !== "").flatMap(formsOf))];
	// The longest first: one may be part of another.
	forms.sort((a, b) => b.length - a.length);
	return (text) => forms.reduce(hideForm, text);
}

/** What of a service account tells who it is or opens something; of its key each line, as a part of it is one, too. */
function texts(account: unknown): readonly string[] {
	const { private_key: key, private_key_id: id, client_email: email } = objectAt(account);
	const lines = typeof key === "string" ? key.split("\n").filter((line) => !line.startsWith("-----")) : [];
	const values = [key, id, email, lines.join(""), ...lines.filter((line) => line.length >= TELLING_LENGTH)];
	return values.filter((value) => typeof value === "string");
}

function formsOf(secret: string): readonly string[] {
	const encoded = encodeURIComponent(secret);
	const inJson = JSON.stringify(secret).slice(1, -1);
	return [
		secret,
		encoded,
		encoded.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()),
		encoded.replaceAll("%20", "+"),
		inJson,
		inJson.replaceAll("/", "\\/"),
		...[0, 1, 2].flatMap((offset) => inBase64(secret, offset)),
	];
}

/** What base64 of a longer text has of a secret that begins there at a byte of this remainder by three. */
function inBase64(secret: string, offset: number): readonly string[] {
	const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
	const certain = Math.floor((bytes.length * 8) / 6);
	const text = bytes.toString("base64").slice(Math.ceil((offset * 8) / 6), certain);
	// A few letters would be found in any text.
	if (text.length < 8) return [];
	return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
}

function hideForm(text: string, form: string): string {
	const head = form.slice(0, TELLING_LENGTH);
	let hidden = "";
	let from = 0;
	for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, from)) {
		let length = head.length;
		while (length < form.length && text[at + length] === form[length]) length++;
		hidden += text.slice(from, at) + HIDDEN;
		from = at + length;
	}
	return hidden + text.slice(from);
}
