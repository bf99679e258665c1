import { setTimeout as sleep } from "node:timers/promises";
import { Semaphore } from "#base/semaphore.ts";
import { SpanPrices } from "#pricing/price-of.ts";
import { keepProjectNameSql } from "#storage/projects/keep-project-name.ts";
import { letOthersWrite } from "#storage/repeated-job.ts";
import { FIRST_CURSOR } from "#storage/traces/expiry/expired-traces.ts";
import { BATCH_TRACES, changesOf, type Step, type WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type * as Store from "#storage/traces/trace-store.ts";
import { findExpiry } from "../read/expired-traces.ts";
import { inOneView } from "../read/query.ts";
import type { PostgresStoreOptions } from "../trace-store.ts";
import { HourRows } from "../write/hour-rows.ts";
import { deleteCrossing, findCrossing } from "./delete-crossing.ts";
import { deleteExpired } from "./delete-expired.ts";
import { AnotherIsDetached, deleteBatch, deleteChosenSpans, deleteSpan, purgeDetached } from "./delete-traces.ts";
import { dropPeriod, dropRest } from "./drop-period.ts";
import { type ExpiredPeriod, findExpiredPeriods, findPastMonths } from "./expired-periods.ts";
import { deleteUnclaimedLogs } from "./log-records.ts";
import { priceSpans, writeCosts } from "./recompute-costs.ts";
import { lockTracesExclusively } from "./traces.ts";
import { type MutationTransaction, mutate } from "./transaction.ts";
import { transferTraces } from "./transfer-traces.ts";

/** Pause while others have locked everything that is left to purge. */
const PURGE_WAIT_MS = 100;
const PURGE_TRIES = 20;
const DETACH_TRIES = 20;

/** Changes of stored traces, in bounded transactions, so that other processes get their turn. */
export class PostgresTraceMutations {
	readonly #pool: PostgresStoreOptions["writing"];
	readonly #references: PostgresStoreOptions["references"];
	readonly #tell: (change: Store.TraceChange) => void;
	readonly #moved: () => void;
	/** One transaction at a time, so that deletions use one connection of the pool. */
	readonly #mutex = new Semaphore(1);
	readonly #hours = new HourRows();

	constructor(
		{ reading, writing, references, onOwnMove }: PostgresStoreOptions,
		tell: (change: Store.TraceChange) => void,
	) {
		this.#pool = writing;
		this.#references = references;
		this.#tell = tell;
		this.#moved = () => {
			reading.awaitReplica();
			onOwnMove?.();
		};
	}

	async deleteSpan(spanRowId: number): Promise<boolean> {
		const row = await this.#transaction((transaction) => deleteSpan(transaction, spanRowId));
		if (row === undefined) return false;
		this.#tellAll(changesOf([row]));
		await this.purge();
		return true;
	}

	async deleteTrace(traceRowId: number): Promise<boolean> {
		const deleted = await this.#deleteTraces("id = $1 and project_id > 0", [traceRowId], "keep");
		await this.purge();
		return deleted > 0;
	}

	async deleteSpans(projectId: number, spanRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		for (let rest = spanRowIds; rest.length > 0; ) {
			const step = await this.#deletion((transaction) => deleteChosenSpans(transaction, projectId, rest));
			this.#tellAll(changesOf(step.changed));
			if (!(await onBatch())) return;
			rest = step.rest;
		}
		await this.#purgeInBatches(onBatch);
	}

	async deleteTraces(projectId: number, traceRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		const where = "project_id = $1 and id = any($2::bigint[])";
		for (let isDone = false; !isDone; ) {
			const step = await this.#deletion((transaction) =>
				deleteSome(transaction, where, [projectId, traceRowIds], "drop_unannotated"),
			);
			this.#tellAll(step.changes);
			if (!(await onBatch())) return;
			isDone = step.done;
		}
		await this.#purgeInBatches(onBatch);
	}

	async #purgeInBatches(onBatch: Store.OnBatch): Promise<void> {
		while (await this.#purgeNext()) if (!(await onBatch())) return;
	}

	async deleteTracesBetween(projectId: number, startMicros: number, endMicros: number): Promise<number> {
		const where = "project_id = $1 and start_micros >= $2 and start_micros < $3";
		const deleted = await this.#deleteTraces(where, [projectId, startMicros, endMicros], "drop");
		await this.purge();
		return deleted;
	}

	async deleteSession(sessionRowId: number): Promise<boolean> {
		for (;;) {
			await this.#deleteTraces("session_row_id = $1", [sessionRowId], "keep");
			const deleted = await this.#transaction((transaction) => deleteSessionRow(transaction, sessionRowId));
			if (deleted === undefined) continue;
			await this.purge();
			return deleted;
		}
	}

	async deleteProject(projectId: number): Promise<boolean> {
		for (;;) {
			await this.#deleteTraces("project_id = $1", [projectId], "drop");
			await this.purge();
			const deleted = await this.#transaction((transaction) => deleteProjectRow(transaction, projectId));
			if (deleted !== undefined) return deleted;
			await sleep(PURGE_WAIT_MS);
		}
	}

	async transferTraces(traceRowIds: readonly number[], destinationProjectId: number): Promise<number> {
		let count = 0;
		for (let rest = [...traceRowIds]; rest.length > 0; ) {
			const { dealtWith, moved } = await this.#transaction((transaction) =>
				transferTraces(transaction, rest, destinationProjectId),
			);
			if (moved.length > 0) this.#moved();
			for (const { from, to } of moved) {
				this.#tellAll(changesOf([from]));
				this.#tell({ projectId: destinationProjectId, traceRowIds: [to] });
			}
			count += moved.length;
			rest = rest.slice(dealtWith);
		}
		return count;
	}

	async deleteExpired(
		rule: Store.RetentionRule,
		onBatch: (batch: { deleted: number; kept: number }) => Promise<boolean>,
	): Promise<void> {
		const before = await findExpiry(this.#pool, rule);
		if (before === undefined) return;
		const { projectId, keepAnnotated } = rule;
		let isDone = false;
		for (let after = FIRST_CURSOR; !isDone; ) {
			const step = await this.#deletion((transaction) =>
				deleteExpired(transaction, { projectId, keepAnnotated, after, before }),
			);
			this.#tellAll(changesOf(step.deleted));
			if (!(await onBatch({ deleted: step.deleted.length, kept: step.kept }))) return;
			after = step.after;
			isDone = step.done;
		}
		// Very large traces are only detached so far. If this ends early, the next deletion or `purge` continues.
		while (await this.#purgeNext()) if (!(await onBatch({ deleted: 0, kept: 0 }))) return;
	}

	/**
	 * Drops the months and days of which nothing is kept, after deleting the traces that reach out of them.
	 * @param onBatch called after each step with the number of deleted traces by project; false ends the work
	 */
	async dropExpired(
		rules: readonly Store.RetentionRule[],
		onBatch: (deleted: ReadonlyMap<number, number>) => Promise<boolean>,
	): Promise<void> {
		const now = Date.now() * 1_000;
		const periods = await findExpiredPeriods(this.#pool, rules, now);
		if (periods.length > 0) await this.purge();
		for (const period of periods) {
			const crossing = await findCrossing(this.#pool, period);
			if (crossing === undefined) continue;
			if (!(await this.#deleteCrossing(period, crossing, onBatch))) return;
			const dropped = await this.#mutex.run(() => dropPeriod(this.#pool, this.#references, period));
			if (dropped === undefined) continue;
			for (const [projectId, traceRowIds] of dropped.traceRowIds) this.#tell({ projectId, traceRowIds });
			if (!(await onBatch(dropped.deleted))) return;
		}
		for (const month of await findPastMonths(this.#pool, now)) await dropRest(this.#pool, month);
	}

	/** @returns whether to go on */
	async #deleteCrossing(
		period: ExpiredPeriod,
		crossing: readonly number[],
		onBatch: (deleted: ReadonlyMap<number, number>) => Promise<boolean>,
	): Promise<boolean> {
		for (let left = crossing; left.length > 0; ) {
			const began = performance.now();
			const { deleted, rest } = await this.#deletion((transaction) => deleteCrossing(transaction, period, left));
			this.#tellAll(changesOf(deleted));
			const byProject = Map.groupBy(deleted, (row) => row.project_id);
			if (!(await onBatch(new Map([...byProject].map(([id, rows]) => [id, rows.length]))))) return false;
			await letOthersWrite(performance.now() - began);
			left = rest;
		}
		if (crossing.length > 0) await this.purge();
		return true;
	}

	async recomputeCosts(query: Store.CostQuery): Promise<Store.CostStep> {
		const prices = new SpanPrices();
		prices.useOwn(query.ownPrices);
		const batch = await this.#price(query, prices);
		const { afterSpan, seen } = batch;
		if (batch.costs.size === 0) return { afterSpan, seen, changed: 0 };
		const { changed, traceRowIds } = await this.#transaction((transaction) =>
			writeCosts(transaction, batch, query.countedIn),
		);
		this.#tell({ projectId: query.projectId, traceRowIds });
		return { afterSpan, seen, changed };
	}

	/** Deletes the spans of detached traces, also those left by a stopped process, but not those another one works on. */
	async purge(): Promise<void> {
		while (await this.#purgeNext());
	}

	/** @returns whether there may be more to delete; what others keep locked is left to them */
	async #purgeNext(): Promise<boolean> {
		for (let tries = 1; ; tries += 1) {
			const purged = await this.#transaction(purgeDetached);
			if (purged !== "busy") return purged === "more";
			if (tries === PURGE_TRIES) return false;
			await sleep(PURGE_WAIT_MS);
		}
	}

	/** Deletes old log records whose span never came. */
	async deleteUnclaimedLogs(stopped: AbortSignal): Promise<void> {
		await deleteUnclaimedLogs(this.#pool, Date.now() * 1_000, stopped);
	}

	async #price(query: Store.CostQuery, prices: SpanPrices) {
		return await inOneView(this.#pool, (client) =>
			priceSpans(client, query, (facts, startMicros) => prices.priceOf(facts, startMicros)),
		);
	}

	#transaction<T>(work: (transaction: MutationTransaction) => Promise<T>): Promise<T> {
		return this.#mutex.run(() => mutate(this.#pool, this.#hours, this.#references, work));
	}

	/** One transaction that deletes traces; if a trace of the same id is still detached, purges that one first. */
	async #deletion<T>(work: (transaction: MutationTransaction) => Promise<T>): Promise<T> {
		for (let tries = 1; ; tries += 1)
			try {
				return await this.#transaction(work);
			} catch (error) {
				if (!(error instanceof AnotherIsDetached) || tries === DETACH_TRIES) throw error;
				await this.purge();
				if (tries > 1) await sleep(PURGE_WAIT_MS);
			}
	}

	/** @param where condition on rows of `traces`, with numbered placeholders */
	async #deleteTraces(where: string, values: readonly number[], whenEmpty: WhenEmpty): Promise<number> {
		let count = 0;
		for (let isDone = false; !isDone; ) {
			const step = await this.#deletion((transaction) => deleteSome(transaction, where, values, whenEmpty));
			this.#tellAll(step.changes);
			count += step.count;
			isDone = step.done;
		}
		return count;
	}

	#tellAll(changes: readonly Store.TraceChange[]): void {
		for (const change of changes) this.#tell(change);
	}
}

