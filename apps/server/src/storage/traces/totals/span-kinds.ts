import type { SpanKind } from "@spanward/semconv";

/** Numbers of span kinds in the database. A number is never reused for another kind. */
const NUMBERS: Readonly<Record<SpanKind, number>> = {
	UNKNOWN: 0,
	LLM: 1,
	CHAIN: 2,
	AGENT: 3,
	TOOL: 4,
	RETRIEVER: 5,
	EMBEDDING: 6,
	RERANKER: 7,
	GUARDRAIL: 8,
	EVALUATOR: 9,
	PROMPT: 10,
	DECISION: 11,
};
const KINDS: ReadonlyMap<number, SpanKind> = new Map(
	(Object.keys(NUMBERS) as SpanKind[]).map((kind) => [NUMBERS[kind], kind]),
);

export const LLM = NUMBERS.LLM;

export function kindNumber(kind: SpanKind): number {
	return NUMBERS[kind];
}

export function kindOf(number: number): SpanKind {
	return KINDS.get(number) ?? "UNKNOWN";
}
