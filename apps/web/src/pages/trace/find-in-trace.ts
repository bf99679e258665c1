import type { TraceSpan } from "./trace-span.ts";
import { spanInRow, type TraceTree } from "./trace-tree.ts";

/** The lower-case words of a search. */
export function searchWords(query: string): string[] {
	return query.toLowerCase().split(/\s+/u).filter(Boolean);
}

function haystack(span: TraceSpan): string {
	return `${span.name} ${span.kind} ${span.spanId} ${span.model ?? ""} ${span.provider ?? ""} ${
		span.status === "ERROR" ? `error ${span.statusMessage}` : ""
	}`.toLowerCase();
}

/**
 * Positions, in the order of the tree, of spans in which every word of the search occurs (name, kind, id, model,
 * provider, error), or whose content matches (`contentMatches`, span ids that the server found).
 */
export function findInTrace(tree: TraceTree, query: string, contentMatches?: ReadonlySet<string>): number[] {
	const words = searchWords(query);
	if (words.length === 0) return [];
	const found: number[] = [];
	for (let position = 0; position < tree.length; position++) {
		const span = spanInRow(tree, position);
		if (!span) continue;
		const text = haystack(span);
		if (contentMatches?.has(span.spanId) || words.every((word) => text.includes(word))) found.push(position);
	}
	return found;
}

/** The next match after (or before) a position, wrapping around; undefined without matches. */
export function nextMatch(matches: readonly number[], from: number, direction: 1 | -1): number | undefined {
	if (direction === 1) return matches.find((match) => match > from) ?? matches[0];
	return matches.findLast((match) => match < from) ?? matches.at(-1);
}

export interface TextPart {
	readonly text: string;
	readonly match: boolean;
}

/** Splits a text into parts that match one of the words and parts that do not. */
export function markWords(text: string, words: readonly string[]): TextPart[] {
	const lower = text.toLowerCase();
	// A letter whose lower case is longer (İ) would shift the marks, so nothing is marked then.
	if (words.length === 0 || lower.length !== text.length) return [{ text, match: false }];
	const marked = new Uint8Array(text.length);
	for (const word of words)
		for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
			marked.fill(1, at, at + word.length);
	const parts: TextPart[] = [];
	for (let start = 0; start < text.length; ) {
		let end = start + 1;
		while (end < text.length && marked[end] === marked[start]) end++;
		parts.push({ text: text.slice(start, end), match: marked[start] === 1 });
		start = end;
	}
	return parts.length > 0 ? parts : [{ text, match: false }];
}
