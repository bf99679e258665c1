import { UserError, ValidationError } from "#base/errors.ts";
import type { App } from "./app-type.ts";
import { parseExactJson } from "./exact-json.ts";

/**
 * Parses `application/json` bodies. Keys such as `__proto__` are data, and integers beyond 2^53 become bigints so that no
 * digit is lost. An empty body is no body; other types of body are refused with 415.
 */
export function parseJsonBodies(app: App): void {
	app.removeContentTypeParser(["application/json", "text/plain"]);
	app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
		const charset = charsetOf(request.headers["content-type"] ?? "");
		if (charset !== undefined && charset !== "utf-8") {
			const message = `Unsupported charset: ${charset}. JSON is sent in UTF-8.`;
			return done(new UserError(415, "unsupported_media_type", message), undefined);
		}
		const encoding = request.headers["content-encoding"] ?? "identity";
		if (encoding !== "identity") {
			const message = `Unsupported content encoding: ${encoding}. Send JSON without one.`;
			return done(new UserError(415, "unsupported_encoding", message), undefined);
		}
		const text = String(body);
		if (text.trim() === "") return done(null, undefined);
		try {
			done(null, parseExactJson(text));
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			done(
				new ValidationError([{ type: "json_invalid", loc: ["body", 0], msg: `JSON decode error: ${faultOf(error)}` }]),
				undefined,
			);
		}
	});
}

/** What is wrong, without the piece of the body that V8 quotes: it may be of a password. */
function faultOf({ message }: SyntaxError): string {
	return message.replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, "");
}

/** Lower case; RFC 8259 knows none but UTF-8, some clients name that all the same. */
function charsetOf(contentType: string): string | undefined {
	return /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]?.toLowerCase();
}
