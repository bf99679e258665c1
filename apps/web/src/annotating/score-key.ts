import { textParam } from "../lib/search-params.ts";

const PREFIX = "score.";

/** A column of scores or labels, and the order of a list by it: `score.` and the name. */
export type ScoreKey = `score.${string}`;

export function scoreKey(name: string): ScoreKey {
	return `${PREFIX}${name}`;
}

export function isScore(key: string): key is ScoreKey {
	return key.startsWith(PREFIX) && key.length > PREFIX.length;
}

/** A score that a list is sorted by, in the address. */
export function scoreParam(value: unknown): ScoreKey | undefined {
	const text = textParam(value);
	return text !== undefined && isScore(text) ? text : undefined;
}
