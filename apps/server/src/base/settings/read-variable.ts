import { readFileSync, statSync } from "node:fs";
import type { Environment } from "./setting.ts";

const MAX_FILE_BYTES = 65_536;

/** The text of a variable, trimmed; undefined when it is unset or empty. Or what is wrong with the file it is in. */
export type Variable = { readonly text: string | undefined } | { readonly problem: string };

/** Reads a variable or, for a secret, the file that `<name>_FILE` names. */
export function readVariable(name: string, environment: Environment, isSecret: boolean): Variable {
	const text = environment[name]?.trim() || undefined;
	const file = isSecret ? environment[`${name}_FILE`]?.trim() || undefined : undefined;
	if (file === undefined) return { text };
	if (text !== undefined) return { problem: `${name} and ${name}_FILE are both set; keep one of them` };
	const read = readSecretFile(file);
	return "problem" in read ? { problem: `${name}_FILE: ${read.problem}` } : read;
}

/** Problems name the file, and show nothing of its content. */
function readSecretFile(path: string): { readonly text: string } | { readonly problem: string } {
	const named = (reason: string) => ({ problem: `the file ${JSON.stringify(path)} ${reason}` });
	try {
		const stats = statSync(path);
		if (!stats.isFile()) return named("is not a file");
		if (stats.size > MAX_FILE_BYTES) return named(`is larger than ${MAX_FILE_BYTES} bytes, too large for a secret`);
		const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)).trim();
		return text === "" ? named("is empty") : { text };
	} catch (error) {
		return named(fileReason(error));
	}
}

/** Why a file could not be read, as the end of "the file …". */
export function fileReason(error: unknown): string {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	switch (code) {
		case "ENOENT":
		case "ENOTDIR":
			return "does not exist";
		case "EACCES":
		case "EPERM":
			return "cannot be read by the user that runs Spanward";
		case "EISDIR":
			return "is a folder";
		case "ERR_ENCODING_INVALID_ENCODED_DATA":
			return "is not UTF-8 text";
		default:
			return `cannot be read (${code === "" ? "unknown error" : code})`;
	}
}
