import type { Transaction } from "kysely";
import type { Semaphore } from "#base/semaphore.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { DatabaseWorkers } from "#storage/sqlite/database-workers.ts";
import type { AnalyticsQuery } from "../analytics/analytics-query.ts";
import type { ValuesQuery } from "../analytics/count-values.ts";
import { findByRowNumber, readArrivals } from "../arrivals.ts";
import { countDependents } from "../count-dependents.ts";
import { findFirstSeen, findUserScores, type UsersQuery } from "../end-users.ts";
import type { ArrivedQuery, EntityKind } from "../entity.ts";
import { FIRST_CURSOR } from "../expiry/expired-traces.ts";
import { findEntities, findEntitiesById, holdSpans, idChunks } from "../find-entities.ts";
import type { Step } from "../mutate/batches.ts";
import { findProjectActivity } from "../project-activity.ts";
import { findProjectTotals } from "../project-totals.ts";
import { toSpanOutlines } from "../rows/span-outlines.ts";
import { isSlow, SlowReads } from "../slow-reads.ts";
import type * as Store from "../trace-store.ts";

/** `TraceStore` whose statements run on database threads. */
export class SqliteTraceStore implements Store.TraceStore {
	readonly #db: Database;
	readonly #workers: DatabaseWorkers;
	readonly #writes: Semaphore;
	readonly #slowReads: SlowReads;
	readonly #listeners = new Set<(change: Store.TraceChange) => void>();

	/** @param writes a mutex, shared with all other users of the writer thread's connection */
	constructor(db: Database, workers: DatabaseWorkers, writes: Semaphore) {
		this.#db = db;
		this.#workers = workers;
		this.#writes = writes;
		this.#slowReads = new SlowReads(workers.longQueries);
	}

	listTraces(query: Store.TraceQuery) {
		return this.#search(query, (reader, asked) => reader.call("listTraces", asked));
	}

	findTrace(traceRowId: number) {
		return this.#workers.reader.call("findTrace", traceRowId);
	}

	findTracesByTraceIds(traceIds: readonly string[], projectId?: number) {
		return this.#workers.reader.call("findTracesByTraceIds", traceIds, projectId);
	}

	async findSummariesByTraceIds(traceIds: readonly string[], projectId?: number) {
		const found = await this.findTracesByTraceIds(traceIds, projectId);
		return await this.findTraces(found.map(({ id }) => id));
	}

	findTraces(traceRowIds: readonly number[]) {
		return this.#workers.reader.call("findTraces", traceRowIds);
	}

	listTraceSpans(traceRowId: number, page: Store.TracePage) {
		return this.#workers.reader.call("listTraceSpans", traceRowId, page);
	}

