import type { Attribute, Condition } from "@spanward/filter-language";
import { storableText } from "#storage/postgres/storable-text.ts";
import { type SpanAttributes, toSqlValue } from "#storage/traces/content/attribute-values.ts";
import { castToNumber, castToText, decide } from "#storage/traces/filter/attribute-condition.ts";
import type { Cumulative } from "#storage/traces/trace-store.ts";

/**
 * What a filter needs to know of a span that PostgreSQL cannot tell: content is compressed, and cumulative sums are
 * computed in this process.
 */
export type Question =
	| { readonly type: "value"; readonly path: readonly string[]; readonly as: Attribute["as"] }
	| { readonly type: "cast"; readonly path: readonly string[]; readonly to: "number" | "text" }
	/** What lists of traces show of the span. */
	| { readonly type: "text"; readonly side: "input" | "output" }
	/** About the span's attributes alone. */
	| { readonly type: "condition"; readonly condition: Condition }
	| { readonly type: "cumulative"; readonly total: "prompt" | "completion" | "total" | "errors" };

/** A JSON value. Infinite and similar numbers are texts, which PostgreSQL also accepts as numbers. */
export type Answer = string | number | boolean | null;

/** Distinct questions, numbered in the order of their first use. */
export class Questions {
	readonly #numbers = new Map<string, number>();
	readonly all: Question[] = [];

	ask(question: Question): number {
		const key = JSON.stringify(question);
		const known = this.#numbers.get(key);
		if (known !== undefined) return known;
		this.#numbers.set(key, this.all.length);
		return this.all.push(question) - 1;
	}

	get needContent(): boolean {
		return this.all.some(({ type }) => type !== "cumulative");
	}

	get needCumulative(): boolean {
		return this.all.some(({ type }) => type === "cumulative");
	}

	/** @param isRoot true only if the span is the root of its trace */
	answers(attributes: SpanAttributes | undefined, cumulative: Cumulative | undefined, isRoot = false): Answer[] {
		return this.all.map((question) => toJson(answerOf(question, attributes, cumulative, isRoot)));
	}
}

function answerOf(
	question: Question,
	attributes: SpanAttributes | undefined,
	cumulative: Cumulative | undefined,
	isRoot: boolean,
) {
	if (question.type === "cumulative") {
		if (cumulative === undefined) return null;
		return question.total === "errors" ? cumulative.errorCount : cumulative.tokens[question.total];
	}
	if (attributes === undefined) return null;
	if (question.type === "condition") return decide(question.condition, attributes);
	if (question.type === "text") {
		const isShown = !isRoot || attributes.find([question.side, "value"]) === undefined;
		return isShown ? attributes.shownText(question.side) : null;
	}
	if (question.type === "value") {
		const value = toSqlValue(attributes.find(question.path), question.as);
		return question.as === "any" ? tagged(value) : value;
	}
	const value = toSqlValue(attributes.find(question.path), "any");
	return question.to === "number" ? castToNumber(value) : castToText(value);
}

type SqlValue = ReturnType<typeof toSqlValue>;

/** The value prefixed with its type, for `comparePair`. */
function tagged(value: SqlValue): string | null {
	if (value === null) return null;
	if (typeof value === "number") return `n${value}`;
	if (typeof value === "bigint") return `b${value}`;
	return typeof value === "string" ? `t${value}` : "x";
}

function toJson(value: SqlValue | boolean): Answer {
	if (typeof value === "bigint") return Number(value);
	if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
	if (typeof value === "string") return storableText(value.toWellFormed());
	return typeof value === "object" ? null : value;
}
