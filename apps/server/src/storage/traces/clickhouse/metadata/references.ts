import { type Kysely, sql, type Transaction } from "kysely";
import type { Database } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import { itemsOfMergedSession, itemsOfMergedTrace, type Statement } from "#storage/references/move-review-items.ts";
import { withdrawOccurrences } from "#storage/references/withdraw-occurrences.ts";
import type { Tables } from "#storage/schema.ts";
import { shrunk } from "#storage/traces/error-backlog.ts";
import { insertMarks, markTraces } from "#storage/traces/error-marks.ts";
import type { MergedSession, MergedTrace } from "#storage/traces/references.ts";

/** What refers to traces from the metadata database. Changes come after those of the traces. */
export class MetadataReferences {
	readonly #db: Database;

	constructor(db: Database) {
		this.#db = db;
	}

	/** Deletes annotations and occurrences of errors of what is gone, and detaches examples of datasets. */
	async deleted(gone: {
		readonly spans: readonly number[];
		readonly traces: readonly number[];
		readonly sessions: readonly number[];
	}): Promise<void> {
		const columns = [
			["span_row_id", gone.spans],
			["trace_row_id", gone.traces],
			["session_row_id", gone.sessions],
		] as const;
		await this.#db.write(async (transaction) => {
			for (const [column, rowIds] of columns)
				if (rowIds.length > 0)
					await transaction.deleteFrom("annotations").where(column, "in", listed(rowIds)).execute();
			for (const [column, rowIds] of [columns[0], columns[1]])
				if (rowIds.length > 0)
					await transaction.deleteFrom("error_occurrences").where(column, "in", listed(rowIds)).execute();
			if (gone.spans.length > 0)
				await transaction
					.updateTable("dataset_examples")
					.set({ span_row_id: null })
					.where("span_row_id", "in", listed(gone.spans))
					.execute();
		});
	}

	/** A trace, with its spans, has moved to another project. */
	async traceMoved(traceRowId: number, projectId: number): Promise<void> {
		await this.#db.write(async (transaction) => {
			await transaction
				.updateTable("annotations")
				.set({ project_id: projectId })
				.where("trace_row_id", "=", traceRowId)
				.execute();
			await transaction
				.updateTable("review_items")
				.set({ project_id: projectId })
				.where("trace_row_id", "=", traceRowId)
				.execute();
			await regroup(transaction, traceRowId, traceRowId);
		});
	}

	/** Has the failures of a trace found anew in the one that has its spans now. */
	async regroup(from: number, to: number): Promise<void> {
		await this.#db.write((transaction) => regroup(transaction, from, to));
	}

	/** Spans of these traces were deleted, and others are left. */
	async tracesShrunk(rows: readonly { readonly id: number; readonly error_count: number }[]): Promise<void> {
		await markTraces(this.#db, shrunk(rows));
	}

	/** Of two annotations that then have the same key, the one that was changed later stays. */
	async traceMerged({ from, to, projectId, spans }: MergedTrace): Promise<void> {
		await this.#db.write(async (transaction) => {
			for (const [gone, stays] of spans) {
				await dropOlder(transaction, ["span", "document"], gone, stays);
				await transaction
					.updateTable("annotations")
					.set({ target_row_id: stays, span_row_id: stays })
					.where("span_row_id", "=", gone)
					.execute();
				await transaction
					.updateTable("dataset_examples")
					.set({ span_row_id: null })
					.where("span_row_id", "=", gone)
					.execute();
			}
			await dropOlder(transaction, ["trace"], from, to);
			await transaction
				.updateTable("annotations")
				.set({ target_row_id: to })
				.where("target", "=", "trace")
				.where("target_row_id", "=", from)
				.execute();
			await transaction
				.updateTable("annotations")
				.set({ project_id: projectId, trace_row_id: to })
				.where("trace_row_id", "=", from)
				.execute();
			await runAll(transaction, await itemsOfMerged(transaction, { from, to, projectId, spans }));
			await regroup(transaction, from, to);
		});
		await markTraces(this.#db, { failing: [], changed: [to] });
	}

	/** As `traceMerged`. */
	async sessionMerged({ from, to, projectId }: MergedSession): Promise<void> {
		await this.#db.write(async (transaction) => {
			await dropOlder(transaction, ["session"], from, to);
			await transaction
				.updateTable("annotations")
				.set({ project_id: projectId, target_row_id: to, session_row_id: to })
				.where("session_row_id", "=", from)
				.execute();
			await runAll(transaction, itemsOfMergedSession({ from, to, projectId }));
		});
	}

	async costsChanged(recomputation: number, spans: number): Promise<void> {
		await this.#db.write(async (transaction) => {
			await transaction
				.updateTable("cost_recomputations")
				.set({ changed_spans: sql`changed_spans + ${spans}` })
				.where("id", "=", recomputation)
				.execute();
		});
	}
}

