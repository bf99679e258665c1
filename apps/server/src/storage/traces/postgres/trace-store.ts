import type pg from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import type { Database } from "#storage/database.ts";
import type { Reading } from "#storage/postgres/reading.ts";
import type { PostgresReferences } from "#storage/references/postgres-references.ts";
import { findByPresence, readArrivals } from "../arrivals.ts";
import type { ArrivedQuery, EntityKind } from "../entity.ts";
import type * as Store from "../trace-store.ts";
import { PostgresTraceMutations } from "./mutate/trace-mutations.ts";
import { PostgresTraceReader } from "./trace-reader.ts";

export interface PostgresStoreOptions {
	readonly db: Database;
	readonly settings: PostgresSettings;
	readonly reading: Reading;
	/** Connections to the primary. */
	readonly writing: pg.Pool;
	readonly references: PostgresReferences;
	/** Called with changes made by this process, in addition to the listeners. */
	readonly onOwnChange?: (change: Store.TraceChange) => void;
	/** Called after this process has moved traces to another project. */
	readonly onOwnMove?: () => void;
}

/** `TraceStore` in a PostgreSQL database. */
export class PostgresTraceStore extends PostgresTraceReader implements Store.TraceStore {
	readonly #db: Database;
	readonly #mutations: PostgresTraceMutations;
	readonly #listeners = new Set<(change: Store.TraceChange) => void>();

	constructor(options: PostgresStoreOptions) {
		super(options);
		this.#db = options.db;
		this.#mutations = new PostgresTraceMutations(options, (change) => {
			this.notifyChange(change);
			options.onOwnChange?.(change);
		});
	}

	readArrivals() {
		return readArrivals(this.#db.read);
	}

	findArrived(kind: EntityKind, query: ArrivedQuery) {
		return findByPresence(this.#db.read, kind, query);
	}

	deleteSpan(spanRowId: number) {
		return this.#mutations.deleteSpan(spanRowId);
	}

	deleteTrace(traceRowId: number) {
		return this.#mutations.deleteTrace(traceRowId);
	}

	deleteSpans(projectId: number, spanRowIds: readonly number[], onBatch: Store.OnBatch) {
		return this.#mutations.deleteSpans(projectId, spanRowIds, onBatch);
	}

	deleteTraces(projectId: number, traceRowIds: readonly number[], onBatch: Store.OnBatch) {
		return this.#mutations.deleteTraces(projectId, traceRowIds, onBatch);
	}

	deleteTracesBetween(projectId: number, startMicros: number, endMicros: number) {
		return this.#mutations.deleteTracesBetween(projectId, startMicros, endMicros);
	}

	deleteSession(sessionRowId: number) {
		return this.#mutations.deleteSession(sessionRowId);
	}

	deleteProject(projectId: number) {
		return this.#mutations.deleteProject(projectId);
	}

	transferTraces(traceRowIds: readonly number[], destinationProjectId: number) {
		return this.#mutations.transferTraces(traceRowIds, destinationProjectId);
	}

	deleteExpired(rule: Store.RetentionRule, onBatch: (batch: { deleted: number; kept: number }) => Promise<boolean>) {
		return this.#mutations.deleteExpired(rule, onBatch);
	}

	dropExpired(
		rules: readonly Store.RetentionRule[],
		onBatch: (deleted: ReadonlyMap<number, number>) => Promise<boolean>,
	) {
		return this.#mutations.dropExpired(rules, onBatch);
	}

	recomputeCosts(query: Store.CostQuery) {
		return this.#mutations.recomputeCosts(query);
	}

	/** Continues deletions that a stopped process left. */
	purge(): Promise<void> {
		return this.#mutations.purge();
	}

	/** Deletes old log records whose span never came. */
	deleteUnclaimedLogs(stopped: AbortSignal): Promise<void> {
		return this.#mutations.deleteUnclaimedLogs(stopped);
	}

	onChange(listener: (change: Store.TraceChange) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Notifies listeners of a commit of this or another process. */
	notifyChange(change: Store.TraceChange): void {
		for (const listener of this.#listeners) listener(change);
	}

	async check(): Promise<void> {}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#listeners.clear();
	}
}
