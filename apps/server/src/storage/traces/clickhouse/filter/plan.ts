import { setImmediate } from "node:timers/promises";
import type { Condition, FilterTarget } from "@spanward/filter-language";
import { sql } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import { present } from "#base/present.ts";
import { readersGone } from "#base/readers-gone.ts";
import { listed } from "#storage/listed.ts";
import type { AnnotationTarget } from "#storage/schema.ts";
import { matchesAttributes } from "#storage/traces/content/attribute-filter.ts";
import { containsWords, isIdLike, wordsOf } from "#storage/traces/content/searchable-text.ts";
import { type Need, needsOf, wordsOfOneSpan } from "#storage/traces/filter/needs.ts";
import type { AttributeEquals } from "#storage/traces/trace-store.ts";
import { type Limits, limited } from "../read/bounds.ts";
import { Conditions } from "../read/conditions.ts";
import type { Kept, Window } from "../read/walk.ts";
import { isOlder, olderSql } from "../readings/older.ts";
import { renewSpans } from "../readings/renew-spans.ts";
import { renewSessions, renewTraces } from "../readings/renew-traces.ts";
import type { SpanRow, TraceRow } from "../tables.ts";
import { findCandidates, isSigned, type TextCandidates } from "../text/find-candidates.ts";
import { isTrueFor } from "./evaluate.ts";
import type { SessionItem, SpanItem, TraceItem } from "./fields.ts";
import { isSearchable, mayContain, narrowCondition } from "./narrow.ts";
import { type Needed, neededFor } from "./needed.ts";
import { type SessionRow, type Sources, World } from "./world.ts";

export interface Filtered {
	readonly projectId: number;
	readonly condition?: Condition;
	readonly text?: string;
	readonly attributes?: readonly AttributeEquals[];
}

type Item = SpanItem | TraceItem | SessionItem;

/** How a list finds the rows that a filter selects. */
export interface Plan<Row> {
	/**
	 * Adds what ClickHouse can tell to the conditions of a statement.
	 * @param spans the row numbers or starts of all spans that the rows of the statement are or have
	 */
	readonly narrow: (where: Conditions, spans?: SpansWindow) => Promise<void>;
	/** As `narrow`, in two parts: what the row tells, and what its content does. */
	readonly narrowRows: (where: Conditions, spans?: SpansWindow) => void;
	readonly narrowContents: (where: Conditions, spans?: SpansWindow) => Promise<void>;
	/** Whether `narrow` makes use of `spans`. */
	readonly searchesSpans: boolean;
	/** Whether rows of a former reading are read anew, so that a page may end early. */
	readonly readsAnew: boolean;
	/** How many rows `keep` looks at first, at least. */
	readonly candidates: number;
	/** The row numbers of all rows that can be selected; absent where the metadata database tells nothing. */
	readonly rowIds: readonly number[] | undefined;
	/** Of sessions: each binds values and selects the row numbers of traces, one of which a session has. */
	readonly searches: readonly ((where: Conditions) => Promise<string>)[];
	/** Those of the rows that are selected; absent where the statement tells. */
	readonly keep: ((rows: readonly Row[], limits: Limits) => AsyncIterable<Kept<Row>>) | undefined;
}

export type Choose<Row> = (rows: readonly Row[], sources: Sources) => Promise<readonly Row[]> | readonly Row[];

export interface SpansWindow extends Window {
	readonly column: "id" | "start_micros";
}

/** Row numbers that are sent with a statement at most. */
const MOST_ROWS = 10_000;
/** Spans whose content is held at a time, unless they are of one trace. */
const SPANS_AT_ONCE = 1_000;
/** So long rows are looked at before others get on. */
const TURN_MS = 20;
/** Of rows whose content, or other spans, have to be read. */
const FEW_CANDIDATES = 32;
const NOTHING: Needed = {
	traces: false,
	owners: false,
	spans: false,
	contents: "none",
	roots: false,
	annotations: false,
	failures: false,
};

/**
 * @param choose keeps those rows of the current reading that the list's own conditions select, as far as these depend on
 * attributes; absent where it has none
 */
