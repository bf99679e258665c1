import { type Kysely, sql, type Transaction } from "kysely";
import type { Database } from "#storage/database.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { MergedSession, MergedTrace } from "#storage/traces/references.ts";

/** What refers to traces from the metadata database. Changes come after those of the traces. */
export class MetadataReferences {
	readonly #db: Database;

	constructor(db: Database) {
		this.#db = db;
	}

	/** Deletes annotations of what is gone, and detaches examples of datasets. */
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
		});
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
		});
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

/** Which of these sessions are annotated themselves. */
export async function annotatedSessions(db: Kysely<Tables>, rowIds: readonly number[]): Promise<ReadonlySet<number>> {
	if (rowIds.length === 0) return new Set();
	const rows = await db
		.selectFrom("annotations")
		.select("session_row_id")
		.distinct()
		.where("session_row_id", "in", listed(rowIds))
		.execute();
	return new Set(rows.map(({ session_row_id }) => session_row_id ?? 0));
}

/** Which of these traces are annotated: themselves, a span, a document, or their session. */
export async function annotatedTraces(
	db: Kysely<Tables>,
	traces: readonly { readonly id: number; readonly session_row_id: number | null }[],
): Promise<ReadonlySet<number>> {
	if (traces.length === 0) return new Set();
	const sessions = traces.flatMap(({ session_row_id }) => session_row_id ?? []);
	const [rows, inSessions] = await Promise.all([
		db
			.selectFrom("annotations")
			.select("trace_row_id")
			.distinct()
			.where("trace_row_id", "in", listed(traces.map(({ id }) => id)))
			.execute(),
		annotatedSessions(db, [...new Set(sessions)]),
	]);
	const annotated = new Set(rows.map(({ trace_row_id }) => trace_row_id));
	return new Set(
		traces
			.filter(
				({ id, session_row_id }) => annotated.has(id) || (session_row_id !== null && inSessions.has(session_row_id)),
			)
			.map(({ id }) => id),
	);
}
