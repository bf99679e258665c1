import type { ClientBase } from "pg";
import { SESSION_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import type { SessionChanges } from "#storage/traces/totals/session-changes.ts";
import { TOTALS_COLUMNS } from "#storage/traces/totals/totals-columns.ts";
import { type ArrayInsert, insertArrays, type Value } from "./insert-rows.ts";
import { LostRace } from "./lost-race.ts";

export interface SessionKey {
	readonly projectId: number;
	readonly sessionId: string;
}

/** Row numbers of sessions by `sessionKey`. New sessions get a number too; `writeSessions` inserts them. */
export async function sessionNumbers(
	client: ClientBase,
	keys: readonly SessionKey[],
): Promise<ReadonlyMap<string, number>> {
	const distinct = new Map(keys.map((key) => [sessionKey(key), key]));
	if (distinct.size === 0) return new Map();
	const wanted = [...distinct.values()];
	const { rows } = await client.query({
		name: "session numbers",
		// New sessions are numbered in the order of their arrival.
		text: `select project_id, session_id, coalesce(id, nextval(pg_get_serial_sequence('sessions', 'id'))) as id
			from (
				select wanted.project_id, wanted.session_id, sessions.id
				from unnest($1::bigint[], $2::text[]) with ordinality as wanted (project_id, session_id, position)
				left join sessions on sessions.project_id = wanted.project_id
					and sessions.session_id = wanted.session_id collate "C"
				order by wanted.position
			) as found`,
		values: [wanted.map((key) => key.projectId), wanted.map((key) => key.sessionId)],
	});
	return new Map(
		rows.map((row) => [sessionKey({ projectId: row.project_id, sessionId: row.session_id }), Number(row.id)]),
	);
}

export function sessionKey({ projectId, sessionId }: SessionKey): string {
	return `${projectId} ${sessionId}`;
}

/**
 * Writes changed sessions, after the rows of their traces.
 * @param keys of the sessions that gain, by row number
 * @throws LostRace when another transaction inserted one of them
 */
export async function writeSessions(
	client: ClientBase,
	changes: SessionChanges,
	keys: ReadonlyMap<number, SessionKey>,
): Promise<void> {
	const gains = changes.gains();
	const shrunk = changes.shrunk();
	const ids = [...gains, ...shrunk].map(([id]) => id);
	if (ids.length === 0) return;
	// Always locked in this order. Sessions to recompute are read only once nobody else can change them.
	if (ids.length > 1 || shrunk.length > 0)
		await client.query({
			name: "lock sessions",
			text: "select 1 from sessions where id = any ($1) order by id for no key update",
			values: [ids],
		});
	const rows = gains
		.map(([id, { traces, totals, bounds }]): [SessionKey, Value[]] => {
			const key = keys.get(id);
			if (key === undefined) throw new Error(`session row ${id} gains without being named`);
			const { startMicros, startNanos, endMicros, endNanos } = bounds;
			const { spans, running, errors, prompt, completion, total, costMicro, costPico, costed } = totals;
			const times = [startMicros, startNanos, endMicros, endNanos];
			const sums = [traces, spans, running, errors, prompt, completion, total, costMicro, costPico, costed];
			return [key, [id, key.projectId, key.sessionId, ...times, ...sums]];
		})
		.sort(([a], [b]) => a.projectId - b.projectId || (a.sessionId < b.sessionId ? -1 : 1))
		.map(([, row]) => row);
	const { rows: written } = await insertArrays(client, GROW, rows);
	if (!rows.every(([id], index) => written[index]?.["id"] === id)) throw new LostRace("a session came from elsewhere");
	if (shrunk.length > 0) await recompute(client, shrunk);
}

const SUMS = ["trace_count", ...TOTALS_COLUMNS];

// A session that had become empty has old times, which no longer matter.
const STARTS_EARLIER = `sessions.trace_count = 0
	or (excluded.start_micros, excluded.start_nanos) < (sessions.start_micros, sessions.start_nanos)`;
const ENDS_LATER = `sessions.trace_count = 0
	or (excluded.end_micros, excluded.end_nanos) > (sessions.end_micros, sessions.end_nanos)`;

const GROW: ArrayInsert = {
	name: "grow sessions",
	table: "sessions",
	columns: [
		["id", "bigint"],
		["project_id", "bigint"],
		["session_id", "text"],
		["start_micros", "bigint"],
		["start_nanos", "int"],
		["end_micros", "bigint"],
		["end_nanos", "int"],
		...SUMS.map((column) => [column, /^(tokens|cost)_/.test(column) ? "double precision" : "bigint"] as const),
	],
	suffix: `on conflict (project_id, session_id) do update set
		start_micros = case when ${STARTS_EARLIER} then excluded.start_micros else sessions.start_micros end,
		start_nanos = case when ${STARTS_EARLIER} then excluded.start_nanos else sessions.start_nanos end,
		end_micros = case when ${ENDS_LATER} then excluded.end_micros else sessions.end_micros end,
		end_nanos = case when ${ENDS_LATER} then excluded.end_nanos else sessions.end_nanos end,
		${SUMS.map((column) => `${column} = sessions.${column} + excluded.${column}`).join(", ")}
		returning id`,
};

// A session without traces keeps its former times.
const RECOMPUTE = `
	update sessions set
		${SUMS.map((column) => `${column} = sums.${column}`).join(", ")},
		start_micros = coalesce(sums.first[1], sessions.start_micros),
		start_nanos = coalesce(sums.first[2], sessions.start_nanos),
		end_micros = coalesce(sums.last[1], sessions.end_micros),
		end_nanos = coalesce(sums.last[2], sessions.end_nanos)
	from (
		select wanted.id, count(traces.id) as trace_count,
			${TOTALS_COLUMNS.map((column) => `coalesce(sum(${column}), 0) as ${column}`).join(", ")},
			min(case when traces.id is not null then array[start_micros, start_nanos] end) as first,
			max(case when traces.id is not null then array[end_micros, end_nanos] end) as last
		from unnest($1::bigint[]) as wanted (id) left join traces on traces.session_row_id = wanted.id
		group by wanted.id) as sums
	where sessions.id = sums.id`;

async function recompute(client: ClientBase, shrunk: ReturnType<SessionChanges["shrunk"]>): Promise<void> {
	await client.query(RECOMPUTE, [shrunk.map(([id]) => id)]);
	for (const alsoAnnotated of [true, false]) {
		const ids = shrunk.filter(([, whenEmpty]) => whenEmpty === (alsoAnnotated ? "drop" : "drop_unannotated"));
		if (ids.length === 0) continue;
		await client.query(
			`delete from sessions where id = any ($1) and trace_count = 0
				and ($2 or not ${SESSION_IS_ANNOTATED})`,
			[ids.map(([id]) => id), alsoAnnotated],
		);
	}
}