export async function planFilter<Row extends Item["row"]>(
	sources: Sources,
	query: Filtered,
	target: FilterTarget,
	choose?: Choose<Row>,
): Promise<Plan<Row>> {
	const { condition, text, attributes = [] } = query;
	const words = text === undefined ? [] : wordsOf(text);
	const needs = condition === undefined ? [] : needsOf(condition, target);
	const groups = wordsOfOneSpan([...needs, ...textNeeds(words)], target);
	const sent = target === "span" ? sentOf(needs) : NOTHING_SENT;
	// Contents are searched for the first kind, and the index tells something of the second.
	const isUsed = (word: string) => isSearchable(word) || (sources.hasTextIndex && isSigned(word));
	const searched = groups.map((group) => group.filter(isUsed)).filter((group) => group.length > 0);
	const annotated =
		(await annotatedRows(sources, query.projectId, needs, target)) ??
		(await failedSpans(sources, query.projectId, needs));
	const readsAnew = sources.readings.hasOlder && (condition !== undefined || choose !== undefined);
	const narrowRows = (where: Conditions, spans?: SpansWindow) => {
		where.addIn(`${target}s.id`, "Int64", annotated && (target === "span" ? within(annotated, spans) : annotated));
		for (const need of needs) if (need.type === "ids") addIds(where, need, target);
		const narrowed = condition && narrowCondition(condition, query, target, where);
		if (narrowed !== undefined) where.add(readsAnew ? `(${narrowed.sql} or ${olderSql(`${target}s`)})` : narrowed.sql);
	};
	const narrowContents = async (where: Conditions, spans?: SpansWindow) => {
		for (const group of searched)
			await addWords(where, group, { sources, projectId: query.projectId, target, spans, sent });
	};
	const narrow = async (where: Conditions, spans?: SpansWindow) => {
		narrowRows(where, spans);
		await narrowContents(where, spans);
	};
	// No shard knows all traces of a session.
	const isAcross = target === "session" && sources.shards.list.length > 1;
	const isExact =
		condition === undefined ||
		(!isAcross && narrowCondition(condition, query, target, new Conditions())?.isExact === true);
	const searchesSpans = searched.length > 0;
	const searches = searched.map(
		(group) => (where: Conditions) =>
			tracesWithWords(where, group, { sources, projectId: query.projectId, target, spans: undefined, sent }),
	);
	const found = { narrow, narrowRows, narrowContents, searchesSpans, searches, rowIds: annotated, readsAnew };
	if (!readsAnew && isExact && words.length === 0 && attributes.length === 0)
		return { ...found, candidates: 1, keep: undefined };
	const needed = allOf([
		...(condition === undefined ? [] : [neededFor(condition, target)]),
		...(words.length > 0 ? [{ ...NOTHING, contents: "own" as const, ...(target !== "span" && ALL_CONTENTS) }] : []),
		...(attributes.length > 0 ? [{ ...NOTHING, contents: "own" as const }] : []),
	]);
	const decide = (item: Item, world: World) =>
		(condition === undefined || isTrueFor(condition, item, world)) &&
		(words.length === 0 || hasWords(item, words, world)) &&
		(attributes.length === 0 || hasAttributes(item, attributes, world));
	return {
		...found,
		candidates: isOfRows(needed) ? SPANS_AT_ONCE : FEW_CANDIDATES,
		async *keep(rows, limits) {
			const limitedSources = { ...sources, shard: limited(sources.shard, limits) };
			for (const part of partsOf(rows, needed)) {
				const renewed = await renew(limitedSources, target, part);
				const items = renewed.map((row) => ({ kind: target, row }) as Item);
				const world = await World.load(limitedSources, items, needed);
				const chosen = readsAnew && choose !== undefined ? new Set(await choose(renewed, limitedSources)) : undefined;
				// Positions in the list are those of the rows as they are stored.
				const kept = await keepInTurns(part, (_, index) => {
					const item = items[index];
					return item !== undefined && (chosen === undefined || chosen.has(item.row as Row)) && decide(item, world);
				});
				if (target === "span") noteContents(sources, kept as readonly SpanRow[], world);
				yield { rows: kept, last: present(part.at(-1), "a row of a part") };
			}
		},
	};
}

/** This thread serves everybody: others get on between rows that take long. @throws Abandoned */
async function keepInTurns<Row>(
	rows: readonly Row[],
	isKept: (row: Row, index: number) => boolean,
): Promise<readonly Row[]> {
	const kept: Row[] = [];
	let began = performance.now();
	for (const [index, row] of rows.entries()) {
		if (isKept(row, index)) kept.push(row);
		if (performance.now() - began < TURN_MS) continue;
		await setImmediate();
		readersGone.getStore()?.throwIfAborted();
		began = performance.now();
	}
	return kept;
}

function noteContents({ selected }: Sources, rows: readonly SpanRow[], world: World): void {
	for (const row of rows) {
		const content = world.contentOf(row.id);
		if (content !== undefined && row.has_logs === 0) selected?.note(row, content);
	}
}

/** Rows as the current reading makes them. */
async function renew<Row extends Item["row"]>(
	sources: Sources,
	target: FilterTarget,
	rows: readonly Row[],
): Promise<readonly Row[]> {
	if (!rows.some(isOlder)) return rows;
	switch (target) {
		case "span":
			return (await renewSpans(sources, rows as readonly SpanRow[])) as readonly Row[];
		case "trace":
			return (await renewTraces(sources, rows as readonly TraceRow[])) as readonly Row[];
		case "session":
			return (await renewSessions(sources, rows as readonly SessionRow[])) as readonly Row[];
	}
}

