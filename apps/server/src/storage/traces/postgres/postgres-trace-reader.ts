import type * as Store from "../trace-store.ts";
import type { PostgresStoreOptions } from "./postgres-trace-store.ts";

/** `TraceReader` on a pool of connections. */
export class PostgresTraceReader implements Store.TraceReader {
	readonly #pool: PostgresStoreOptions["reading"];

	constructor({ reading }: PostgresStoreOptions) {
		this.#pool = reading;
	}

	async listTraces(_query: Store.TraceQuery): Promise<Store.Page<Store.TraceSummary>> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findTrace(_traceRowId: number): Promise<Store.TraceSummary | undefined> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findTracesByTraceId(_traceId: string, _projectId?: number): Promise<readonly Store.TraceSummary[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findTraces(_traceRowIds: readonly number[]): Promise<readonly Store.TraceSummary[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async listTraceSpans(
		_traceRowId: number,
		_page: { limit: number; after?: Store.Keyset },
	): Promise<Store.Page<Store.SpanSummary>> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findCumulative(_spans: readonly Store.SpanSummary[]): Promise<ReadonlyMap<number, Store.Cumulative>> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async listSpans(_query: Store.SpanQuery): Promise<Store.Page<Store.SpanSummary>> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async listStoredSpans(_query: Store.SpanQuery): Promise<Store.Page<Store.StoredSpan>> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findSpan(_spanRowId: number): Promise<Store.StoredSpan | undefined> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findSpansBySpanId(
		_spanId: string,
		_within?: { projectId?: number; traceId?: string },
	): Promise<readonly Store.StoredSpan[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findSpanRows(_spanIds: readonly string[]): Promise<readonly number[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findExistingSpans(
		_projectId: number,
		_ids: readonly { traceId: string; spanId: string }[],
	): Promise<readonly { traceId: string; spanId: string }[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async listSessions(_query: Store.SessionQuery): Promise<Store.Page<Store.SessionSummary>> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findSession(_sessionRowId: number): Promise<Store.SessionSummary | undefined> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async findSessionsBySessionId(_sessionId: string, _projectId?: number): Promise<readonly Store.SessionSummary[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async listSessionTraces(_sessionRowIds: readonly number[]): Promise<readonly Store.TraceSummary[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async metrics(_query: Store.MetricsQuery): Promise<readonly Store.MetricsPoint[]> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async previewRetention(_rule: Store.RetentionRule): Promise<Store.RetentionPreview> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}

	async countSpans(_range: Store.SpanRange): Promise<{ count: number; lastSpan: number }> {
		throw new Error(`not yet ${this.#pool.totalCount}`);
	}
}
