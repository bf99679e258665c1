import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";

/**
 * The log: JSON lines on standard error. JSON escapes line ends and ASCII control characters; C1 controls, which act on
 * some terminals, and characters that turn or hide text are escaped here, so that no line shows what was not logged.
 * Left out are values under names of secrets, accounts in addresses, and values that a database quotes in its errors.
 */
export function createLog(level: string): Logger {
	const destination = pino.destination({ dest: 2, sync: true });
	return createLogTo({ write: (line) => void destination.write(line) }, level);
}

export function createLogTo(destination: DestinationStream, level: string): Logger {
	const cleaning: DestinationStream = { write: (line) => destination.write(escapeUnseen(hideAccounts(line))) };
	return pino({ level, formatters: { log: hideSecrets }, serializers: { err: describeError } }, cleaning);
}

// JSON has none of these outside of strings, so that escaping them in a whole line keeps it valid.
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export function escapeUnseen(json: string): string {
	return json.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const HIDDEN = "[hidden]";

/** `scheme://user:password@`, as errors of other programs quote addresses. */
function hideAccounts(json: string): string {
	return json.includes("://") ? json.replace(/(\w:\/\/)[^\s/"\\@]*:[^\s/"\\@]*@/g, `$1${HIDDEN}@`) : json;
}

const SECRET_NAME = /password|passwd|secret|authorization|cookie|api[-_]?key|credential|(^|[-_a-z])token$/i;
const MAX_DEPTH = 5;

/**
 * Hides texts under the name of a secret; numbers and switches reveal nothing. For errors see {@link describeError}.
 */
function hideSecrets(record: Record<string, unknown>): Record<string, unknown> {
	return withoutSecrets(record, 0) as Record<string, unknown>;
}

function withoutSecrets(value: unknown, depth: number): unknown {
	if (typeof value !== "object" || value === null || value instanceof Error || depth > MAX_DEPTH) return value;
	if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
	if (Object.getPrototypeOf(value) !== Object.prototype) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, item]) => [
			name,
			typeof item === "string" && SECRET_NAME.test(name) ? HIDDEN : withoutSecrets(item, depth + 1),
		]),
	);
}

/**
 * The fields of an error that are logged. Others, which PostgreSQL and HTTP libraries add, may hold what users sent,
 * and credentials.
 */
const LOGGED_ERROR_FIELDS = new Set([
	...["type", "message", "stack", "code", "name", "status", "statusCode", "reason", "errno", "syscall", "hostname"],
	...[
		"address",
		"port",
		"severity",
		"schema",
		"table",
		"column",
		"constraint",
		"routine",
		"settings",
		"aggregateErrors",
	],
]);

function describeError(error: Error): object {
	const described = stdSerializers.err(error);
	if (!(error instanceof Error)) return described;
	return Object.fromEntries(Object.entries(described).filter(([name]) => LOGGED_ERROR_FIELDS.has(name)));
}
