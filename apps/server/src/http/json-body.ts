import { setImmediate as nextTurn } from "node:timers/promises";
import { type JsonExcess, measureJson } from "@spanward/semconv";
import type { FastifyRequest } from "fastify";
import { UserError, ValidationError } from "#base/errors.ts";
import { Semaphore } from "#base/semaphore.ts";
import type { App } from "./app-type.ts";
import { BODY_LIMITS } from "./body-size.ts";
import { parseExactJson } from "./exact-json.ts";

/** Longer bodies are read one at a time, in several turns of the event loop. */
export const LONG_CHARACTERS = 262_144;

/**
 * Parses `application/json` bodies. Keys such as `__proto__` are data, and integers beyond 2^53 become bigints so that no
 * digit is lost. An empty body is no body; other types of body are refused with 415, bodies that hold more than
 * `BODY_LIMITS` with 422.
 */
export function parseJsonBodies(app: App): void {
	const longBodies = new Semaphore(1);
	app.removeContentTypeParser(["application/json", "text/plain"]);
	app.addContentTypeParser("application/json", { parseAs: "string" }, async (request: FastifyRequest, body: string) => {
		const charset = charsetOf(request.headers["content-type"] ?? "");
		if (charset !== undefined && charset !== "utf-8") {
			const message = `Unsupported charset: ${charset}. JSON is sent in UTF-8.`;
			throw new UserError(415, "unsupported_media_type", message);
		}
		const encoding = request.headers["content-encoding"] ?? "identity";
		if (encoding !== "identity") {
			const message = `Unsupported content encoding: ${encoding}. Send JSON without one.`;
			throw new UserError(415, "unsupported_encoding", message);
		}
		return body.length <= LONG_CHARACTERS ? parseBody(body) : longBodies.run(() => parseLongBody(body));
	});
}

/**
 * As {@link parseBody}, but other requests get a turn of the event loop before each step and before the result is
 * checked.
 */
async function parseLongBody(text: string): Promise<unknown> {
	await nextTurn();
	const hasLongInteger = measure(text);
	await nextTurn();
	const body = parse(text, hasLongInteger);
	await nextTurn();
	return body;
}

/**
 * The JSON of a request; undefined for an empty text.
 * @throws ValidationError when it is no JSON, or holds more than `BODY_LIMITS`
 */
export function parseBody(text: string): unknown {
	return parse(text, measure(text));
}

/**
 * Whether an integer of 16 or more digits is in the text.
 * @throws ValidationError when it holds more than `BODY_LIMITS`
 */
function measure(text: string): boolean {
	const { excess, hasLongInteger } = measureJson(text, BODY_LIMITS);
	if (excess !== undefined) throw new ValidationError([{ type: "json_too_large", loc: ["body"], msg: EXCESS[excess] }]);
	return hasLongInteger;
}

function parse(text: string, hasLongInteger: boolean): unknown {
	if (text.trim() === "") return undefined;
	try {
		return parseExactJson(text, hasLongInteger);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		throw new ValidationError([
			{ type: "json_invalid", loc: ["body", 0], msg: `JSON decode error: ${faultOf(error)}` },
		]);
	}
}

const EXCESS: Readonly<Record<JsonExcess, string>> = {
	values: `The JSON holds more than ${BODY_LIMITS.values} values; send it in several requests.`,
	valuesWithLongIntegers: `The JSON holds more than ${BODY_LIMITS.valuesWithLongIntegers} values, and integers of 16 or more digits among them; send it in several requests.`,
	names: `The JSON has members of more than ${BODY_LIMITS.names} different names; send it in several requests.`,
	depth: `The JSON nests deeper than ${BODY_LIMITS.depth} levels.`,
};

/** What is wrong, without the piece of the body that V8 quotes: it may be part of a password. */
function faultOf({ message }: SyntaxError): string {
	return message.replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, "");
}

/** In lower case. RFC 8259 allows only UTF-8, but some clients name it. */
function charsetOf(contentType: string): string | undefined {
	return /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]?.toLowerCase();
}
