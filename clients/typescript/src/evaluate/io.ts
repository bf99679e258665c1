import type { Spanward } from "../spanward.ts";

/** What the program has of its process, so that tests can run it in theirs. */
export interface Io {
	readonly stdout: Output;
	readonly stderr: Output;
	/** Aborted by Ctrl-C. */
	readonly signal: AbortSignal;
	/** What asks the server at this address, or at that of the environment. */
	readonly connect: (url: string | undefined) => Spanward;
}

interface Output {
	write(text: string): unknown;
	readonly isTTY?: boolean;
}

/** Control, format and separator characters, with which texts of others could steer a terminal or the log of a build. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of others in one line. */
export function oneLine(text: string): string {
	return text.replace(/\s+/g, " ").replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
