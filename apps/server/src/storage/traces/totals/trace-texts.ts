import { endsAfter, type SpanNode, startsBefore } from "./span-node.ts";

export interface Texts {
	readonly input?: string | undefined;
	readonly output?: string | undefined;
}

/** First input and last output of a trace, and the spans that they come from. */
export interface TraceTexts {
	readonly inputSpan: number | null;
	readonly firstInput: string | null;
	readonly outputSpan: number | null;
	readonly lastOutput: string | null;
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

const TEXT_CHARACTERS = 2_000;

/**
 * The input of the root, else of the earliest LLM span with input; the output of the root, else of the LLM span with
 * output that ends last. Reads as few spans as possible: `chosen` is the correct choice for the former spans.
 */
export function chooseTexts(chosen: ChosenTexts | undefined, candidates: TextCandidates): TraceTexts {
	const input = choose(chosen, chosen?.inputSpan, candidates, startsBefore, (node) => candidates.textsOf(node).input);
	const output = choose(chosen, chosen?.outputSpan, candidates, endsAfter, (node) => candidates.textsOf(node).output);
	return {
		inputSpan: input === KEEP ? (chosen?.inputSpan ?? null) : (input?.span ?? null),
		firstInput: input === KEEP ? (chosen?.firstInput ?? null) : (input?.text ?? null),
		outputSpan: output === KEEP ? (chosen?.outputSpan ?? null) : (output?.span ?? null),
		lastOutput: output === KEEP ? (chosen?.lastOutput ?? null) : (output?.text ?? null),
	};
}

const KEEP = "keep";

function choose(
	chosen: ChosenTexts | undefined,
	chosenSpan: number | null | undefined,
	{ root, added, all, byId }: TextCandidates,
	isBetter: (a: SpanNode, b: SpanNode) => boolean,
	textOf: (node: SpanNode) => string | undefined,
): { span: number; text: string } | undefined | typeof KEEP {
	const sameRoot = chosen?.rootSpan === root.id;
	if (sameRoot && chosenSpan === root.id) return KEEP;
	if (!sameRoot) {
		const text = textOf(root);
		if (text) return { span: root.id, text: cut(text) };
	}
	// A former root's text says nothing about the LLM spans; otherwise the former choice still holds for the former
	// spans.
	const isFallback = chosen !== undefined && chosenSpan !== chosen.rootSpan;
	const best = isFallback && chosenSpan != null ? byId(chosenSpan) : undefined;
	const nodes = [...(isFallback ? added : all())].sort((a, b) => (isBetter(a, b) ? -1 : 1));
	for (const node of nodes) {
		if (best !== undefined && !isBetter(node, best)) return KEEP;
		const text = textOf(node);
		if (text) return { span: node.id, text: cut(text) };
	}
	return best === undefined ? undefined : KEEP;
}

function cut(text: string): string {
	if (text.length <= TEXT_CHARACTERS) return text;
	const last = text.charCodeAt(TEXT_CHARACTERS - 1);
	const splitsPair = last >= 0xd800 && last <= 0xdbff;
	return text.slice(0, splitsPair ? TEXT_CHARACTERS - 1 : TEXT_CHARACTERS);
}
