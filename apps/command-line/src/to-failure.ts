import {
	ApiError,
	AuthenticationError,
	ConnectionError,
	NotFoundError,
	PermissionError,
	ServerError,
	TooManyRequestsError,
} from "@spanward/client";
import { CommandError } from "@spanward/server/src/command-line/command-error.ts";
import { printable } from "@spanward/server/src/command-line/printable.ts";
import { CommandFailure, EXIT } from "./failure.ts";
import type { Io } from "./io.ts";

/** Refusals of what the request says, not of what is there. */
const WRONG_REQUEST: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** What to tell people of an error, and the exit code. @throws the error when it is a fault of this program */
export function toFailure(error: unknown, { signal }: Pick<Io, "signal">): CommandFailure {
	if (signal.aborted && !(error instanceof CommandFailure)) return new CommandFailure(EXIT.interrupted, "Interrupted.");
	if (error instanceof CommandFailure) return error;
	if (error instanceof CommandError) {
		const exitCode = error.exitCode === EXIT.interrupted ? EXIT.interrupted : EXIT.usage;
		return new CommandFailure(exitCode, error.message);
	}
	if (error instanceof ConnectionError)
		return new CommandFailure(EXIT.server, `${sentence(error.message)} Is the server running, and the address right?`);
	if (error instanceof ApiError) return new CommandFailure(exitCodeOf(error), printable(messageOf(error)));
	// Files are read where what is wrong with them is known.
	if (error instanceof SyntaxError)
		return new CommandFailure(EXIT.server, "The answer is no JSON. Is the address that of a Spanward server?");
	if (isFileError(error)) return new CommandFailure(EXIT.usage, sentence(printable(error.message)));
	throw error;
}

function exitCodeOf(error: ApiError): number {
	if (error instanceof AuthenticationError || error instanceof PermissionError) return EXIT.notAllowed;
	if (error instanceof NotFoundError) return EXIT.notFound;
	if (error instanceof ServerError || error instanceof TooManyRequestsError) return EXIT.server;
	return WRONG_REQUEST.has(error.status) ? EXIT.usage : EXIT.condition;
}

function messageOf(error: ApiError): string {
	if (error instanceof AuthenticationError) {
		return `${sentence(error.message)} Log in with spanward login <address>, or set SERVICE_API_KEY; keys are made in Settings → API keys.`;
	}
	if (error instanceof TooManyRequestsError) return `${sentence(error.message)} Try again later.`;
	if (error.code === "insufficient_scope") {
		const scope = String(error.problem["scope"] ?? "…");
		return `${sentence(error.message)} Log in again with spanward login --scope ${scope} <address>.`;
	}
	const issues = error.issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
	if (issues.length > 0) return sentence(`The server does not take it: ${issues.join("; ")}`);
	const position = error.problem["position"];
	const suggestions = error.problem["suggestions"];
	const at = typeof position === "number" ? ` (at character ${position + 1})` : "";
	const meant =
		Array.isArray(suggestions) && suggestions.length > 0
			? ` Did you mean ${suggestions.slice(0, 3).join(" or ")}?`
			: "";
	const request =
		error instanceof ServerError && error.requestId ? ` The server's log has it as ${error.requestId}.` : "";
	return `${sentence(`${error.message}${at}`)}${meant}${request}`;
}

/** An error of a file or folder that was named. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
	return error instanceof Error && "code" in error && "syscall" in error && typeof error.code === "string";
}

/** With a capital letter and a full stop. */
function sentence(text: string): string {
	const trimmed = text.trim().replace(/[.\s]+$/, "");
	return `${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}.`;
}
