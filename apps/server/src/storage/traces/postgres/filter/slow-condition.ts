import type { Condition, FilterTarget } from "@spanward/filter-language";
import type { ClientBase } from "pg";
import { storableText } from "#storage/postgres/storable-text.ts";
import { isTooSlow, toStorageError } from "#storage/postgres/storage-errors.ts";
import { ConditionTooSlow } from "#storage/traces/condition-too-slow.ts";
import { SpanAttributes } from "#storage/traces/content/attribute-values.ts";
import { decide, rowOfAttributes } from "#storage/traces/filter/attribute-condition.ts";
import { compileCondition, promotedColumn } from "#storage/traces/filter/compile.ts";
import { needsOf, wordsOfOneSpan } from "#storage/traces/filter/needs.ts";
import type { Sql } from "#storage/traces/filter/sql.ts";
import { cumulativeOfTraces } from "../read/cumulative.ts";
import { SpansWithWords } from "../text/spans-with-words.ts";
import { ANSWERS, postgresDialect } from "./dialect.ts";
import { findNeededSpans, type NeededSpan, neededBy, type SpanNeeds } from "./needed-spans.ts";
import { type Answer, Questions } from "./questions.ts";

interface Row {
	readonly id: number;
}

const TABLES: Readonly<Record<FilterTarget, string>> = { span: "spans", trace: "traces", session: "sessions" };

/** Time for one row of a list; a page stops between chunks long before. */
const ROW_MS = 3_000;
/** Time for the rows of one chunk. */
const CHUNK_MS = 10_000;
const FIRST_ROWS = 64;
const SHORT_MS = 100;
/** Spans whose content is read at most. */
const MOST_SPANS = 200_000;
/** Length of the answers that a statement gets. */
const MOST_CHARACTERS = 64_000_000;

class TimeIsUp extends Error {}

/** The parts of a condition that need other rows or content, in the order of evaluation. */
export class SlowCondition {
	readonly #client: ClientBase;
	readonly #target: FilterTarget;
	readonly #contents: SpansWithWords;
	/** Words that occur in the texts of every span that matches by its attributes. */
	readonly #words: readonly string[];
	#isLimited = false;
	/** Parts that need rows only. */
	readonly #plain: Sql[] = [];
	/** Parts that depend only on the attributes of each row's span. */
	readonly #byAttributes: Condition[] = [];
	readonly #asking: Sql[] = [];
	readonly #questions = new Questions();
	readonly #needed: SpanNeeds;
	#rowsAtOnce = FIRST_ROWS;