const ALL_CONTENTS = { traces: true, spans: true, contents: "all" } as const;

function allOf(parts: readonly Needed[]): Needed {
	const contents = parts.map((part) => part.contents);
	return {
		traces: parts.some(({ traces }) => traces),
		owners: parts.some(({ owners }) => owners),
		spans: parts.some(({ spans }) => spans),
		contents: contents.includes("all") ? "all" : contents.includes("own") ? "own" : "none",
		roots: parts.some(({ roots }) => roots),
		annotations: parts.some(({ annotations }) => annotations),
		failures: parts.some(({ failures }) => failures),
	};
}

/** Words that look like ids may be the ids of the span instead. */
function textNeeds(words: readonly string[]): Need[] {
	const inText = words.filter((word) => !isIdLike(word));
	return inText.length === 0 ? [] : [{ type: "words", words: inText }];
}

const NOTHING_SENT: ReadonlyMap<string, string> = new Map();

/** Words in lower case as they are written in every span that fulfils these needs. */
function sentOf(needs: readonly Need[]): ReadonlyMap<string, string> {
	const sent = needs.flatMap((need) => (need.type === "words" ? (need.sent ?? []) : []));
	return new Map(sent.map((word) => [word.toLowerCase(), word]));
}

function addIds(where: Conditions, { of, ids, inSpans }: Need & { type: "ids" }, target: FilterTarget): void {
	const table = `${inSpans ? "span" : target}s`;
	if (of === "span") where.addInHex(`${table}.span_id`, 8, ids);
	else if (of === "trace") where.addInHex(`${table}.trace_id`, 16, ids);
}

interface WordsIn {
	readonly sources: Sources;
	readonly projectId: number;
	readonly target: FilterTarget;
	readonly spans: SpansWindow | undefined;
	/** As {@link sentOf}. */
	readonly sent: ReadonlyMap<string, string>;
}

/** Content has every text of a span as it was sent, but for those of log records. */
async function addWords(where: Conditions, words: readonly string[], searched: WordsIn): Promise<void> {
	const { projectId, target } = searched;
	if (target === "span") {
		const candidates = await candidatesFor(words, searched);
		const within = withinSpans(where, searched);
		where.add(mayHaveWords(where, words, { within, candidates, prefix: "spans.", sent: searched.sent }));
		return;
	}
	const traces = await tracesWithWords(where, words, searched);
	if (target === "trace") where.add(`traces.id in (${traces})`);
	else
		where.add(
			`sessions.id in (select assumeNotNull(session_row_id) from traces
				where project_id = ${where.bind("Int64", projectId)} and session_row_id is not null and id in (${traces}))`,
		);
}

/** Selects the row numbers of traces of which a span may have all these words. */
async function tracesWithWords(where: Conditions, words: readonly string[], searched: WordsIn): Promise<string> {
	const candidates = await candidatesFor(words, searched);
	const within = withinSpans(where, searched);
	const mayHave = mayHaveWords(where, words, { within, candidates, prefix: "", sent: searched.sent });
	return `select trace_row_id from spans where ${within} and (${mayHave})`;
}

async function candidatesFor(words: readonly string[], { sources, projectId, spans }: WordsIn) {
	if (!sources.hasTextIndex) return undefined;
	return await findCandidates(sources.shard, sources.shards.list.length, { projectId, words, spans });
}

function withinSpans(where: Conditions, { projectId, spans }: Pick<WordsIn, "projectId" | "spans">): string {
	const ofProject = `project_id = ${where.bind("Int64", projectId)}`;
	if (spans === undefined) return ofProject;
	const [from, to] = [where.bind("Int64", spans.from), where.bind("Int64", spans.to)];
	const within = `${ofProject} and ${spans.column} >= ${from} and ${spans.column} < ${to}`;
	// Contents lie by start.
	return spans.column === "id"
		? `${within} and start_micros in (select start_micros from spans where ${within})`
		: within;
}

interface MayHave {
	readonly within: string;
	/** Absent where the index tells nothing. */
	readonly candidates: TextCandidates | undefined;
	/** Of columns of spans. */
	readonly prefix: string;
	/** As {@link sentOf}. */
	readonly sent: ReadonlyMap<string, string>;
}

