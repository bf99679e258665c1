import { types } from "#storage/clickhouse/row-binary.ts";
import type { Database } from "#storage/database.ts";
import type { ArrivalMarks, ArrivedQuery, EntityKind } from "../entity.ts";
import { StorageUnavailable, type WhyUnavailable } from "../span-batch.ts";
import type * as Store from "../trace-store.ts";
import type { Turns } from "./metadata/turns.ts";
import { ClickHouseTraceMutations } from "./mutate/trace-mutations.ts";
import { findArrived } from "./read/arrivals.ts";
import { HighestNumbers } from "./read/edges.ts";
import { selectFinal } from "./read/query.ts";
import { RecentPlaces } from "./read/recent-places.ts";
import { ScatteredRows } from "./read/scattered-rows.ts";
import type { KnownReadings } from "./readings/known-readings.ts";
import type { TraceShards } from "./shards/trace-shards.ts";
import { TABLES } from "./tables.ts";
import { ClickHouseTraceReader } from "./trace-reader.ts";

export interface ClickHouseStoreOptions {
	readonly shards: TraceShards;
	/** The metadata tables. */
	readonly db: Database;
	/** Of this store alone: writers have others. */
	readonly turns: Turns;
	/** Lists with slow filters that run at a time. */
	readonly slowLists: number;
	/** See `Sources`. */
	readonly hasTextIndex: boolean;
	readonly readings: KnownReadings;
	/** Told of each change that this store has made itself. */
	readonly onOwnChange?: (change: Store.TraceChange) => void;
}

/** With these it is there, and has too much to do. */
const ANSWERS: ReadonlySet<WhyUnavailable> = new Set([
	...(["traces_busy", "too_slow", "too_large"] as const),
	// Some of its shards are there.
	"traces_incomplete",
]);

/** `TraceStore` in ClickHouse, with everything that is not a span in the metadata database. */
export class ClickHouseTraceStore extends ClickHouseTraceReader implements Store.TraceStore {
	readonly #options: ClickHouseStoreOptions;
	readonly #mutations: ClickHouseTraceMutations;
	readonly #listeners = new Set<(change: Store.TraceChange) => void>();

	constructor(options: ClickHouseStoreOptions) {
		const { shards, db, turns, slowLists, hasTextIndex, readings, onOwnChange } = options;
		const recent = new RecentPlaces();
		super(
			{
				...{ shard: shards.reader, shards, db: db.read, hasTextIndex, readings },
				...{ highest: new HighestNumbers(), scattered: new ScatteredRows(), recent },
			},
			slowLists,
		);
		this.#options = options;
		const tell = (change: Store.TraceChange) => {
			this.notifyChange(change);
			onOwnChange?.(change);
		};
		this.#mutations = new ClickHouseTraceMutations({ shards, db, turns, recent, tell });
	}

	/** The highest row numbers; they do not grow in the order of commits. */
	async readArrivals(): Promise<ArrivalMarks> {
		const marks = await selectFinal(
			this.#options.shards,
			`select assumeNotNull((select max(id) from spans)) as span, assumeNotNull((select max(id) from traces)) as trace,
				assumeNotNull((select max(id) from sessions)) as session`,
			{ span: types.Integer, trace: types.Integer, session: types.Integer },
		);
		const last = (kind: EntityKind) => marks.reduce((highest, row) => Math.max(highest, row[kind]), 0);
		return { span: last("span"), trace: last("trace"), session: last("session") };
	}

	findArrived(kind: EntityKind, query: ArrivedQuery): Promise<readonly number[]> {
		const { shards, db } = this.#options;
		return findArrived({ shard: shards, db: db.read }, kind, query);
	}

	deleteSpan(spanRowId: number): Promise<boolean> {
		return this.#mutations.deleteSpan(spanRowId);
	}

	deleteTrace(traceRowId: number): Promise<boolean> {
		return this.#mutations.deleteTrace(traceRowId);
	}

	deleteSpans(projectId: number, spanRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		return this.#mutations.deleteSpans(projectId, spanRowIds, onBatch);
	}

	deleteTraces(projectId: number, traceRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		return this.#mutations.deleteTraces(projectId, traceRowIds, onBatch);
	}

	deleteTracesBetween(projectId: number, startMicros: number, endMicros: number): Promise<number> {
		return this.#mutations.deleteTracesBetween(projectId, startMicros, endMicros);
	}

	deleteSession(sessionRowId: number): Promise<boolean> {
		return this.#mutations.deleteSession(sessionRowId);
	}

	deleteProject(projectId: number): Promise<boolean> {
		return this.#mutations.deleteProject(projectId);
	}

	transferTraces(traceRowIds: readonly number[], destinationProjectId: number): Promise<number> {
		return this.#mutations.transferTraces(traceRowIds, destinationProjectId);
	}

	deleteExpired(
		rule: Store.RetentionRule,
		onBatch: (batch: { deleted: number; kept: number }) => Promise<boolean>,
	): Promise<void> {
		return this.#mutations.deleteExpired(rule, onBatch);
	}

	dropExpired(
		rules: readonly Store.RetentionRule[],
		onBatch: (deleted: ReadonlyMap<number, number>) => Promise<boolean>,
	): Promise<void> {
		return this.#mutations.dropExpired(rules, onBatch);
	}

	recomputeCosts(query: Store.CostQuery): Promise<Store.CostStep> {
		return this.#mutations.recomputeCosts(query);
	}

	onChange(listener: (change: Store.TraceChange) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Notifies listeners of a commit of this or another process. */
	notifyChange(change: Store.TraceChange): void {
		for (const listener of this.#listeners) listener(change);
	}

	async check(): Promise<void> {
		const tables = TABLES.map(({ name }) => `select 1 as one from ${name} limit 0`).join(" union all ");
		try {
			// A table of past statements need not have it.
			await this.#options.shards.select(tables, { one: types.UInt8 }, { settings: { log_queries: 0 } });
		} catch (error) {
			if (!(error instanceof StorageUnavailable && ANSWERS.has(error.reason))) throw error;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#listeners.clear();
		await this.#options.turns[Symbol.asyncDispose]();
	}
}
