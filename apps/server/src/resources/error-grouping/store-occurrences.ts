import { sharedFingerprint } from "@spanward/error-groups";
import type { Transaction } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import { present } from "#base/present.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { addToGroups, type GroupOfOccurrence } from "./add-to-groups.ts";
import { deleteUntouched } from "./delete-empty.ts";
import { openIgnored } from "./open-ignored.ts";
import type { ErrorSettings } from "./project-settings.ts";
import type { FoundOccurrence } from "./read-failures.ts";
import type { FirstSeen } from "./releases.ts";
import { withdrawFromGroups } from "./withdraw-from-groups.ts";

/** Occurrences of one transaction, which others wait for. */
const MOST_ADDED = 1_000;
/** Rows of one statement. */
const MOST_ROWS = 200;

/** What was found in a trace, and when. */
export interface TraceFailures {
	readonly traceRowId: number;
	/** Of its row in `error_backlog` before it was read. */
	readonly generation: number;
	/** Undefined when the trace was gone. */
	readonly trace:
		| { readonly projectId: number; readonly occurrences: readonly FoundOccurrence[]; readonly settings: ErrorSettings }
		| undefined;
}

interface StoredOccurrence {
	readonly id: number;
	readonly project_id: number;
	readonly group_id: number;
	readonly trace_row_id: number;
	readonly span_row_id: number;
	readonly fingerprint: string;
	readonly version: number;
}

/** An occurrence that is not stored yet. */
export interface NewOccurrence extends FoundOccurrence {
	readonly projectId: number;
	readonly traceRowId: number;
}

interface Compared {
	readonly added: readonly NewOccurrence[];
	readonly withdrawn: readonly StoredOccurrence[];
	readonly gone: readonly StoredOccurrence[];
	/** Whether nothing else is to be added. */
	readonly isAll: boolean;
}

/** Whether all is stored; `again` when more is left than one transaction takes. */
type Stored = "done" | "again";

/**
 * Makes the stored occurrences of traces those that were found, with all that follows for their groups, and takes the
 * traces from the backlog unless more spans came meanwhile. A trace that another process has dealt with is left alone.
 * @param firstSeen when releases were first seen @throws ReleaseUnknown, with nothing changed
 */
export async function storeOccurrences(
	transaction: Transaction<Tables>,
	traces: Pick<TraceReader, "findEntities" | "holdSpans">,
	failures: readonly TraceFailures[],
	{ now, firstSeen }: { readonly now: number; readonly firstSeen: FirstSeen },
): Promise<Stored> {
	const ids = failures.map(({ traceRowId }) => traceRowId);
	const marks = await transaction
		.selectFrom("error_backlog")
		.select(["trace_row_id", "generation"])
		.where("trace_row_id", "in", listed(ids))
		.execute();
	const generations = new Map(marks.map((mark) => [mark.trace_row_id, mark.generation]));
	const waiting = failures.filter(({ traceRowId }) => generations.has(traceRowId));
	const entities = await traces.findEntities(
		"trace",
		waiting.map(({ traceRowId }) => traceRowId),
		transaction,
	);
	const projectOf = new Map(entities.map(({ rowId, projectId }) => [rowId, projectId]));
	// One that was moved meanwhile is to be looked at again, in its other project.
	const current = waiting.filter(({ traceRowId, trace }) => trace?.projectId === projectOf.get(traceRowId));
	const { added, withdrawn, gone, isAll } = await compare(transaction, traces, current);
	await deleteOccurrences(transaction, [...withdrawn, ...gone]);
	await withdrawFromGroups(transaction, withdrawn);
	if (withdrawn.length > 0) await deleteUntouched(transaction);
	const groupOf = await addToGroups(transaction, added, { now, firstSeen });
	await insertOccurrences(transaction, added, groupOf);
	await openIgnored(transaction, [...new Set([...groupOf.values()].map(({ groupId }) => groupId))], now);
	if (!isAll) return "again";
	for (const { traceRowId, generation } of current) {
		if (generations.get(traceRowId) === generation)
			await transaction
				.deleteFrom("error_backlog")
				.where("trace_row_id", "=", traceRowId)
				.where("generation", "=", generation)
				.execute();
		else
			await transaction
				.updateTable("error_backlog")
				.set({ first_at: now })
				.where("trace_row_id", "=", traceRowId)
				.execute();
	}
	return "done";
}