function mayHaveWords(
	where: Conditions,
	words: readonly string[],
	{ within, candidates, prefix, sent }: MayHave,
): string {
	const has = words.filter(isSearchable).map((word) => {
		const written = sent.get(word);
		// Takes two thirds of the time.
		if (written !== undefined) return `position(span, ${where.bind("String", written)}) > 0`;
		return mayContain("span", word, where);
	});
	const contents = (more: readonly string[]) =>
		`select id from span_contents where ${[within, ...more, ...has].join(" and ")}`;
	if (candidates === undefined)
		return has.length === 0 ? "true" : `${prefix}id in (${contents([])}) or ${prefix}has_logs = 1`;
	const { starts, until } = candidates;
	const bound = starts.map(
		([from, to]) => `start_micros between ${where.bind("Int64", from)} and ${where.bind("Int64", to)}`,
	);
	// Rows that others have replaced do no harm, and leaving them out would read the content of all.
	const parts = [
		...(bound.length === 0 ? [] : [contents([`(${bound.join(" or ")})`])]),
		contents([`version > ${where.bind("Int64", until)}`]),
		`select id from spans where ${within} and has_logs = 1`,
	];
	return `${prefix}id in (${parts.map((part) => `${part} settings final = 0`).join(" union all ")})`;
}

/** The rows that have an annotation which the condition needs; undefined where there are too many, or none is needed. */
async function annotatedRows(
	{ db }: Sources,
	projectId: number,
	needs: readonly Need[],
	target: FilterTarget,
): Promise<number[] | undefined> {
	for (const need of needs) {
		if (need.type !== "annotation") continue;
		const column = COLUMNS[target][need.target];
		if (column === undefined) continue;
		const rows = await db
			.selectFrom("annotations")
			.select(`${column} as id`)
			.distinct()
			.where("project_id", "=", projectId)
			.where("target", "=", need.target)
			.where("name", "=", need.name)
			.where(column, "is not", null)
			.limit(MOST_ROWS + 1)
			.execute();
		if (rows.length <= MOST_ROWS) return rows.map(({ id }) => id).filter((id) => id !== null);
	}
	return undefined;
}

/** The spans that failed as the condition needs it; undefined where there are too many, or none is needed. */
async function failedSpans({ db }: Sources, projectId: number, needs: readonly Need[]): Promise<number[] | undefined> {
	for (const need of needs) {
		if (need.type !== "failure") continue;
		const ofProject = db
			.selectFrom("error_occurrences as failed")
			.innerJoin("error_groups as own", "own.id", "failed.group_id")
			.select("failed.span_row_id")
			.where("own.project_id", "=", projectId);
		const column = need.by === "group" ? "own.fingerprint" : `failed.${need.by}`;
		const rows = await ofProject
			.where(sql.ref(column), "in", listed(need.values))
			.limit(MOST_ROWS + 1)
			.execute();
		if (rows.length <= MOST_ROWS) return rows.map(({ span_row_id }) => span_row_id);
	}
	return undefined;
}

/** The column of annotations on one thing that has the row number of another. */
const COLUMNS: Readonly<
	Record<FilterTarget, Partial<Record<AnnotationTarget, "span_row_id" | "trace_row_id" | "session_row_id">>>
> = {
	span: { span: "span_row_id" },
	trace: { span: "trace_row_id", trace: "trace_row_id" },
	session: { session: "session_row_id" },
};

function hasWords(item: Item, words: readonly string[], world: World): boolean {
	const spans = item.kind === "span" ? [item] : world.spansOf(item);
	return spans.some(({ row }) => {
		const content = world.contentOf(row.id);
		const ids = [row.span_id.toString("hex"), row.trace_id.toString("hex")];
		return content !== undefined && containsWords(content, ids, words);
	});
}

function hasAttributes(item: Item, attributes: readonly AttributeEquals[], world: World): boolean {
	const content = item.kind === "span" ? world.contentOf(item.row.id) : undefined;
	return content !== undefined && matchesAttributes(content, attributes);
}

/** Whether rows and their annotations are all that is needed. */
function isOfRows({ contents, roots, spans, traces }: Needed): boolean {
	return contents === "none" && !roots && !spans && !traces;
}

/** Row numbers in a window of them; all in one of starts. */
function within(ids: readonly number[], spans: SpansWindow | undefined): readonly number[] {
	return spans?.column === "id" ? ids.filter((id) => id >= spans.from && id < spans.to) : ids;
}

/** Rows of which all that is needed is held at once. */
function* partsOf<Row extends Item["row"]>(rows: readonly Row[], needed: Needed): Generator<readonly Row[]> {
	if (!needed.spans) {
		yield* chunksOf(rows, isOfRows(needed) ? SPANS_AT_ONCE : SPANS_AT_ONCE / 5);
		return;
	}
	let part: Row[] = [];
	let spans = 0;
	for (const row of rows) {
		// Of a span nothing says how large its trace is.
		const count = "span_count" in row ? row.span_count : SPANS_AT_ONCE / 20;
		if (part.length > 0 && spans + count > SPANS_AT_ONCE) {
			yield part;
			part = [];
			spans = 0;
		}
		part.push(row);
		spans += count;
	}
	if (part.length > 0) yield part;
}
