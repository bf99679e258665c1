import { parseJson } from "#http/parse-json.ts";

/** The program that a person uses, as it calls itself. */
export interface NamedClient {
	readonly name: string | null;
	readonly version: string | null;
}

/** Of what programs say of themselves. */
export const MAX_CHARACTERS = 100;

/** The session id that the answer to a first message has; undefined for any other message. */
export function sessionIdFor(message: unknown): string | undefined {
	if (!isRecord(message) || message["method"] !== "initialize" || !isRecord(message["params"])) return undefined;
	const named = toNamedClient(message["params"]["clientInfo"]);
	return named === undefined ? undefined : Buffer.from(JSON.stringify(named)).toString("base64url");
}

/** The client whose first message got this session id. */
export function clientOfSessionId(id: string): NamedClient | undefined {
	return toNamedClient(parseJson(Buffer.from(id, "base64url").toString()));
}

/** What a client says of itself, cut; undefined for anything else. */
export function toNamedClient(value: unknown): NamedClient | undefined {
	if (!isRecord(value) || typeof value["name"] !== "string") return undefined;
	const version = typeof value["version"] === "string" ? value["version"].slice(0, MAX_CHARACTERS) : null;
	return { name: value["name"].slice(0, MAX_CHARACTERS), version };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
