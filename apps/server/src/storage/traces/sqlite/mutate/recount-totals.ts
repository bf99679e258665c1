import type { DatabaseSync } from "node:sqlite";
import { OtlpDecodeError } from "@spanward/otlp";
import { eachRow, listRows } from "#storage/sqlite/rows.ts";
import { BATCH_SPANS } from "#storage/traces/mutate/batches.ts";
import type { RecountRange, TracesRecounted } from "#storage/traces/mutate/recounting-repairs.ts";
import { isSameRow } from "#storage/traces/mutate/same-row.ts";
import { HOUR_MICROS, HourChanges, type HourRow } from "#storage/traces/totals/hour-changes.ts";
import { hourIsRight } from "#storage/traces/totals/hour-is-right.ts";
import { NODE_COLUMNS, type NodeRow, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";
import { rebuildTrace, withdrawSpans } from "./rebuild-traces.ts";

const STEP_TRACES = 100;

/** Computes the next traces anew, each in a transaction, which is undone unless something was wrong. */
export function recountTraces(
	db: DatabaseSync,
	transaction: WriteTransaction,
	{ projectId, startMicros, endMicros, isDryRun }: RecountRange,
	after: number,
): TracesRecounted {
	const rows = listRows<TraceRow>(
		db.prepare(
			`select * from traces where id > ? and project_id > 0 and (? = 0 or project_id = ?)
				and start_micros >= ? and start_micros < ? order by id limit ${STEP_TRACES}`,
		),
		...[after, projectId ?? 0, projectId ?? 0, startMicros ?? 0, endMicros ?? Number.MAX_SAFE_INTEGER],
	);
	const done = { lookedAt: 0, wrong: 0, repaired: 0 };
	let spans = 0;
	for (const row of rows) {
		if (done.lookedAt > 0 && spans + row.span_count > BATCH_SPANS) break;
		const outcome = recountTrace(db, transaction, row.id, isDryRun);
		if (outcome !== "right") done.wrong += 1;
		if (outcome === "repaired") done.repaired += 1;
		done.lookedAt += 1;
		spans += row.span_count;
	}
	const isLast = rows.length < STEP_TRACES && done.lookedAt === rows.length;
	return { ...done, last: isLast ? undefined : rows[done.lookedAt - 1]?.id };
}

function recountTrace(
	db: DatabaseSync,
	transaction: WriteTransaction,
	id: number,
	isDryRun: boolean,
): "right" | "wrong" | "repaired" {
	db.exec("begin immediate");
	try {
		const row = transaction.traces.traceById(id);
		const nodes = row === undefined ? [] : transaction.traces.nodesOfTrace(id);
		// A trace without spans is not known to come about.
		if (row === undefined || nodes.length === 0) return "right";
		const before = rowsOf(db, id);
		transaction.within(() => {
			withdrawSpans(transaction, row, nodes);
			rebuildTrace(transaction, row, "keep");
		});
		const now = rowsOf(db, id);
		const isRight = before.length === now.length && before.every((one, index) => isSameRow(one, now[index] ?? {}));
		if (isRight) return "right";
		if (isDryRun) return "wrong";
		db.exec("commit");
		return "repaired";
	} catch (error) {
		// Nothing can be computed from a span that is damaged.
		if (error instanceof OtlpDecodeError) return "wrong";
		throw error;
	} finally {
		if (db.isTransaction) db.exec("rollback");
	}
}

/** Of the trace, its session and its spans. */
function rowsOf(db: DatabaseSync, id: number): Readonly<Record<string, unknown>>[] {
	return [
		"select * from traces where id = ?",
		"select * from sessions where id = (select session_row_id from traces where id = ?)",
		"select id, flags from spans where trace_row_id = ? order by id",
	].flatMap((sql) => listRows<Readonly<Record<string, unknown>>>(db.prepare(sql), id));
}

/** Whether the totals of an hour are those of its spans and traces, in one view of the file. */
export function isHourRight(db: DatabaseSync, projectId: number, hour: number): boolean {
	db.exec("begin");
	try {
		const counted = new HourChanges();
		countInto(db, counted, projectId, hour);
		return hourIsRight(
			listRows<HourRow>(db.prepare("select * from hours where project_id = ? and hour = ?"), projectId, hour),
			counted.list(),
		);
	} finally {
		db.exec("rollback");
	}
}

/** Puts what the spans and traces of an hour give in the place of its totals. */
export function replaceHour(db: DatabaseSync, transaction: WriteTransaction, projectId: number, hour: number): void {
	transaction.run(() => {
		db.prepare("delete from hours where project_id = ? and hour = ?").run(projectId, hour);
		countInto(db, transaction.hours, projectId, hour);
	});
}

/** Spans of a trace that is being deleted count until they are gone. */
function countInto(db: DatabaseSync, counted: HourChanges, projectId: number, hour: number): void {
	const range = [projectId, hour * HOUR_MICROS, (hour + 1) * HOUR_MICROS] as const;
	const spans = db.prepare(
		`select ${NODE_COLUMNS} from spans where project_id = ? and start_micros >= ? and start_micros < ?`,
	);
	for (const row of eachRow<NodeRow>(spans, ...range)) counted.addSpan(projectId, nodeOfRow(row), 1);
	const traces = db.prepare(
		`select start_micros, root_kind as kind, root_model as model from traces
			where project_id = ? and start_micros >= ? and start_micros < ?`,
	);
	for (const { start_micros, kind, model } of listRows<{ start_micros: number; kind: number; model: string | null }>(
		traces,
		...range,
	))
		counted.addTrace(projectId, start_micros, { kind, model }, 1);
}
