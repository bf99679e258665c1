import type { Transaction } from "kysely";
import type { Rights } from "#http/rights.ts";
import type { Tables } from "#storage/schema.ts";
import type { AnalyticsQuery } from "#storage/traces/analytics/analytics-query.ts";
import type { ValuesQuery } from "#storage/traces/analytics/count-values.ts";
import type { UsersQuery } from "#storage/traces/end-users.ts";
import type { ArrivedQuery, EntityKind } from "#storage/traces/entity.ts";
import type {
	MetricsQuery,
	Page,
	ReadableTraces,
	RetentionRule,
	SessionQuery,
	SpanQuery,
	SpanRange,
	SpanSummary,
	SpansByRow,
	TraceChange,
	TracePage,
	TraceQuery,
	TraceSpansQuery,
} from "#storage/traces/trace-store.ts";

interface InProject {
	readonly projectId: number;
}

/**
 * The traces of a store as somebody sees them who does not see all projects: what is in others does not exist. Row
 * numbers and ids are answered by what is found; a project that is named and not seen has nothing.
 */
export class VisibleTraces implements ReadableTraces {
	readonly #traces: ReadableTraces;
	readonly #rights: Rights;
	readonly #noteHidden: (projectId: number) => void;

	/** @param noteHidden gets the projects of what was asked for by its id and is not seen */
	constructor(traces: ReadableTraces, rights: Rights, noteHidden: (projectId: number) => void) {
		this.#traces = traces;
		this.#rights = rights;
		this.#noteHidden = noteHidden;
	}

	listTraces(query: TraceQuery) {
		return this.#page(query, () => this.#traces.listTraces(query));
	}

	async findTrace(traceRowId: number) {
		return this.#one(await this.#traces.findTrace(traceRowId));
	}

	async findTracesByTraceIds(traceIds: readonly string[], projectId?: number) {
		return this.#asked(await this.#traces.findTracesByTraceIds(traceIds, projectId), ({ traceId }) => traceId);
	}

	async findSummariesByTraceIds(traceIds: readonly string[], projectId?: number) {
		return this.#asked(await this.#traces.findSummariesByTraceIds(traceIds, projectId), ({ traceId }) => traceId);
	}

	async findTraces(traceRowIds: readonly number[]) {
		return this.#seen(await this.#traces.findTraces(traceRowIds));
	}

	async listTraceSpans(traceRowId: number, page: TraceSpansQuery) {
		const { contents, ...found } = await this.#traces.listTraceSpans(traceRowId, page);
		const items = this.#seen(found.items);
		const areAllSeen = items.length === found.items.length;
		return { ...found, items, ...(areAllSeen && contents !== undefined && { contents }) };
	}

	async listSpanOutlines(traceRowId: number, page: TracePage) {
		const found = await this.#traces.listSpanOutlines(traceRowId, page);
		return { ...found, items: this.#seen(found.items) };
	}

	findCumulative(spans: readonly SpanSummary[]) {
		return this.#traces.findCumulative(this.#seen(spans));
	}

	listSpans(query: SpanQuery) {
		return this.#page(query, () => this.#traces.listSpans(query));
	}

	listSpanPlaces(query: SpansByRow) {
		return this.#page(query, () => this.#traces.listSpanPlaces(query));
	}

	listStoredSpans(query: SpanQuery) {
		return this.#page(query, () => this.#traces.listStoredSpans(query));
	}

	async findSpan(spanRowId: number) {
		const found = await this.#traces.findSpan(spanRowId);
		return found !== undefined && this.#one(found.summary) !== undefined ? found : undefined;
	}

	async findSpansBySpanId(spanId: string, within?: { projectId?: number; traceId?: string }) {
		const found = await this.#traces.findSpansBySpanId(spanId, within);
		const seen = new Set(
			this.#asked(
				found.map(({ summary }) => summary),
				() => spanId,
			),
		);
		return found.filter(({ summary }) => seen.has(summary));
	}

	async findExistingSpans(projectId: number, ids: readonly { traceId: string; spanId: string }[]) {
		return this.#sees({ projectId }) ? await this.#traces.findExistingSpans(projectId, ids) : [];
	}

	listSessions(query: SessionQuery) {
		return this.#page(query, () => this.#traces.listSessions(query));
	}

	async findSession(sessionRowId: number) {
		return this.#one(await this.#traces.findSession(sessionRowId));
	}

