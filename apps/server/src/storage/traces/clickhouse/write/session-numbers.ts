import { present } from "#base/present.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Bounds } from "#storage/traces/totals/session-changes.ts";
import { selectFinal } from "../read/query.ts";
import { SESSIONS } from "../tables.ts";
import { insertRows } from "./insert-rows.ts";
import { readSessions, type SessionRow } from "./stored-traces.ts";
import type { Turn } from "./turns.ts";

interface WantedSession {
	readonly projectId: number;
	readonly sessionId: string;
	readonly bounds: Bounds;
}

interface LeftSession {
	readonly projectId: number;
	readonly rowId: number;
	readonly sessionId: string;
}

/** The row numbers of the sessions that a batch needs. */
export class SessionNumbers {
	/** Rows of the new ones. */
	readonly added: SessionRow[] = [];
	readonly #shard: Shard;
	readonly #turn: Turn;
	readonly #numbers = new Map<string, number>();

	constructor(shard: Shard, turn: Turn) {
		this.#shard = shard;
		this.#turn = turn;
	}

	async find(wanted: readonly WantedSession[]): Promise<void> {
		const rows = await readSessions(
			this.#shard,
			[...new Set(wanted.map(({ projectId }) => projectId))],
			[...new Set(wanted.map(({ sessionId }) => sessionId))],
		);
		for (const row of rows) this.#numbers.set(keyOf(row.project_id, row.session_id), row.id);
		for (const { projectId, sessionId, bounds } of wanted) {
			const key = keyOf(projectId, sessionId);
			if (this.#numbers.has(key)) continue;
			const id = this.#turn.take("traces");
			this.#numbers.set(key, id);
			this.added.push({
				project_id: projectId,
				session_id: sessionId,
				id,
				start_micros: bounds.startMicros,
				start_nanos: bounds.startNanos,
				end_micros: bounds.endMicros,
				end_nanos: bounds.endNanos,
				version: this.#turn.version,
				is_deleted: 0,
			});
		}
	}

	numberOf(projectId: number, sessionId: string): number {
		return present(this.#numbers.get(keyOf(projectId, sessionId)), "the row number of a session");
	}

	/** Deletes those of these sessions that have no trace any more. */
	async dropEmpty(left: readonly LeftSession[], token: string): Promise<void> {
		const ids = [...new Set(left.map(({ rowId }) => rowId))];
		const used = await selectFinal(
			this.#shard,
			`select distinct session_row_id from traces
			where project_id in {projects:Array(Int64)} and session_row_id in {sessions:Array(Int64)}`,
			{ session_row_id: types.Nullable(types.Integer) },
			{ projects: [...new Set(left.map(({ projectId }) => projectId))], sessions: ids },
		);
		const still = new Set(used.map(({ session_row_id }) => session_row_id));
		const gone = left.filter(({ rowId }) => !still.has(rowId));
		const rows = await readSessions(
			this.#shard,
			gone.map(({ projectId }) => projectId),
			gone.map(({ sessionId }) => sessionId),
		);
		const empty = new Set(gone.map(({ rowId }) => rowId));
		await insertRows(
			this.#shard,
			SESSIONS,
			rows.filter(({ id }) => empty.has(id)).map((row) => ({ ...row, version: this.#turn.version, is_deleted: 1 })),
			`${token} emptied`,
		);
	}
}

function keyOf(projectId: number, sessionId: string): string {
	return `${projectId} ${sessionId}`;
}