async function deleteSome(
	transaction: MutationTransaction,
	where: string,
	values: readonly (number | readonly number[])[],
	whenEmpty: WhenEmpty,
): Promise<Step> {
	const { client } = transaction;
	const { rows: found } = await client.query<{ id: number }>(
		`select id from traces where ${where} limit ${BATCH_TRACES}`,
		[...values],
	);
	const rows = await lockTracesExclusively(
		client,
		found.map(({ id }) => id),
	);
	// Some may have changed meanwhile.
	const { rows: still } = await client.query<{ id: number }>(
		`select id from traces where ${where} and id = any($${values.length + 1}::bigint[])`,
		[...values, rows.map(({ id }) => id)],
	);
	const going = new Set(still.map(({ id }) => id));
	const wanted = rows.filter(({ id }) => going.has(id));
	const count = await deleteBatch(transaction, wanted, whenEmpty);
	const done = count === wanted.length && found.length < BATCH_TRACES;
	return { done, count, changes: changesOf(wanted.slice(0, count)) };
}

/** @returns whether it existed; undefined when new traces have come meanwhile */
async function deleteSessionRow({ client }: MutationTransaction, id: number): Promise<boolean | undefined> {
	// A writer that adds a trace to the session writes the session's row before it commits.
	const { rowCount } = await client.query("select from sessions where id = $1 for update", [id]);
	if (rowCount === 0) return false;
	if (await exists(client, "session_row_id = $1", id)) return undefined;
	await client.query("delete from sessions where id = $1", [id]);
	return true;
}

/** @returns whether it existed; undefined when new traces have come, or some are not deleted completely yet */
async function deleteProjectRow({ client }: MutationTransaction, id: number): Promise<boolean | undefined> {
	const { rowCount } = await client.query("select from projects where id = $1 for update", [id]);
	if (rowCount === 0) return false;
	if (await exists(client, "project_id in ($1::bigint, -$1::bigint)", id)) return undefined;
	await client.query("delete from sessions where project_id = $1", [id]);
	await client.query("delete from hours where project_id = $1", [id]);
	await client.query(keepProjectNameSql("$2", "$1"), [id, Date.now() * 1_000]);
	await client.query("delete from projects where id = $1", [id]);
	return true;
}

async function exists(client: MutationTransaction["client"], traces: string, id: number): Promise<boolean> {
	const { rowCount } = await client.query(`select from traces where ${traces} limit 1`, [id]);
	return rowCount !== 0;
}
