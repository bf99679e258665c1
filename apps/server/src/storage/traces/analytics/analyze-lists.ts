import type { SpanAttributes } from "../content/attribute-values.ts";
import { kindOf } from "../totals/span-kinds.ts";
import type {
	Keyset,
	Page,
	SessionQuery,
	SessionSummary,
	SpanQuery,
	TraceQuery,
	TraceWithoutTexts,
} from "../trace-store.ts";
import type { GroupBy, LabelGroup, NumberValue, Range } from "./analytics-query.ts";
import type { Look, SummedRows } from "./analyze.ts";
import type { AnnotationReader } from "./annotation-reader.ts";
import { type Labelled, readLabels } from "./label-groups.ts";
import type { OccurrenceReader } from "./occurrence-reader.ts";
import type { AnalyticsPlan } from "./plan.ts";
import type { RawRows } from "./row-columns.ts";
import { SESSION_NUMBERS, SPAN_NUMBERS, type SpanFacts, TRACE_NUMBERS, tokensOf } from "./row-numbers.ts";
import type { RowGroup } from "./tally.ts";

type ListedSpans = SpanQuery & { readonly sort: "start_time" | "id" };
type ListedTraces = TraceQuery & { readonly sort: "start_time" };
type ListedSessions = SessionQuery & { readonly sort: "start_time" };

/** Lists of a store; those that see one state of the database, where it has such. */
export interface AnalyticsLists<Span extends SpanFacts = SpanFacts> {
	spans(query: ListedSpans): Promise<Page<Span>>;
	traces(query: ListedTraces): Promise<Page<TraceWithoutTexts>>;
	sessions(query: ListedSessions): Promise<Page<SessionSummary>>;
	tracesOfSessions(sessionRowIds: readonly number[]): Promise<readonly TraceWithoutTexts[]>;
	/** By row number of the spans. */
	attributes(spans: readonly Span[]): Promise<ReadonlyMap<number, SpanAttributes>>;
	readonly annotations: AnnotationReader;
	readonly occurrences: OccurrenceReader;
}

/** A row as a question sees it. */
export interface AskedRow {
	readonly micros: number;
	readonly groups: readonly RowGroup[];
	readonly quantities: readonly (number | null)[];
	readonly identities: readonly (string | number | null)[];
}

/** What a condition on rows selects. */
export const TARGETS = {
	spans: "span",
	traces: "trace",
	sessions: "session",
	annotations: "span",
	errors: "span",
	spend: "span",
	ingest: "span",
} as const;

/** Rows of a page. With their content they are fewer. */
export const ROWS = 2_000;
export const ROWS_WITH_CONTENT = 500;
const STATUSES = ["UNSET", "OK", "ERROR"];
const TAGS = ["tag", "tags"];
const MICROS_OF_MS = 1_000;

/** A page of rows, and the time from which on all rows of the range have been read. */
export interface AskedPage {
	readonly rows: readonly AskedRow[];
	/** Further rows. */
	readonly raw?: RawRows;
	/** Rows that were added up before. */
	readonly sums?: readonly SummedRows[];
	readonly reachedMicros: number;
}

