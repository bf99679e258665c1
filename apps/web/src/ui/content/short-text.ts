const LONGEST = 300;

/**
 * A JSON value on one line, for lists: a text as it is, an object of one member as its value, a conversation as its last
 * message; empty for nothing.
 */
export function shortText(value: unknown): string {
	return oneLine(plain(value)).slice(0, LONGEST);
}

function plain(value: unknown): string {
	if (value === null || value === undefined) return "";
	if (typeof value === "string") return value;
	if (typeof value !== "object") return String(value);
	if (Array.isArray(value)) {
		const last: unknown = value.at(-1);
		return isMessage(last) ? plain(last.content) : value.length === 0 ? "" : JSON.stringify(value);
	}
	const members = Object.entries(value);
	const [first] = members;
	if (first === undefined) return "";
	if (members.length === 1) return plain(first[1]);
	if (isMessage(value)) return plain(value.content);
	return members.map(([key, member]) => `${key}: ${plain(member)}`).join(", ");
}

function isMessage(value: unknown): value is { role: string; content: unknown } {
	return (
		typeof value === "object" &&
		value !== null &&
		"content" in value &&
		"role" in value &&
		typeof value.role === "string"
	);
}

function oneLine(text: string): string {
	return text
		.slice(0, 10 * LONGEST)
		.replace(/\s+/gu, " ")
		.trim();
}