	async findSessionsBySessionId(sessionId: string, projectId?: number) {
		return this.#asked(await this.#traces.findSessionsBySessionId(sessionId, projectId), () => sessionId);
	}

	async listSessionTraces(sessionRowIds: readonly number[]) {
		return this.#seen(await this.#traces.listSessionTraces(sessionRowIds));
	}

	async metrics(query: MetricsQuery) {
		return this.#sees(query) ? await this.#traces.metrics(query) : [];
	}

	analyze(query: AnalyticsQuery) {
		return this.#traces.analyze({ ...query, projectIds: this.#seenIds(query.projectIds) });
	}

	async countValues(query: ValuesQuery) {
		if (this.#sees(query)) return await this.#traces.countValues(query);
		return query.fields.map(() => ({ values: [], distinct: 0, isPartial: false }));
	}

	async findFirstSeen(projectId: number, userIds?: readonly string[]) {
		return this.#sees({ projectId }) ? await this.#traces.findFirstSeen(projectId, userIds) : new Map<string, number>();
	}

	async findUserScores(query: UsersQuery) {
		return this.#sees(query) ? await this.#traces.findUserScores(query) : [];
	}

	findProjectTotals(projectIds: readonly number[]) {
		return this.#traces.findProjectTotals(this.#seenIds(projectIds));
	}

	findProjectActivity(projectIds: readonly number[], nowMicros: number, hours: number) {
		return this.#traces.findProjectActivity(this.#seenIds(projectIds), nowMicros, hours);
	}

	async countSpans(range: SpanRange) {
		return this.#sees(range) ? await this.#traces.countSpans(range) : { count: 0, lastSpan: 0 };
	}

	async previewRetention(rule: RetentionRule) {
		if (this.#sees(rule)) return await this.#traces.previewRetention(rule);
		return { total: 0, expired: 0, kept: 0, oldestMicros: null, newestMicros: null, first: [] };
	}

	countUnindexedBlocks(most: number) {
		return this.#traces.countUnindexedBlocks(most);
	}

	async countDependents(kind: EntityKind, rowIds: readonly number[]) {
		const seen = await this.findEntities(kind, rowIds);
		return await this.#traces.countDependents(
			kind,
			seen.map(({ rowId }) => rowId),
		);
	}

	async findEntities(kind: EntityKind, rowIds: readonly number[], transaction?: Transaction<Tables>) {
		return this.#asked(await this.#traces.findEntities(kind, rowIds, transaction), ({ rowId }) => rowId);
	}

	async findEntitiesById(kind: EntityKind, ids: readonly string[]) {
		return this.#asked(await this.#traces.findEntitiesById(kind, ids), ({ storedId }) => storedId);
	}

	async holdSpans(transaction: Transaction<Tables>, spanRowIds: readonly number[]) {
		return await this.#traces.holdSpans(transaction, spanRowIds);
	}

	onChange(listener: (change: TraceChange) => void) {
		return this.#traces.onChange((change) => {
			if (this.#sees(change)) listener(change);
		});
	}

	readArrivals() {
		return this.#traces.readArrivals();
	}

	findArrived(kind: EntityKind, query: ArrivedQuery) {
		return this.#traces.findArrived(kind, query);
	}

	check() {
		return this.#traces.check();
	}

	async #page<P extends Page<unknown>>(query: InProject, list: () => Promise<P>): Promise<P | (P & Page<never>)> {
		return this.#sees(query) ? await list() : ({ items: [], more: false } as unknown as P);
	}

	#one<T extends InProject>(item: T | undefined): T | undefined {
		return item === undefined ? undefined : this.#asked([item], () => 0)[0];
	}

	/** Those that are seen; notes the others whose id is not that of a seen one, too. */
	#asked<T extends InProject>(items: readonly T[], idOf: (item: T) => string | number): readonly T[] {
		const seen = this.#seen(items);
		if (seen.length === items.length) return seen;
		const known = new Set(seen.map(idOf));
		for (const item of items) {
			if (!this.#sees(item) && !known.has(idOf(item))) this.#noteHidden(item.projectId);
		}
		return seen;
	}

	#seen<T extends InProject>(items: readonly T[]): readonly T[] {
		return items.filter((item) => this.#sees(item));
	}

	#seenIds(projectIds: readonly number[]): readonly number[] {
		return projectIds.filter((projectId) => this.#sees({ projectId }));
	}

	#sees({ projectId }: InProject): boolean {
		return this.#rights.roleAt(projectId) !== undefined;
	}
}