/** The rows of a project from lists, with all that they understand. */
export async function* listRows<Span extends SpanFacts>(
	lists: AnalyticsLists<Span>,
	plan: AnalyticsPlan,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> {
	const { of, condition, text } = plan.query;
	const filter = {
		...range,
		projectId,
		...(condition === undefined ? {} : { condition }),
		...(text === undefined ? {} : { text }),
	};
	const limit = plan.needsContent ? ROWS_WITH_CONTENT : ROWS;
	const sorted = { ...filter, sort: "start_time", order: "desc", limit } as const;
	const { lastRow = Number.POSITIVE_INFINITY } = plan.query;
	const readers = new RowReaders(lists, plan);
	if (of === "spans")
		yield* pages(
			range,
			(from) => lists.spans({ ...sorted, ...at("from", from) }),
			(rows) => readers.spans(rows.filter(({ id }) => id <= lastRow)),
		);
	else if (of === "traces")
		yield* pages(
			range,
			(after) => lists.traces({ ...sorted, withTexts: false, ...at("after", after) }),
			(rows) => readers.traces(rows.filter(({ id }) => id <= lastRow)),
		);
	else if (of === "sessions")
		yield* pages(
			range,
			(from) => lists.sessions({ ...sorted, ...at("from", from) }),
			(rows) => readers.sessions(rows.filter(({ id }) => id <= lastRow)),
		);
	else throw new Error(`no list has ${of}`);
}

export async function* pages<Row>(
	{ startMicros }: Range,
	list: (at: Keyset | undefined) => Promise<Page<Row>>,
	read: (rows: readonly Row[]) => Promise<readonly AskedRow[]>,
): AsyncGenerator<AskedPage> {
	for (let at: Keyset | undefined; ; ) {
		const page = await list(at);
		const rows = await read(page.items);
		at = page.next;
		// Others may start in the same microsecond.
		yield { rows, reachedMicros: at === undefined ? startMicros : Math.max(startMicros, at.value + 1) };
		if (at === undefined) return;
	}
}

/** The rows of one project that start in the range and fit a question, the newest first. */
export type RowsOfProject = (plan: AnalyticsPlan, projectId: number, range: Range) => AsyncGenerator<AskedPage>;

/** How a question about several projects is answered from the rows of each. */
export function lookAtRows(rowsOf: RowsOfProject): Look {
	return (plan, edges) => lookAtRange(rowsOf, plan, { startMicros: edges[0] ?? 0, endMicros: edges.at(-1) ?? 0 });
}

export function lookAtRange(rowsOf: RowsOfProject, plan: AnalyticsPlan, range: Range): AsyncGenerator<AskedPage> {
	return merged(
		plan.query.projectIds.map((project) => rowsOf(plan, project, range)),
		range,
	);
}

/** The rows of several projects, the newest first, as far as pages allow. */
export async function* merged(sources: readonly AsyncGenerator<AskedPage>[], range: Range): AsyncGenerator<AskedPage> {
	const open = new Map(sources.map((source) => [source, range.endMicros]));
	while (open.size > 0) {
		const [[source] = []] = [...open].sort(([, a], [, b]) => b - a);
		if (source === undefined) return;
		const { done, value } = await source.next();
		if (done === true) {
			open.delete(source);
			continue;
		}
		open.set(source, value.reachedMicros);
		yield { ...value, reachedMicros: Math.max(...open.values()) };
	}
}

function at<Name extends string>(name: Name, keyset: Keyset | undefined): Partial<Record<Name, Keyset>> {
	return keyset === undefined ? {} : ({ [name]: keyset } as Record<Name, Keyset>);
}

/** What a row's groups and identities are looked up in. */
interface Known {
	/** The span itself, or the root span of the row. */
	readonly span: SpanFacts | undefined;
	readonly attributes: SpanAttributes | undefined;
	readonly user: string | null;
	readonly session: string | null;
	readonly release: string | null;
	readonly environment: string | null;
	readonly labels: (by: LabelGroup) => RowGroup;
	readonly errorGroup: string | null;
}

export class RowReaders<Span extends SpanFacts> {
	readonly #lists: AnalyticsLists<Span>;
	readonly #plan: AnalyticsPlan;
	readonly #needsOwner: boolean;
	readonly #needsRoot: boolean;
	readonly #needsErrors: boolean;

	constructor(lists: AnalyticsLists<Span>, plan: AnalyticsPlan) {
		this.#lists = lists;
		this.#plan = plan;
		const fields: string[] = plan.query.groupBy.map((by) => (by.type === "field" ? by.name : ""));
		const needed = [...fields, ...plan.parts.identities];
		this.#needsOwner = needed.some((name) => OF_OWNER.has(name));
		this.#needsErrors = fields.includes("error_group");
		const needsLabels = plan.query.groupBy.some(({ type }) => type === "label");
		this.#needsRoot = plan.needsContent || needsLabels || fields.some((name) => OF_ROOT.has(name));
	}

	async spans(rows: readonly Span[]): Promise<readonly AskedRow[]> {
		const owners = await this.#ownersOf(rows);
		const attributes = this.#plan.needsContent ? await this.#lists.attributes(rows) : undefined;
		const labels = await this.#labelsOf(rows.map(({ id }) => ({ spans: id })));
		const errorGroups = await this.#errorGroupsOf(rows.map(({ id }) => id));
		return rows.map((row, index) => {
			const owner = owners.get(row.trace_row_id);
			const known = {
				span: row,
				attributes: attributes?.get(row.id),
				user: row.user_id ?? owner?.userId ?? null,
				session: row.session_id ?? owner?.sessionId ?? null,
				release: row.release ?? owner?.release ?? null,
				environment: row.environment ?? owner?.environment ?? null,
				labels: labels(index),
				errorGroup: errorGroups(row.id),
			};
			return this.#asked(row.start_micros, row.project_id, known, {
				number: (name) => SPAN_NUMBERS[name]?.(row) ?? null,
				field: (name) => spanField(row, name),
				status: row.status_code,
				name: row.name,
				trace: row.trace_row_id,
			});
		});
	}

	async traces(rows: readonly TraceWithoutTexts[]): Promise<readonly AskedRow[]> {
		const roots = await this.#rootsOf(rows.map(({ rootSpanRowId, projectId }) => ({ rootSpanRowId, projectId })));
		const labels = await this.#labelsOf(rows.map(labelledOf));
		const errorGroups = await this.#errorGroupsOf(rows.map(({ rootSpanRowId }) => rootSpanRowId));
		return rows.map((row, index) => {
			const { userId: user, sessionId: session, release, environment } = row;
			const known = {
				...{ ...roots(row.rootSpanRowId), user, session, release, environment },
				labels: labels(index),
				errorGroup: errorGroups(row.rootSpanRowId),
			};
			return this.#asked(row.start.micros, row.projectId, known, {
				number: (name) => TRACE_NUMBERS[name]?.(row) ?? null,
				field: (name) => totalsField(row, name),
				status: row.errorCount > 0 ? 2 : row.rootStatusCode,
				name: row.rootName,
				trace: row.id,
			});
		});
	}

	async sessions(rows: readonly SessionSummary[]): Promise<readonly AskedRow[]> {
		const first = this.#needsRoot ? await firstTraces(this.#lists, rows) : new Map<number, TraceWithoutTexts>();
		const roots = await this.#rootsOf([...first.values()]);
		const labels = await this.#labelsOf(rows.map(({ id }) => ({ ...labelledOf(first.get(id)), sessions: id })));
		const errorGroups = await this.#errorGroupsOf([...first.values()].map(({ rootSpanRowId }) => rootSpanRowId));
		return rows.map((row, index) => {
			const trace = first.get(row.id);
			const root = roots(trace?.rootSpanRowId);
			const { release = null, environment = null } = trace ?? {};
			const known = {
				...{ ...root, user: row.userId, session: row.sessionId, release, environment },
				labels: labels(index),
				errorGroup: errorGroups(trace?.rootSpanRowId),
			};
			return this.#asked(row.start.micros, row.projectId, known, {
				number: (name) => SESSION_NUMBERS[name]?.(row) ?? null,
				field: (name) => totalsField(row, name),
				status: row.errorCount > 0 ? 2 : 0,
				name: root.span?.name ?? null,
				trace: null,
			});
		});
	}

	#asked(
		micros: number,
		projectId: number,
		known: Known,
		row: {
			readonly number: (name: string) => number | null;
			readonly field: (name: (NumberValue & { type: "field" })["name"]) => number | null;
			readonly status: number;
			readonly name: string | null;
			readonly trace: number | null;
		},
	): AskedRow {
		const { query, parts } = this.#plan;
		const group = (by: GroupBy): RowGroup => {
			if (by.type === "tag") return tagsOf(known.attributes);
			if (by.type === "attribute") return attributeOf(known.attributes, by.path);
			if (by.type === "label") return known.labels(by);
			if (by.type !== "field") return null;
			switch (by.name) {
				case "project":
					return projectId;
				case "model":
					return known.span?.model || null;
				case "provider":
					return known.span?.provider ?? null;
				case "kind":
					return known.span === undefined ? null : kindOf(known.span.kind);
				case "name":
					return row.name;
				case "api_key":
					return apiKeyOf(known.span);
				case "status":
					return STATUSES[row.status] ?? "UNSET";
				case "error_group":
					return known.errorGroup;
				case "user":
				case "session":
				case "release":
				case "environment":
					return known[by.name];
			}
		};
		return {
			micros,
			groups: query.groupBy.map(group),
			quantities: parts.quantities.map((name) => {
				const value = parts.values.get(name);
				if (value === undefined) return row.number(name);
				if (value.type === "field") return row.field(value.name);
				const found = attributeOf(known.attributes, value.path);
				return typeof found === "number" ? found : null;
			}),
			identities: parts.identities.map((name) => {
				if (name === "trace") return row.trace;
				if (name === "user") return known.user;
				// The same id in two projects is two sessions.
				return known.session === null || query.projectIds.length === 1
					? known.session
					: `${projectId} ${known.session}`;
			}),
		};
	}

	async #labelsOf(rows: readonly Labelled[]): Promise<(row: number) => Known["labels"]> {
		const labels = await readLabels(this.#lists.annotations, this.#plan, rows);
		return (row) => (by) => labels(rows[row] ?? {}, by);
	}

	async #errorGroupsOf(spanRowIds: readonly number[]): Promise<(spanRowId: number | undefined) => string | null> {
		if (!this.#needsErrors || spanRowIds.length === 0) return () => null;
		const groups = await this.#lists.occurrences.groupsOf(spanRowIds);
		return (id) => groups.get(id ?? 0) ?? null;
	}

	async #ownersOf(rows: readonly SpanFacts[]): Promise<ReadonlyMap<number, TraceWithoutTexts>> {
		const lacks = (row: SpanFacts) =>
			[row.user_id, row.session_id, row.release, row.environment].some((value) => value === null);
		const lacking = this.#needsOwner ? rows.filter(lacks) : [];
		const ids = [...new Set(lacking.map(({ trace_row_id }) => trace_row_id))];
		const [first] = lacking;
		if (first === undefined) return new Map();
		const { items } = await this.#lists.traces({
			projectId: first.project_id,
			rowIds: ids,
			withTexts: false,
			sort: "start_time",
			order: "desc",
			limit: ids.length,
		});
		return new Map(items.map((trace) => [trace.id, trace]));
	}

	async #rootsOf(
		rows: readonly { readonly rootSpanRowId: number; readonly projectId: number }[],
	): Promise<(id: number | undefined) => Pick<Known, "span" | "attributes">> {
		const [first] = rows;
		if (!this.#needsRoot || first === undefined) return () => ({ span: undefined, attributes: undefined });
		const rowIds = rows.map(({ rootSpanRowId }) => rootSpanRowId);
		const { items } = await this.#lists.spans({
			projectId: first.projectId,
			rowIds,
			sort: "id",
			order: "desc",
			limit: rowIds.length,
		});
		const attributes = this.#plan.needsContent ? await this.#lists.attributes(items) : undefined;
		const byId = new Map(items.map((span) => [span.id, span]));
		return (id) => ({ span: byId.get(id ?? 0), attributes: attributes?.get(id ?? 0) });
	}
}

