import type { ClientBase } from "pg";
import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type { ReadTexts } from "#storage/traces/span-batch.ts";
import { changeTrace, type TotalsChanges, type TraceChange } from "#storage/traces/totals/change-trace.ts";
import { HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { SessionChanges } from "#storage/traces/totals/session-changes.ts";
import { SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { HourRows } from "./hour-rows.ts";
import { inTransaction } from "./lost-race.ts";
import { type SessionKey, sessionKey, sessionNumbers, writeSessions } from "./session-rows.ts";
import { addSpend } from "./spend-rows.ts";
import { StoredSpans } from "./stored-spans.ts";
import { insertTraces, updateTraces } from "./trace-rows.ts";

/**
 * One try of a transaction that changes totals. The lock order of all writers: projects, log records, ids of traces,
 * existing traces, existing sessions, new traces, new sessions, hours, spend, each sorted.
 */
export class WriteTransaction implements TotalsChanges {
	readonly client: ClientBase;
	readonly hours = new HourChanges();
	readonly spend = new SpendChanges();
	readonly sessions = new SessionChanges();
	readonly spans: StoredSpans;
	/** Deleted traces, whose log records may be deleted after the commit. */
	readonly deletedTraces: Pick<TraceRow, "project_id" | "trace_id">[] = [];
	readonly #sessionKeys = new Map<number, SessionKey>();

	constructor(client: ClientBase, readTexts: ReadTexts) {
		this.client = client;
		this.spans = new StoredSpans(client, readTexts);
	}

	/**
	 * Writes rows of traces, and collects the resulting changes of sessions and hours. This transaction must have locked
	 * the stored ones.
	 */
	async saveTraces(changes: readonly TraceChange[], whenEmpty?: WhenEmpty): Promise<void> {
		const numbers = await sessionNumbers(
			this.client,
			changes.map(sessionOf).filter((key) => key !== undefined),
		);
		const inserted: TraceRow[] = [];
		const updated: TraceRow[] = [];
		for (const change of changes) {
			const key = sessionOf(change);
			const id = key === undefined ? undefined : numbers.get(sessionKey(key));
			if (key !== undefined && id !== undefined) this.#sessionKeys.set(id, key);
			const row = changeTrace(this, change, id ?? null, whenEmpty);
			(change.stored === undefined ? inserted : updated).push(row);
		}
		await updateTraces(this.client, updated);
		await insertTraces(this.client, inserted);
	}

	/** Sets the keys of sessions that gain other than by `saveTraces`, by row number. */
	nameSessions(keys: ReadonlyMap<number, SessionKey>): void {
		for (const [id, key] of keys) this.#sessionKeys.set(id, key);
	}

	/** Writes the collected changes of sessions; happens at the end in any case. */
	async flushSessions(): Promise<void> {
		await writeSessions(this.client, this.sessions, this.#sessionKeys);
		this.sessions.clear();
	}
}

/**
 * Runs `work` in a transaction, with all totals that it changed, and all of it again after a conflict.
 * @param hours of the connection; new ones when absent
 */
export async function changeTotals<T, Transaction extends WriteTransaction>(
	client: ClientBase,
	open: () => Transaction,
	work: (transaction: Transaction) => Promise<T>,
	hours: HourRows = new HourRows(),
): Promise<T> {
	try {
		const result = await inTransaction(client, async () => {
			hours.rolledBack();
			const transaction = open();
			const done = await work(transaction);
			await transaction.flushSessions();
			await hours.add(client, transaction.hours.list());
			await addSpend(client, transaction.spend, hours.slot);
			return done;
		});
		hours.committed();
		return result;
	} finally {
		hours.rolledBack();
	}
}

function sessionOf({ projectId, rollup }: TraceChange): SessionKey | undefined {
	const sessionId = rollup.session?.sessionId ?? null;
	return sessionId === null ? undefined : { projectId, sessionId };
}