	async listSpanOutlines(traceRowId: number, page: Store.TracePage) {
		return toSpanOutlines(await this.#workers.reader.call("listSpanOutlines", traceRowId, page), page.limit);
	}

	findCumulative(spans: readonly Store.SpanSummary[]) {
		return this.#workers.reader.call("findCumulative", spans);
	}

	listSpans(query: Store.SpanQuery) {
		return this.#search(query, (reader, asked) => reader.call("listSpans", asked));
	}

	listSpanPlaces(query: Store.SpansByRow) {
		return this.#search(query, (reader, asked) => reader.call("listSpanPlaces", asked));
	}

	listStoredSpans(query: Store.SpanQuery) {
		return this.#search(query, (reader, asked) => reader.call("listStoredSpans", asked));
	}

	findSpan(spanRowId: number) {
		return this.#workers.reader.call("findSpan", spanRowId);
	}

	findSpansBySpanId(spanId: string, within?: { projectId?: number; traceId?: string }) {
		return this.#workers.reader.call("findSpansBySpanId", spanId, within);
	}

	findExistingSpans(projectId: number, ids: readonly { traceId: string; spanId: string }[]) {
		return this.#workers.reader.call("findExistingSpans", projectId, ids);
	}

	listSessions(query: Store.SessionQuery) {
		return this.#search(query, (reader, asked) => reader.call("listSessions", asked));
	}

	findSession(sessionRowId: number) {
		return this.#workers.reader.call("findSession", sessionRowId);
	}

	findSessionsBySessionId(sessionId: string, projectId?: number) {
		return this.#workers.reader.call("findSessionsBySessionId", sessionId, projectId);
	}

	listSessionTraces(sessionRowIds: readonly number[]) {
		return this.#workers.reader.call("listSessionTraces", sessionRowIds);
	}

	metrics(query: Store.MetricsQuery) {
		return this.#workers.reader.call("metrics", query);
	}

	analyze({ caller: _caller, ...query }: AnalyticsQuery) {
		return this.#workers.runLong((reader) => reader.call("analyze", query));
	}

	countValues({ caller: _caller, ...query }: ValuesQuery) {
		return this.#workers.runLong((reader) => reader.call("countValues", query));
	}

	previewRetention(rule: Store.RetentionRule) {
		return this.#workers.runLong((reader) => reader.call("previewRetention", rule));
	}

	countSpans(range: Store.SpanRange) {
		return this.#workers.reader.call("countSpans", range);
	}

	findFirstSeen(projectId: number, userIds?: readonly string[]) {
		return findFirstSeen(this.#db.read, projectId, userIds);
	}

	findUserScores(query: UsersQuery) {
		return findUserScores(this.#db.read, query);
	}

	findProjectTotals(projectIds: readonly number[]) {
		return findProjectTotals(this.#db.read, projectIds);
	}

	findProjectActivity(projectIds: readonly number[], nowMicros: number, hours: number) {
		return findProjectActivity(this.#db.read, projectIds, nowMicros, hours);
	}

	countUnindexedBlocks(most: number) {
		return this.#workers.reader.call("countUnindexedBlocks", most);
	}

	countDependents(kind: EntityKind, rowIds: readonly number[]) {
		return countDependents(this.#db.read, kind, rowIds);
	}

	findEntities(kind: EntityKind, rowIds: readonly number[], transaction?: Transaction<Tables>) {
		return findEntities(transaction ?? this.#db.read, kind, rowIds);
	}

	async findEntitiesById(kind: EntityKind, ids: readonly string[]) {
		if (kind !== "span") return await findEntitiesById(this.#db.read, kind, ids);
		const rowIds: number[] = [];
		for (const part of idChunks(ids)) rowIds.push(...(await this.#workers.reader.call("findSpanRows", part)));
		return await findEntities(this.#db.read, kind, rowIds);
	}

	holdSpans(transaction: Transaction<Tables>, spanRowIds: readonly number[]) {
		return holdSpans(transaction, spanRowIds);
	}

	readArrivals() {
		return readArrivals(this.#db.read);
	}

	findArrived(kind: EntityKind, query: ArrivedQuery) {
		return findByRowNumber(this.#db.read, kind, query);
	}

	async deleteSpan(spanRowId: number): Promise<boolean> {
		return (await this.#repeat(() => this.#writer.call("deleteSpan", spanRowId))) > 0;
	}

	async deleteTrace(traceRowId: number): Promise<boolean> {
		const deleted = await this.#repeat(() => this.#writer.call("deleteTrace", traceRowId));
		await this.purge();
		return deleted > 0;
	}

	async deleteSpans(projectId: number, spanRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		let rest = spanRowIds;
		await this.#inBatches(async () => {
			const step = await this.#writer.call("deleteSpans", projectId, rest);
			rest = step.rest;
			return step;
		}, onBatch);
	}

	deleteTraces(projectId: number, traceRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		return this.#inBatches(() => this.#writer.call("deleteTraces", projectId, traceRowIds), onBatch);
	}

	async deleteTracesBetween(projectId: number, startMicros: number, endMicros: number): Promise<number> {
		const deleted = await this.#repeat(() =>
			this.#writer.call("deleteTracesBetween", projectId, startMicros, endMicros),
		);
		await this.purge();
		return deleted;
	}

	async deleteExpired(
		rule: Store.RetentionRule,
		onBatch: (batch: { deleted: number; kept: number }) => Promise<boolean>,
	): Promise<void> {
		const before = await this.#workers.reader.call("findExpiry", rule);
		if (before === undefined) return;
		const { projectId, keepAnnotated } = rule;
		let isDone = false;
		for (let after = FIRST_CURSOR; !isDone; ) {
			const step = await this.#writes.run(() =>
				this.#writer.call("deleteExpired", { projectId, keepAnnotated, after, before }),
			);
			this.#tell(step.changes);
			if (!(await onBatch({ deleted: step.count, kept: step.kept }))) return;
			after = step.after;
			isDone = step.done;
		}
		// Very large traces are only detached so far. If this ends early, the next deletion or start continues.
		for (isDone = false; !isDone; ) {
			isDone = (await this.#writes.run(() => this.#writer.call("purge"))).done;
			if (!(await onBatch({ deleted: 0, kept: 0 }))) return;
		}
		this.#wake();
	}

	async recomputeCosts(query: Store.CostQuery): Promise<Store.CostStep> {
		const { changes, ...step } = await this.#writes.run(() => this.#writer.call("recomputeCosts", query));
		this.#tell(changes);
		return step;
	}

	async deleteSession(sessionRowId: number): Promise<boolean> {
		return this.#deleteOwner(
			() => this.#writer.call("deleteTracesOfSession", sessionRowId),
			() => this.#writer.call("deleteSessionRow", sessionRowId),
		);
	}

	async deleteProject(projectId: number): Promise<boolean> {
		return this.#deleteOwner(
			() => this.#writer.call("deleteTracesOfProject", projectId),
			() => this.#writer.call("deleteProjectRow", projectId),
		);
	}

	async transferTraces(traceRowIds: readonly number[], destinationProjectId: number): Promise<number> {
		let rest = [...traceRowIds];
		return this.#repeat(async () => {
			const step = await this.#writer.call("transferTraces", rest, destinationProjectId);
			rest = rest.slice(step.moved.length);
			return step;
		});
	}

	onChange(listener: (change: Store.TraceChange) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Notifies listeners of a commit of another thread, and wakes the upkeep of the writer. */
	notifyChange(change: Store.TraceChange): void {
		for (const listener of this.#listeners) listener(change);
		this.#wake();
	}

	/** Continues deletions, including those that a stopped server left. */
	async purge(): Promise<void> {
		await this.#repeat(() => this.#writer.call("purge"));
		this.#wake();
	}

	/** Makes the writer look for upkeep, such as filling indexes. */
	async fillIndexes(): Promise<void> {
		await this.#writer.call("wake");
	}

	async check(): Promise<void> {}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#listeners.clear();
		await this.#writes.run(async () => undefined);
	}

	/** @param ask gets the query without its caller, whom the threads need not know */
	#search<Query extends Store.TraceQuery | Store.SpanQuery | Store.SessionQuery, T>(
		query: Query,
		ask: (reader: DatabaseWorkers["reader"], asked: Omit<Query, "caller">) => Promise<T>,
	): Promise<T> {
		const { caller: _caller, ...asked } = query;
		return this.#slowReads.run(query, () =>
			isSlow(query) ? this.#workers.runLong((reader) => ask(reader, asked)) : ask(this.#workers.reader, asked),
		);
	}

	get #writer() {
		return this.#workers.writer;
	}

	#lastWake = 0;

	/** Wakes the upkeep, with at most four messages a second. */
	#wake(): void {
		const now = Date.now();
		if (now - this.#lastWake < 250) return;
		this.#lastWake = now;
		// A failed writer is replaced at the next call, and looks for work when it starts.
		void this.#writer.call("wake").catch(() => undefined);
	}

	async #deleteOwner(deleteTraces: () => Promise<Step>, deleteRow: () => Promise<Step>): Promise<boolean> {
		for (;;) {
			await this.#repeat(deleteTraces);
			const row = await this.#writes.run(deleteRow);
			if (!row.done) continue;
			await this.purge();
			return row.count > 0;
		}
	}

	/** Runs the steps of a long piece of work, with other writes in between. @returns the sum of their counts */
	async #repeat(next: () => Promise<Step>): Promise<number> {
		let count = 0;
		for (;;) {
			const step = await this.#writes.run(next);
			count += step.count;
			this.#tell(step.changes);
			if (step.done) return count;
		}
	}

	/** Runs the steps of a deletion, then deletes the spans of very large traces, which are only detached until then. */
	async #inBatches(next: () => Promise<Step>, onBatch: Store.OnBatch): Promise<void> {
		for (const work of [next, () => this.#writer.call("purge")]) {
			for (let isDone = false; !isDone; ) {
				const step = await this.#writes.run(work);
				this.#tell(step.changes);
				if (!(await onBatch())) return;
				isDone = step.done;
			}
		}
		this.#wake();
	}

	#tell(changes: readonly Store.TraceChange[]): void {
		for (const change of changes) for (const listener of this.#listeners) listener(change);
	}
}
