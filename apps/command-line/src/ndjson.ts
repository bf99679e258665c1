import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A line of NDJSON that is no empty one. */
export interface JsonLine {
	/** From 1. */
	readonly number: number;
	/** Undefined when the line is broken. */
	readonly value: unknown;
	/** What is wrong with it. */
	readonly error?: string;
}

/** The lines of a stream, as JSON. */
export async function* readJsonLines(stream: Readable): AsyncGenerator<JsonLine> {
	let number = 0;
	for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
		number += 1;
		if (line.trim() === "") continue;
		yield { number, ...parse(number === 1 ? line.replace(/^\ufeff/, "") : line) };
	}
}

function parse(line: string): Omit<JsonLine, "number"> {
	try {
		return { value: JSON.parse(line) };
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return { value: undefined, error: `is no JSON: ${error.message}` };
	}
}

/** The members of an object; undefined for anything else. */
export function membersOf(value: unknown): Record<string, unknown> | undefined {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	return Object.fromEntries(Object.entries(value));
}
