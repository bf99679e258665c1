import { present } from "#base/present.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { WhenEmpty } from "#storage/traces/mutate/batches.ts";
import type { Bounds } from "#storage/traces/totals/session-changes.ts";
import type { Turn } from "../metadata/turns.ts";
import { selectFinal } from "../read/query.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { SESSIONS, type SessionRow, type TraceRow } from "../tables.ts";
import { insertRows } from "./insert-rows.ts";
import { readSessions } from "./stored-traces.ts";

interface WantedSession {
	readonly projectId: number;
	readonly sessionId: string;
	readonly bounds: Bounds;
}

/** The row numbers of the sessions that a batch needs. */
export class SessionNumbers {
	/** Rows of the new ones. */
	readonly #added: SessionRow[] = [];
	readonly #shards: TraceShards;
	readonly #turn: Turn;
	readonly #annotated: (rowIds: readonly number[]) => Promise<ReadonlySet<number>>;
	readonly #numbers = new Map<string, number>();
	readonly #looked = new Set<string>();

	constructor(shards: TraceShards, turn: Turn, annotated: (rowIds: readonly number[]) => Promise<ReadonlySet<number>>) {
		this.#shards = shards;
		this.#turn = turn;
		this.#annotated = annotated;
	}

	/** Reads those of these sessions that are stored; `find` reads what else it needs. */
	async read(sessions: readonly Pick<WantedSession, "projectId" | "sessionId">[]): Promise<void> {
		const rows = await readSessions(
			this.#shards,
			[...new Set(sessions.map(({ projectId }) => projectId))],
			[...new Set(sessions.map(({ sessionId }) => sessionId))],
		);
		for (const row of rows) this.#numbers.set(keyOf(row.project_id, row.session_id), row.id);
		for (const { projectId, sessionId } of sessions) this.#looked.add(keyOf(projectId, sessionId));
	}

	async find(wanted: readonly WantedSession[]): Promise<void> {
		await this.read(wanted.filter(({ projectId, sessionId }) => !this.#looked.has(keyOf(projectId, sessionId))));
		for (const { projectId, sessionId, bounds } of wanted) {
			const key = keyOf(projectId, sessionId);
			if (this.#numbers.has(key)) continue;
			const id = this.#turn.take("traces");
			this.#numbers.set(key, id);
			this.#added.push({
				project_id: projectId,
				session_id: sessionId,
				id,
				batch: this.#turn.batch,
				start_micros: bounds.startMicros,
				start_nanos: bounds.startNanos,
				end_micros: bounds.endMicros,
				end_nanos: bounds.endNanos,
				version: this.#turn.version,
				is_deleted: 0,
			});
		}
	}

	async insert(token: string): Promise<void> {
		await insertSessions(this.#shards, this.#added, token);
	}

	numberOf(projectId: number, sessionId: string): number {
		return present(this.#numbers.get(keyOf(projectId, sessionId)), "the row number of a session");
	}

	/**
	 * Sessions that have lost these traces: deletes those without any, or notes the times that they had.
	 * @param left the former rows of the traces
	 * @returns the row numbers of the deleted ones
	 */
	async leave(left: readonly TraceRow[], whenEmpty: WhenEmpty, token: string): Promise<readonly number[]> {
		const { version } = this.#turn;
		const traces = Map.groupBy(left, (trace) => trace.session_row_id ?? 0);
		const projects = [...new Set(left.map(({ project_id }) => project_id))];
		const used = await selectFinal(
			this.#shards,
			`select distinct session_row_id from traces
			where project_id in {projects:Array(Int64)} and session_row_id in {sessions:Array(Int64)}`,
			{ session_row_id: types.Nullable(types.Integer) },
			{ projects, sessions: [...traces.keys()] },
		);
		const still = new Set(used.map(({ session_row_id }) => session_row_id));
		const sessionIds = left
			.filter((trace) => !still.has(trace.session_row_id))
			.map(({ session_id }) => session_id ?? "");
		const rows = await readSessions(this.#shards, projects, [...new Set(sessionIds)]);
		const empty = rows.filter(({ id }) => traces.has(id) && !still.has(id));
		const ids = empty.map(({ id }) => id);
		const kept =
			whenEmpty === "drop_unannotated" ? await this.#annotated(ids) : new Set(whenEmpty === "keep" ? ids : []);
		const changed = empty.map((row) => {
			if (!kept.has(row.id)) return { ...row, version, is_deleted: 1 };
			return { ...row, ...boundsOf(traces.get(row.id) ?? []), version };
		});
		await insertSessions(this.#shards, changed, `${token} left`);
		return ids.filter((id) => !kept.has(id));
	}
}

/** Writes rows of sessions where these are noted. */
export async function insertSessions(shards: TraceShards, rows: readonly SessionRow[], token: string): Promise<void> {
	const byShard = Map.groupBy(rows, ({ session_id }) => shards.ofSession(session_id));
	await Promise.all([...byShard].map(([shard, own]) => insertRows(shard, SESSIONS, own, token)));
}

/** When the first of some traces starts and the last ends. */
function boundsOf(traces: readonly TraceRow[]) {
	const [first] = traces.toSorted((a, b) => a.start_micros - b.start_micros || a.start_nanos - b.start_nanos);
	const last = traces.toSorted((a, b) => a.end_micros - b.end_micros || a.end_nanos - b.end_nanos).at(-1);
	if (first === undefined || last === undefined) return {};
	const { start_micros, start_nanos } = first;
	const { end_micros, end_nanos } = last;
	return { start_micros, start_nanos, end_micros, end_nanos };
}

function keyOf(projectId: number, sessionId: string): string {
	return `${projectId} ${sessionId}`;
}
