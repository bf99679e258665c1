import { types } from "#storage/clickhouse/row-binary.ts";
import type { Turns } from "../metadata/turns.ts";
import { findRows, selectFinal } from "../read/query.ts";
import { SESSIONS } from "../tables.ts";
import { insertSessions } from "../write/session-numbers.ts";
import type { ExpiredDays } from "./expired-days.ts";
import type { OnShard } from "./forget-logs.ts";

/** Sessions that are looked at in one turn. */
const PAGE = 1_000;

/**
 * Deletes the sessions all of whose traces lie on a shard and days that are about to be dropped. A trace that comes for one of them
 * meanwhile has a new session.
 * @returns pages of row numbers of deleted sessions
 * @throws StorageUnavailable
 */
export async function* dropSessions(
	{ shard, shards }: OnShard,
	turns: Turns,
	{ from, to }: ExpiredDays,
): AsyncGenerator<number[]> {
	for (let after = 0; ; ) {
		const found = await selectFinal(
			shard,
			`select assumeNotNull(session_row_id) as id, any(session_id) as name from traces
			where anchor_micros >= {from:Int64} and anchor_micros < {to:Int64} and session_row_id > {after:Int64}
			group by id order by id limit ${PAGE}`,
			{ id: types.Integer, name: types.Nullable(types.Text) },
			{ from, to, after },
		);
		const ids = found.map(({ id }) => id);
		const last = ids.at(-1);
		if (last === undefined) return;
		const keys = [...new Set(found.map(({ name }) => `session ${name ?? ""}`))];
		yield await turns.take({ projects: [], keys, spans: 0, traces: 0 }, async ({ batch, version }) => {
			const onOthers =
				"select distinct assumeNotNull(session_row_id) as id from traces where session_row_id in {ids:Array(Int64)}";
			const onThis = `${onOthers} and not (anchor_micros >= {from:Int64} and anchor_micros < {to:Int64})`;
			const stay = await shards.onEach((one) =>
				selectFinal(one, one === shard ? onThis : onOthers, { id: types.Integer }, { ids, from, to }),
			);
			const staying = new Set(stay.map(({ id }) => id));
			const sql = "id in {ids:Array(Int64)}";
			const rows = await findRows(shards, SESSIONS, { sql, params: { ids: ids.filter((id) => !staying.has(id)) } });
			const gone = rows.map((row) => ({ ...row, version, is_deleted: 1 }));
			await insertSessions(shards, gone, `batch ${batch}`);
			return rows.map(({ id }) => id);
		});
		if (ids.length < PAGE) return;
		after = last;
	}
}
