import { stripTypeScriptTypes } from "node:module";
import type { CodeFault } from "./code-messages.ts";

/**
 * TypeScript without its types, which become spaces, so that lines stay what they are.
 * @returns `isBroken` when Node's parser failed, and is not to be used again in this thread
 */
export function stripTypes(
	source: string,
): { readonly source: string } | { readonly fault: CodeFault; readonly isBroken: boolean } {
	try {
		return { source: stripTypeScriptTypes(source) };
	} catch (error) {
		const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
		if (!(error instanceof Error) || (code !== UNSUPPORTED && code !== INVALID)) {
			const message = "The TypeScript cannot be read: it nests too deeply";
			return { fault: { code: "code_error", message }, isBroken: true };
		}
		const line = lineOf(error);
		const why =
			code === UNSUPPORTED
				? `${error.message.replace(/ in strip-only mode\.?$/, "")}: types are left out before the code runs, and this is more than a type. Write it in JavaScript`
				: `The TypeScript cannot be read: ${error.message}`;
		return { fault: { code: "code_error", message: why, ...(line === undefined ? {} : { line }) }, isBroken: false };
	}
}

const UNSUPPORTED = "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
const INVALID = "ERR_INVALID_TYPESCRIPT_SYNTAX";

/** The place is only in the first lines of the stack, before the message. */
function lineOf({ stack = "" }: Error): number | undefined {
	const [, line] = /^[^\n]*:(\d+)\n/.exec(stack) ?? [];
	return line === undefined ? undefined : Number(line);
}
