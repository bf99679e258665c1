import type { Attribute, Condition } from "@spanward/filter-language";
import { type SpanAttributes, toSqlValue } from "#storage/traces/content/attribute-values.ts";
import { castToNumber, castToText, decide } from "#storage/traces/filter/attribute-condition.ts";
import type { Cumulative } from "#storage/traces/trace-store.ts";

/** What is asked of a span that PostgreSQL cannot tell: its content is compressed, and sums over trees are made here. */
export type Question =
	| { readonly type: "value"; readonly path: readonly string[]; readonly as: Attribute["as"] }
	| { readonly type: "cast"; readonly path: readonly string[]; readonly to: "number" | "text" }
	/** Of its attributes alone. */
	| { readonly type: "condition"; readonly condition: Condition }
	| { readonly type: "cumulative"; readonly total: "prompt" | "completion" | "total" | "errors" };

/** JSON; numbers that it does not have are texts, which PostgreSQL reads as numbers all the same. */
export type Answer = string | number | boolean | null;

/** Different questions, numbered in the order in which they are asked. */
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

	answers(attributes: SpanAttributes | undefined, cumulative: Cumulative | undefined): Answer[] {
		return this.all.map((question) => toJson(answerOf(question, attributes, cumulative)));
	}
}

function answerOf(question: Question, attributes: SpanAttributes | undefined, cumulative: Cumulative | undefined) {
	if (question.type === "cumulative") {
		if (cumulative === undefined) return null;
		return question.total === "errors" ? cumulative.errorCount : cumulative.tokens[question.total];
	}
	if (attributes === undefined) return null;
	if (question.type === "condition") return decide(question.condition, attributes);
	if (question.type === "value") {
		const value = toSqlValue(attributes.find(question.path), question.as);
		return question.as === "any" ? tagged(value) : value;
	}
	const value = toSqlValue(attributes.find(question.path), "any");
	return question.to === "number" ? castToNumber(value) : castToText(value);
}

type SqlValue = ReturnType<typeof toSqlValue>;

/** With its type in front; `comparePair` takes it apart. */
function tagged(value: SqlValue): string | null {
	if (value === null) return null;
	if (typeof value === "number") return `n${value}`;
	if (typeof value === "bigint") return `b${value}`;
	return typeof value === "string" ? `t${value}` : "x";
}

function toJson(value: SqlValue | boolean): Answer {
	if (typeof value === "bigint") return Number(value);
	if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
	if (typeof value === "string") return value.toWellFormed();
	return typeof value === "object" ? null : value;
}