/** The first trace of each session, by row number of the session. */
export async function firstTraces(
	lists: Pick<AnalyticsLists, "tracesOfSessions">,
	sessions: readonly Pick<SessionSummary, "id">[],
): Promise<ReadonlyMap<number, TraceWithoutTexts>> {
	const first = new Map<number, TraceWithoutTexts>();
	for (const trace of await lists.tracesOfSessions(sessions.map(({ id }) => id))) {
		const { sessionRowId } = trace;
		const known = sessionRowId === null ? undefined : first.get(sessionRowId);
		if (sessionRowId !== null && (known === undefined || isBefore(trace, known))) first.set(sessionRowId, trace);
	}
	return first;
}

function labelledOf(trace: TraceWithoutTexts | undefined): Labelled {
	if (trace === undefined) return {};
	const { id, rootSpanRowId, sessionRowId } = trace;
	return { spans: rootSpanRowId, traces: id, ...(sessionRowId === null ? {} : { sessions: sessionRowId }) };
}

/** The order of a session's traces. */
function isBefore(a: TraceWithoutTexts, b: TraceWithoutTexts): boolean {
	if (a.start.micros !== b.start.micros) return a.start.micros < b.start.micros;
	return a.start.nanos === b.start.nanos ? a.traceId < b.traceId : a.start.nanos < b.start.nanos;
}

