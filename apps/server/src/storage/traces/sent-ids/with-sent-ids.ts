import type { Condition } from "@spanward/filter-language";
import type { Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { Entity, EntityKind } from "../entity.ts";
import type {
	Page,
	SpanFilter,
	SpanPage,
	SpanSummary,
	StoredSpan,
	TracePage,
	TraceReader,
	TraceStore,
	TraceSummary,
	TraceWithoutTexts,
} from "../trace-store.ts";
import { type SentIds, type StoredId, storedId, storedSpanId, storedTraceId } from "./sent-ids.ts";
import { withStoredIds } from "./stored-ids-in-condition.ts";

/**
 * Wraps the store for everything outside of storage: in arguments and results, ids of traces and spans are texts as
 * they were sent. OpenTelemetry's ids are the same on both sides, in lower case.
 */
export function withSentIds(store: TraceStore, ids: SentIds): TraceStore {
	const reader = new SentIdsReader(store, ids);
	return new Proxy(store, {
		get(target, name) {
			const owner = Object.hasOwn(SentIdsReader.prototype, name) ? reader : target;
			const member: unknown = Reflect.get(owner, name);
			return typeof member === "function" ? member.bind(owner) : member;
		},
	});
}

/** Methods that neither take nor return ids of spans or traces, except row numbers. All others are translated below. */
type Untranslated =
	| "findSession"
	| "findSessionsBySessionId"
	| "metrics"
	| "findFirstSeen"
	| "findUserScores"
	| "findProjectTotals"
	| "findProjectActivity"
	| "countSpans"
	| "countUnindexedBlocks"
	| "countDependents"
	| "holdSpans";

type SpanIds = Pick<SpanSummary, "traceId" | "spanId" | "parentSpanId">;

class SentIdsReader implements Omit<TraceReader, Untranslated> {
	readonly #store: TraceReader;
	readonly #ids: SentIds;

	constructor(store: TraceReader, ids: SentIds) {
		this.#store = store;
		this.#ids = ids;
	}

	async listTraces(query: Parameters<TraceReader["listTraces"]>[0]) {
		return await this.#tracePage(await this.#store.listTraces(conditioned(query)));
	}

	async findTrace(traceRowId: number) {
		const trace = await this.#store.findTrace(traceRowId);
		return trace && (await this.#traces([trace]))[0];
	}

	async findTracesByTraceIds(traceIds: readonly string[], projectId?: number) {
		return await this.#traces(await this.#store.findTracesByTraceIds(traceIds.map(storedTraceId), projectId));
	}

	async findSummariesByTraceIds(traceIds: readonly string[], projectId?: number) {
		return await this.#traces(await this.#store.findSummariesByTraceIds(traceIds.map(storedTraceId), projectId));
	}

	async findTraces(traceRowIds: readonly number[]) {
		return await this.#traces(await this.#store.findTraces(traceRowIds));
	}

	async listTraceSpans(traceRowId: number, page: Parameters<TraceReader["listTraceSpans"]>[1]) {
		return await this.#spanPage(await this.#store.listTraceSpans(traceRowId, page));
	}

	async listSpanOutlines(traceRowId: number, page: TracePage) {
		const found = await this.#store.listSpanOutlines(traceRowId, page);
		return { ...found, items: await this.#spans(found.items) };
	}

	async findCumulative(spans: readonly SpanSummary[]) {
		const stored = spans.map((span) => ({
			...span,
			traceId: storedTraceId(span.traceId),
			spanId: storedSpanId(span.spanId),
			parentSpanId: span.parentSpanId === null ? null : storedSpanId(span.parentSpanId),
		}));
		return await this.#store.findCumulative(stored);
	}

	async listSpans(query: Parameters<TraceReader["listSpans"]>[0]) {
		return await this.#spanPage(await this.#store.listSpans(asked(query)));
	}

	async listSpanPlaces(query: Parameters<TraceReader["listSpanPlaces"]>[0]) {
		return await this.#store.listSpanPlaces(asked(query));
	}

	async listStoredSpans(query: Parameters<TraceReader["listStoredSpans"]>[0]) {
		const page = await this.#store.listStoredSpans(asked(query));
		return { ...page, items: await this.#storedSpans(page.items) };
	}

	async analyze(query: Parameters<TraceReader["analyze"]>[0]) {
		return await this.#store.analyze(conditioned(query));
	}

	async countValues(query: Parameters<TraceReader["countValues"]>[0]) {
		return await this.#store.countValues(conditioned(query));
	}

	async findSpan(spanRowId: number) {
		const span = await this.#store.findSpan(spanRowId);
		return span && (await this.#storedSpans([span]))[0];
	}

	async findSpansBySpanId(spanId: string, within: Parameters<TraceReader["findSpansBySpanId"]>[1] = {}) {
		const { traceId } = within;
		const stored = traceId === undefined ? within : { ...within, traceId: storedTraceId(traceId) };
		return await this.#storedSpans(await this.#store.findSpansBySpanId(storedSpanId(spanId), stored));
	}

	async findExistingSpans(projectId: number, ids: readonly { traceId: string; spanId: string }[]) {
		const sent = new Map(ids.map((id) => [`${storedTraceId(id.traceId)} ${storedSpanId(id.spanId)}`, id]));
		const stored = Array.from(sent.keys(), (key) => ({ traceId: key.slice(0, 32), spanId: key.slice(33) }));
		const found = await this.#store.findExistingSpans(projectId, stored);
		return found.map((id) => sent.get(`${id.traceId} ${id.spanId}`) ?? id);
	}

	async findEntities(kind: EntityKind, rowIds: readonly number[], transaction?: Transaction<Tables>) {
		return await this.#entities(await this.#store.findEntities(kind, rowIds, transaction), transaction);
	}

	async findEntitiesById(kind: EntityKind, ids: readonly string[]) {
		const stored = new Set(ids.map((id) => storedId(kind, id)));
		return await this.#entities(await this.#store.findEntitiesById(kind, [...stored]));
	}

	async listSessions(query: Parameters<TraceReader["listSessions"]>[0]) {
		const { traces, ...page } = await this.#store.listSessions(conditioned(query));
		return { ...page, ...(traces && { traces: await this.#traces(traces) }) };
	}

	async listSessionTraces(sessionRowIds: readonly number[]) {
		return await this.#traces(await this.#store.listSessionTraces(sessionRowIds));
	}

	async previewRetention(rule: Parameters<TraceReader["previewRetention"]>[0]) {
		const preview = await this.#store.previewRetention(rule);
		return { ...preview, first: await this.#traces(preview.first) };
	}

	async #tracePage(page: Page<TraceSummary>): Promise<Page<TraceSummary>> {
		return { ...page, items: await this.#traces(page.items) };
	}

	async #spanPage(page: SpanPage<SpanSummary>): Promise<SpanPage<SpanSummary>> {
		return { ...page, items: await this.#spans(page.items) };
	}

	async #traces<T extends TraceWithoutTexts>(traces: readonly T[]): Promise<readonly T[]> {
		const ids = traces.flatMap(({ traceId, rootSpanId }) => [
			{ traceId, id: traceId },
			...(rootSpanId === null ? [] : [{ traceId, id: rootSpanId }]),
		]);
		const sentOf = await this.#ids.find(ids);
		if (sentOf === undefined) return traces;
		return traces.map((trace) => {
			const { traceId, rootSpanId } = trace;
			const root = rootSpanId === null ? undefined : sentOf({ traceId, id: rootSpanId });
			const own = sentOf({ traceId, id: traceId });
			if (own === undefined && root === undefined) return trace;
			return { ...trace, traceId: own ?? traceId, rootSpanId: root ?? rootSpanId };
		});
	}

	async #entities(entities: readonly Entity[], transaction?: Transaction<Tables>): Promise<readonly Entity[]> {
		const ids = entities.flatMap(({ traceId, id }) =>
			traceId === null
				? []
				: [
						{ traceId, id: traceId },
						{ traceId, id },
					],
		);
		const sentOf = await this.#ids.find(ids, transaction);
		if (sentOf === undefined) return entities;
		return entities.map((entity) => {
			const { traceId, id } = entity;
			if (traceId === null) return entity;
			return { ...entity, id: sentOf({ traceId, id }) ?? id, traceId: sentOf({ traceId, id: traceId }) ?? traceId };
		});
	}

	async #spans<T extends SpanIds>(spans: readonly T[]): Promise<readonly T[]> {
		const sentOf = await this.#ids.find(idsOf(spans));
		if (sentOf === undefined) return spans;
		return spans.map((span) => {
			const { traceId, spanId, parentSpanId } = span;
			const sent = (id: string) => sentOf({ traceId, id });
			const [trace, own] = [sent(traceId), sent(spanId)];
			const parent = parentSpanId === null ? undefined : sent(parentSpanId);
			if (trace === undefined && own === undefined && parent === undefined) return span;
			return { ...span, traceId: trace ?? traceId, spanId: own ?? spanId, parentSpanId: parent ?? parentSpanId };
		});
	}

	async #storedSpans(items: readonly StoredSpan[]): Promise<readonly StoredSpan[]> {
		const summaries = await this.#spans(items.map((item) => item.summary));
		return items.map((item, index) => ({ ...item, summary: summaries[index] ?? item.summary }));
	}
}

function* idsOf(spans: Iterable<SpanIds>): Iterable<StoredId> {
	for (const { traceId, spanId, parentSpanId } of spans) {
		yield { traceId, id: traceId };
		yield { traceId, id: spanId };
		if (parentSpanId !== null) yield { traceId, id: parentSpanId };
	}
}

function conditioned<T extends { readonly condition?: Condition }>(query: T): T {
	return query.condition === undefined ? query : { ...query, condition: withStoredIds(query.condition) };
}

function asked<T extends SpanFilter>(query: T): T {
	const { traceIds, spanIds, parentSpanId } = query;
	return {
		...conditioned(query),
		...(traceIds === undefined ? {} : { traceIds: traceIds.map(storedTraceId) }),
		...(spanIds === undefined ? {} : { spanIds: spanIds.map(storedSpanId) }),
		...(typeof parentSpanId === "string" ? { parentSpanId: storedSpanId(parentSpanId) } : {}),
	};
}
