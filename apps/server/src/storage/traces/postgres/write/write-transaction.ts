import type { ClientBase } from "pg";
import { storableText } from "#storage/postgres/storable-text.ts";
import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type { ReadTexts } from "#storage/traces/span-batch.ts";
import { changeTrace, type TotalsChanges, type TraceChange } from "#storage/traces/totals/change-trace.ts";
import { HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { SessionChanges } from "#storage/traces/totals/session-changes.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import { HourRows } from "./hour-rows.ts";
import { inTransaction } from "./lost-race.ts";
import { type SessionKey, sessionKey, sessionNumbers, writeSessions } from "./session-rows.ts";
import { StoredSpans } from "./stored-spans.ts";
import { insertTraces, updateTraces } from "./trace-rows.ts";

/**
 * One try of a transaction that changes totals. Whoever writes locks in one order: rows of projects, of log records, of
 * traces that are there, of sessions that are there, new traces, new sessions, hours, each kind sorted.
 */
export class WriteTransaction implements TotalsChanges {
	readonly client: ClientBase;
	readonly hours = new HourChanges();
	readonly sessions = new SessionChanges();
	readonly spans: StoredSpans;
	/** Ids of traces that go: their log records may do so too, after the commit. */
	readonly deletedTraceIds: Uint8Array[] = [];
	readonly #sessionKeys = new Map<number, SessionKey>();

	constructor(client: ClientBase, readTexts: ReadTexts) {
		this.client = client;
		this.spans = new StoredSpans(client, readTexts);
	}

	/**
	 * Writes rows of traces, and notes what their changes mean for sessions and hours. Traces that are stored have to be
	 * locked by this transaction.
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
			const row = withStorableTexts(changeTrace(this, change, id ?? null, whenEmpty));
			(change.stored === undefined ? inserted : updated).push(row);
		}
		await updateTraces(this.client, updated);
		await insertTraces(this.client, inserted);
	}

	/** To be said of sessions that gain something otherwise than by `saveTraces`, by row number. */
	nameSessions(keys: ReadonlyMap<number, SessionKey>): void {
		for (const [id, key] of keys) this.#sessionKeys.set(id, key);
	}

	/** Writes what has been noted for sessions; happens at the end in any case. */
	async flushSessions(): Promise<void> {
		await writeSessions(this.client, this.sessions, this.#sessionKeys);
		this.sessions.clear();
	}
}

/**
 * Runs `work` in a transaction, with all totals it changed; again as a whole when it met another one.
 * @param hours of the connection; rows of its own when absent
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

function withStorableTexts(row: TraceRow): TraceRow {
	const { first_input, last_output } = row;
	if (!first_input?.includes("\0") && !last_output?.includes("\0")) return row;
	return {
		...row,
		first_input: first_input === null ? null : storableText(first_input),
		last_output: last_output === null ? null : storableText(last_output),
	};
}