/** What a span has of its trace where it has none of its own. */
const OF_OWNER: ReadonlySet<string> = new Set(["user", "session", "release", "environment"]);
/** Groups of traces and sessions that their root span tells, or the first trace of a session. */
const OF_ROOT: ReadonlySet<string> = new Set([
	...["model", "provider", "kind", "name", "release", "environment", "api_key", "error_group"],
]);

function apiKeyOf(span: SpanFacts | undefined): string | null {
	const id = span?.api_key_id ?? null;
	return id === null ? null : String(id);
}

function spanField(row: SpanFacts, name: (NumberValue & { type: "field" })["name"]): number | null {
	if (name === "start") return row.start_micros;
	if (name === "row") return row.id;
	if (name === "total_cost") return row.cost_total;
	if (name === "token_count_total") return tokensOf(row);
	const latency = SPAN_NUMBERS["latency"]?.(row) ?? null;
	return latency === null ? null : latency / MICROS_OF_MS;
}

function totalsField(
	row: TraceWithoutTexts | SessionSummary,
	name: (NumberValue & { type: "field" })["name"],
): number | null {
	if (name === "start") return row.start.micros;
	if (name === "row") return row.id;
	if (name === "total_cost") return row.totalCost;
	if (name === "token_count_total") return row.tokens.total;
	return row.runningCount > 0 ? null : Math.max(0, row.end.micros - row.start.micros) / MICROS_OF_MS;
}

/** Lists and objects are no values of a group. */
function attributeOf(
	attributes: SpanAttributes | undefined,
	path: readonly string[],
): string | number | boolean | null {
	const value = attributes?.find(path);
	return value === undefined || typeof value === "object" ? null : value;
}

function tagsOf(attributes: SpanAttributes | undefined): RowGroup {
	const value = attributes?.find(TAGS);
	if (value === undefined) return null;
	const tags = typeof value === "object" ? value.values : [value];
	return tags.length === 0 ? null : [...new Set(tags)];
}