/** What is to be stored, and what of the stored occurrences turned out to be none, or is of spans that are gone. */
async function compare(
	transaction: Transaction<Tables>,
	traces: Pick<TraceReader, "holdSpans">,
	failures: readonly TraceFailures[],
): Promise<Compared> {
	const stored = await listStored(
		transaction,
		failures.map(({ traceRowId }) => traceRowId),
	);
	const bySpan = new Map(stored.map((row) => [row.span_row_id, row]));
	const added: NewOccurrence[] = [];
	const remaining = new Set<number>();
	for (const { traceRowId, trace } of failures) {
		if (trace === undefined) continue;
		const { projectId, occurrences, settings } = trace;
		for (const occurrence of occurrences) {
			const former = bySpan.get(occurrence.spanRowId);
			if (former?.project_id === projectId && isSame(former, occurrence)) remaining.add(former.id);
			else if (settings.kinds.has(occurrence.kind)) added.push({ ...occurrence, projectId, traceRowId });
			// What was stored of a kind that is not collected any more stays.
			else if (former !== undefined) remaining.add(former.id);
		}
	}
	const former = stored.filter(({ id }) => !remaining.has(id));
	const held = await traces.holdSpans(transaction, [
		...added.map(({ spanRowId }) => spanRowId),
		...former.map(({ span_row_id }) => span_row_id),
	]);
	const there = added.filter(({ spanRowId }) => held.has(spanRowId));
	return {
		added: there.slice(0, MOST_ADDED),
		withdrawn: former.filter(({ span_row_id }) => held.has(span_row_id)),
		gone: former.filter(({ span_row_id }) => !held.has(span_row_id)),
		isAll: there.length <= MOST_ADDED,
	};
}

/** By the rules of its version, which may be an older one. Beyond the limit of groups, some share a fingerprint. */
function isSame({ fingerprint, version }: StoredOccurrence, found: FoundOccurrence): boolean {
	if (version < found.version || fingerprint === found.fingerprint) return true;
	const { kind, type = "" } = found;
	return fingerprint === sharedFingerprint(kind, type) || fingerprint === sharedFingerprint(kind, "");
}

async function listStored(
	transaction: Transaction<Tables>,
	traceRowIds: readonly number[],
): Promise<readonly StoredOccurrence[]> {
	return await transaction
		.selectFrom("error_occurrences")
		.select(["id", "project_id", "group_id", "trace_row_id", "span_row_id", "fingerprint", "version"])
		.where("trace_row_id", "in", listed(traceRowIds))
		.execute();
}

async function deleteOccurrences(
	transaction: Transaction<Tables>,
	occurrences: readonly StoredOccurrence[],
): Promise<void> {
	if (occurrences.length === 0) return;
	const ids = occurrences.map(({ id }) => id);
	await transaction.deleteFrom("error_occurrences").where("id", "in", listed(ids)).execute();
}

async function insertOccurrences(
	transaction: Transaction<Tables>,
	occurrences: readonly NewOccurrence[],
	groupOf: ReadonlyMap<NewOccurrence, GroupOfOccurrence>,
): Promise<void> {
	const rows = occurrences.map((one) => ({
		...placeIn(groupOf, one),
		...{ trace_row_id: one.traceRowId, span_row_id: one.spanRowId, trace_id: one.traceId, span_id: one.spanId },
		...{ project_id: one.projectId, start_micros: one.startMicros, version: one.version, kind: one.kind },
		...{ message: one.message, tool: one.culprit.tool ?? null, user_id: one.userId, session_id: one.sessionId },
		...{ release: one.release, environment: one.environment, model: one.model },
	}));
	for (const part of chunksOf(rows, MOST_ROWS))
		await transaction.insertInto("error_occurrences").values(part).execute();
}

function placeIn(groupOf: ReadonlyMap<NewOccurrence, GroupOfOccurrence>, occurrence: NewOccurrence) {
	const { groupId, fingerprint } = present(groupOf.get(occurrence), "the group of an occurrence");
	return { group_id: groupId, fingerprint };
}
