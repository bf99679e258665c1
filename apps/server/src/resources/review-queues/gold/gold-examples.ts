import { UserError } from "#base/errors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { parseStructure } from "#resources/datasets/columns.ts";
import type { Content } from "#resources/datasets/content.ts";
import { exampleOfSpan, partsOfSpan } from "#resources/datasets/span-examples.ts";
import type { SpanLink } from "#resources/datasets/version-writer.ts";
import type { StoredSpan } from "#storage/traces/trace-store.ts";
import type { GivenAnswer } from "../questions.ts";
import type { Gold } from "./gold-answers.ts";

export interface GoldExample {
	readonly itemId: number;
	readonly content: Content;
	readonly span: SpanLink;
}

/** An item with its gold answers, and what becomes the output of its example. */
interface GoldItem {
	readonly queueId: number;
	readonly itemId: number;
	readonly gold: Gold;
	/** The question whose text or note is the output; undefined for all answers by the name of the question. */
	readonly outputConfigId: number | undefined;
}

/**
 * The example of an item: input and metadata of the span, and the gold as output.
 * @returns why there is none, for a text
 */
export function toGoldExample(stored: StoredSpan, item: GoldItem): GoldExample | string {
	const { itemId, gold, outputConfigId } = item;
	const parts = partsOfSpan(stored);
	const output = outputConfigId === undefined ? byName(gold.answers, answerValue) : correctedOutput(item, parts.output);
	if (output === undefined) return "Nobody, or not everybody alike, wrote a corrected output.";
	if (Object.keys(output).length === 0) return "It has no gold answer.";
	try {
		const metadata = { ...parts.metadata, review: aboutReview(item) };
		return { itemId, ...exampleOfSpan(stored, { output, metadata }) };
	} catch (error) {
		if (error instanceof UserError) return error.message;
		throw error;
	}
}

/** A JSON object as it is; another text where the span's output has its text. */
function correctedOutput(
	{ gold, outputConfigId }: GoldItem,
	original: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
	const text = gold.answers.find(({ configId }) => configId === outputConfigId)?.explanation?.trim();
	if (text === undefined || text === "") return undefined;
	const value = parseStructure(text);
	if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
	return "messages" in original ? { messages: [{ role: "assistant", content: text }] } : { output: text };
}

/** Which review it came of, with the answers that are not the output. */
function aboutReview({ queueId, itemId, gold, outputConfigId }: GoldItem): Record<string, unknown> {
	const others = gold.answers.filter(({ configId }) => configId !== outputConfigId);
	const noted = gold.answers.filter((answer) => answer.configId !== outputConfigId && isNoted(answer));
	return {
		queue_id: encodeGlobalId("ReviewQueue", queueId),
		item_id: encodeGlobalId("ReviewItem", itemId),
		is_decision: gold.isDecision,
		...(outputConfigId === undefined ? {} : { answers: byName(others, answerValue) }),
		...(noted.length === 0 ? {} : { notes: byName(noted, ({ explanation }) => explanation) }),
	};
}

function byName(
	answers: readonly GivenAnswer[],
	toValue: (answer: GivenAnswer) => string | number | null,
): Record<string, unknown> {
	return Object.fromEntries(answers.map((answer) => [answer.name, toValue(answer)]));
}

/** The label, the number, or the text. */
function answerValue({ label, score, explanation }: GivenAnswer): string | number | null {
	return label ?? score ?? explanation;
}

/** Whether it has a text that is not the answer itself. */
function isNoted({ label, score, explanation }: GivenAnswer): boolean {
	return explanation !== null && (label !== null || score !== null);
}
