import { endsAfter, type SpanNode, startsBefore } from "./span-node.ts";

export interface Texts {
	readonly input?: string | undefined;
	readonly output?: string | undefined;
}

/** The spans, by row number, from which a trace's first input and last output come. */
export interface TraceTexts {
	readonly inputSpan: number | null;
	readonly outputSpan: number | null;
}

/** The former choice, and the root for which it was made. */
export interface ChosenTexts extends TraceTexts {
	readonly rootSpan: number;
}

export interface TextCandidates {
	readonly root: SpanNode;
	/** LLM spans that were added. */
	readonly added: readonly SpanNode[];
	/** Every LLM span of the trace, the added ones included. */
	readonly all: () => readonly SpanNode[];
	readonly byId: (id: number) => SpanNode;
	readonly textsOf: (node: SpanNode) => Texts;
}

/**
 * The input of the root, else of the earliest LLM span with input; the output of the root, else of the LLM span with
 * output that ends last. Reads as few spans as possible: `chosen` is the correct choice for the former spans.
 */
export function chooseTexts(chosen: ChosenTexts | undefined, candidates: TextCandidates): TraceTexts {
	const input = choose(chosen, chosen?.inputSpan, candidates, startsBefore, (node) => candidates.textsOf(node).input);
	const output = choose(chosen, chosen?.outputSpan, candidates, endsAfter, (node) => candidates.textsOf(node).output);
	return { inputSpan: input, outputSpan: output };
}

/** @returns the row number of the span whose text it is */
function choose(
	chosen: ChosenTexts | undefined,
	chosenSpan: number | null | undefined,
	{ root, added, all, byId }: TextCandidates,
	isBetter: (a: SpanNode, b: SpanNode) => boolean,
	textOf: (node: SpanNode) => string | undefined,
): number | null {
	const sameRoot = chosen?.rootSpan === root.id;
	if (sameRoot && chosenSpan === root.id) return root.id;
	if (!sameRoot && textOf(root)) return root.id;
	// A former root's text says nothing about the LLM spans; otherwise the former choice still holds for the former
	// spans.
	const isFallback = chosen !== undefined && chosenSpan !== chosen.rootSpan;
	const best = isFallback && chosenSpan != null ? byId(chosenSpan) : undefined;
	const nodes = [...(isFallback ? added : all())].sort((a, b) => (isBetter(a, b) ? -1 : 1));
	for (const node of nodes) {
		if (best !== undefined && !isBetter(node, best)) break;
		if (textOf(node)) return node.id;
	}
	return best?.id ?? null;
}
