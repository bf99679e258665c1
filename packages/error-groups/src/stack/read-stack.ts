import type { Frame } from "../model.ts";
import { shownLine } from "../shown-text.ts";
import type { Call, ReadStack } from "./call.ts";
import { readCSharpStack } from "./csharp.ts";
import { readGoStack } from "./go.ts";
import { readJavaStack } from "./java.ts";
import { readJavaScriptStack } from "./javascript.ts";
import { readPythonStack } from "./python.ts";

/** In this order: a line of C# looks like one of Java without a file, and that like one of JavaScript. */
const READERS: readonly ReadStack[] = [
	readPythonStack,
	readJavaScriptStack,
	readJavaStack,
	readGoStack,
	readCSharpStack,
];

/** Of a longer stack the beginning and the end are read. */
const MAX_READ = 524_288;
const MAX_LINE = 2_000;
const MAX_NAME = 200;

/** A stack's calls, innermost first, those of the exception's causes after its own; empty where it cannot be read. */
export function readStack(stack: string, ownCode: readonly string[]): readonly Frame[] {
	const text = stack.length > 2 * MAX_READ ? `${stack.slice(0, MAX_READ)}\n${stack.slice(-MAX_READ)}` : stack;
	const lines = text.split("\n").flatMap((line) => (line.length > MAX_LINE ? [] : [line.trimEnd()]));
	for (const read of READERS) {
		const exceptions = read(lines);
		if (exceptions !== undefined) return exceptions.flatMap((calls) => toFrames(calls, ownCode));
	}
	return [];
}

/** Calls that follow the same call are left out: how often a function called itself says nothing. */
function toFrames(calls: readonly Call[], ownCode: readonly string[]): Frame[] {
	const frames: Frame[] = [];
	for (const call of calls) {
		const frame = {
			module: shownLine(call.module, MAX_NAME),
			function: shownLine(call.function, MAX_NAME),
			is_own: !call.isLibrary || ownCode.some((own) => isBelow(call, own)),
		};
		const former = frames.at(-1);
		if (former?.module !== frame.module || former.function !== frame.function) frames.push(frame);
	}
	return frames;
}

function isBelow({ module, path }: Call, own: string): boolean {
	return own !== "" && (path.includes(own) || module.startsWith(own));
}