	/** @param lower the collation that lower-cases every script */
	constructor(client: ClientBase, target: FilterTarget, parts: readonly Condition[], lower: string) {
		this.#client = client;
		this.#target = target;
		this.#contents = new SpansWithWords(client);
		const asking: Condition[] = [];
		for (const part of parts) {
			if (isByAttributes(target, part)) {
				this.#byAttributes.push(part);
				continue;
			}
			const questions = new Questions();
			const compiled = compileCondition(target, part, postgresDialect(questions, lower));
			if (questions.all.length === 0) this.#plain.push(compiled);
			else asking.push(part);
		}
		// In a trace, each word may be in a different span.
		const needs = target === "span" ? this.#byAttributes.flatMap((part) => needsOf(part, target)) : [];
		this.#words = wordsOfOneSpan(needs, target)[0] ?? [];
		const dialect = postgresDialect(this.#questions, lower);
		this.#asking = asking.map((part) => compileCondition(target, part, dialect));
		this.#needed = neededBy(target, asking);
	}

	/**
	 * The rows that fulfil all parts. Call it within a transaction.
	 * @throws ConditionTooSlow
	 */
	async matching<R extends Row>(rows: readonly R[]): Promise<ReadonlySet<number>> {
		const start = performance.now();
		const found = new Set<number>();
		await this.#limitStatements();
		for (let at = 0; at < rows.length; ) {
			const part = rows.slice(at, at + this.#rowsAtOnce);
			const before = performance.now();
			if (before - start > CHUNK_MS) throw new ConditionTooSlow();
			try {
				for (const id of await this.#matchingNow(part, before + ROW_MS)) found.add(id);
			} catch (error) {
				if (!isTimeUp(error)) throw toStorageError(error);
				if (part.length === 1) throw new ConditionTooSlow();
				await this.#client.query("rollback to slow_condition");
				this.#rowsAtOnce = 1;
				continue;
			}
			at += part.length;
			if (performance.now() - before < SHORT_MS) this.#rowsAtOnce *= 4;
		}
		return found;
	}

	/** Limits each statement to the time of one row; the transaction survives a statement that exceeds it. */
	async #limitStatements(): Promise<void> {
		if (this.#isLimited) return;
		await this.#client.query(`set local statement_timeout = ${ROW_MS}; savepoint slow_condition`);
		this.#isLimited = true;
	}

	async #matchingNow<R extends Row>(rows: readonly R[], deadline: number): Promise<Iterable<number>> {
		let left = rows;
		const keep = (ids: ReadonlySet<number>) => {
			left = left.filter(({ id }) => ids.has(id));
		};
		if (this.#plain.length > 0) keep(await this.#select(left, this.#plain, "{}"));
		if (this.#byAttributes.length > 0 && left.length > 0) keep(await this.#decided(left, deadline));
		if (this.#asking.length > 0 && left.length > 0)
			keep(await this.#select(left, this.#asking, await this.#answers(left, deadline)));
		return left.map(({ id }) => id);
	}

	async #select(rows: readonly Row[], conditions: readonly Sql[], answers: string): Promise<ReadonlySet<number>> {
		const table = TABLES[this.#target];
		let number = 2;
		const failing = conditions
			.map(({ text }) => `when (${text}) is not true then false`)
			.join(" ")
			.replaceAll("?", () => {
				number += 1;
				return `$${number}`;
			})
			.replaceAll(ANSWERS, "$2::jsonb");
		const values = conditions
			.flatMap((condition) => condition.values)
			.map((value) => (typeof value === "string" ? storableText(value) : value));
		const { rows: found } = await this.#client.query<{ id: number }>(
			`select ${table}.id from ${table}
			where ${table}.id = any($1::bigint[]) and $2::jsonb is not null and case ${failing} else true end`,
			[rows.map(({ id }) => id), answers, ...values],
		);
		return new Set(found.map(({ id }) => id));
	}

	/** A span is decided by its own attributes, a trace by those of its root span. */
	async #decided(rows: readonly Row[], deadline: number): Promise<ReadonlySet<number>> {
		const matching = new Set<number>();
		const needed = { own: true, near: false, roots: this.#target === "trace", texts: false, all: false };
		for await (const { span, attributes } of this.#attributesOf(await this.#spans(needed, rows), this.#words, deadline))
			if (this.#byAttributes.every((condition) => decide(condition, attributes) === true))
				matching.add(this.#target === "trace" ? span.trace_row_id : span.id);
		return matching;
	}

	/** The answers for each span that the statement needs: `{"<row>": [answer, …]}` */
	async #answers(rows: readonly Row[], deadline: number): Promise<string> {
		const spans = await this.#spans(this.#needed, rows);
		const answers: string[] = [];
		let characters = 0;
		const add = (span: NeededSpan, given: readonly Answer[]) => {
			const text = `"${span.id}":${JSON.stringify(given)}`;
			characters += text.length;
			if (characters > MOST_CHARACTERS) throw new TimeIsUp();
			answers.push(text);
		};
		const totals = this.#questions.needCumulative
			? await cumulativeOfTraces(this.#client, [...new Set(spans.map((span) => span.trace_row_id))])
			: undefined;
		const cumulative = (span: NeededSpan) => totals?.get(span.trace_row_id)?.(span.id);
		if (this.#questions.needContent)
			for await (const { span, attributes } of this.#attributesOf(spans, [], deadline))
				add(span, this.#questions.answers(attributes, cumulative(span), span.is_root));
		else for (const span of spans) add(span, this.#questions.answers(undefined, cumulative(span)));
		return `{${answers.join(",")}}`;
	}

	async #spans(needed: SpanNeeds, rows: readonly Row[]): Promise<readonly NeededSpan[]> {
		const spans = await findNeededSpans(this.#client, this.#target, needed, rows, MOST_SPANS);
		if (spans === undefined) throw new TimeIsUp();
		return spans;
	}

	async *#attributesOf(spans: readonly NeededSpan[], words: readonly string[], deadline: number) {
		for await (const { row: span, content } of this.#contents.read(spans, words)) {
			if (performance.now() > deadline) throw new TimeIsUp();
			yield { span, attributes: new SpanAttributes(content.span, () => content) };
		}
	}
}

function isByAttributes(target: FilterTarget, part: Condition): boolean {
	if (target === "session") return false;
	const isPromoted = (value: Parameters<Parameters<typeof rowOfAttributes>[1]>[0]) =>
		target === "span" && value.type === "attribute" && promotedColumn(value) !== undefined;
	return rowOfAttributes(part, isPromoted) === 0;
}

function isTimeUp(error: unknown): boolean {
	return error instanceof TimeIsUp || isTooSlow(error);
}