/** Has the failures of a trace found anew in the one that has its spans now. */
async function regroup(transaction: Transaction<Tables>, from: number, to: number): Promise<void> {
	const { rows } = await sql`
		select 1 from error_occurrences where trace_row_id = ${from}
		union all select 1 from error_backlog where trace_row_id = ${from}`.execute(transaction);
	if (rows.length === 0) return;
	await runAll(
		transaction,
		withdrawOccurrences("?").map((statement) => ({ sql: statement, values: [from] })),
	);
	await insertMarks(transaction, [to]);
}

/** What moves the items of review queues of a merged trace; nothing where it has none. */
async function itemsOfMerged(
	transaction: Transaction<Tables>,
	{ spans, ...move }: MergedTrace,
): Promise<readonly Statement[]> {
	const items = transaction.selectFrom("review_items").select("id").where("trace_row_id", "=", move.from).limit(1);
	return (await items.executeTakeFirst()) === undefined ? [] : itemsOfMergedTrace(move, spans);
}

async function runAll(transaction: Transaction<Tables>, statements: readonly Statement[]): Promise<void> {
	for (const statement of statements) {
		const [first = "", ...rest] = statement.sql.split("?");
		const parts = rest.map((text, index) => sql`${statement.values[index]}${sql.raw(text)}`);
		await sql`${sql.raw(first)}${sql.join(parts, sql``)}`.execute(transaction);
	}
}

/** Of two annotations that would have the same key after the move, keeps the one that was changed later. */
async function dropOlder(
	transaction: Transaction<Tables>,
	targets: readonly ("span" | "document" | "trace" | "session")[],
	from: number,
	to: number,
): Promise<void> {
	await sql`
		delete from annotations where id in (
			select case when moving.updated_at > present.updated_at then present.id else moving.id end
			from annotations as moving join annotations as present on present.target = moving.target
				and present.target_row_id = ${to} and present.document_position = moving.document_position
				and present.name = moving.name and present.identifier = moving.identifier
			where moving.target in ${listed(targets)} and moving.target_row_id = ${from})`.execute(transaction);
}

/** Which of these sessions are annotated themselves, or items of a review queue that is not archived. */
export async function annotatedSessions(db: Kysely<Tables>, rowIds: readonly number[]): Promise<ReadonlySet<number>> {
	if (rowIds.length === 0) return new Set();
	const rows = await db
		.selectFrom("annotations")
		.select("session_row_id")
		.distinct()
		.where("session_row_id", "in", listed(rowIds))
		.execute();
	const items = await openItems(db)
		.select("target_row_id")
		.distinct()
		.where("trace_row_id", "is", null)
		.where("target_row_id", "in", listed(rowIds))
		.execute();
	return new Set([
		...rows.map(({ session_row_id }) => session_row_id ?? 0),
		...items.map(({ target_row_id }) => target_row_id),
	]);
}

/**
 * Which of these traces are annotated, or items of a review queue that is not archived: themselves, a span, a document, or
 * their session.
 */
export async function annotatedTraces(
	db: Kysely<Tables>,
	traces: readonly { readonly id: number; readonly session_row_id: number | null }[],
): Promise<ReadonlySet<number>> {
	if (traces.length === 0) return new Set();
	const ids = traces.map(({ id }) => id);
	const sessionIds = [...new Set(traces.flatMap(({ session_row_id }) => session_row_id ?? []))];
	const [rows, items, sessions] = await Promise.all([
		db.selectFrom("annotations").select("trace_row_id").distinct().where("trace_row_id", "in", listed(ids)).execute(),
		openItems(db).select("trace_row_id").distinct().where("trace_row_id", "in", listed(ids)).execute(),
		annotatedSessions(db, sessionIds),
	]);
	const annotated = new Set([...rows, ...items].map(({ trace_row_id }) => trace_row_id));
	return new Set(
		traces
			.filter(
				({ id, session_row_id }) => annotated.has(id) || (session_row_id !== null && sessions.has(session_row_id)),
			)
			.map(({ id }) => id),
	);
}

/** Items about spans, traces and sessions, of review queues that are not archived. */
export function openItems(db: Kysely<Tables>) {
	const open = db
		.selectFrom("review_queues")
		.select("id")
		.where("archived_at", "is", null)
		.where("target", "<>", "experiment_run");
	return db.selectFrom("review_items").where("queue_id", "in", open);
}
