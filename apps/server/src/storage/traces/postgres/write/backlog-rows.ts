import type { ClientBase } from "pg";
import { newGeneration, type TracesToMark } from "#storage/traces/error-backlog.ts";

/** Adds traces to `error_backlog`: to look at for failures. This transaction must have locked them. */
export async function markTraces(client: ClientBase, { failing, changed }: TracesToMark): Promise<void> {
	if (failing.length + changed.length === 0) return;
	await client.query({
		name: "mark traces",
		text: `insert into error_backlog (trace_row_id, first_at, last_at, generation)
			select id, $3, $3, $4 from (
				select unnest($1::bigint[]) as id
				union
				select id from unnest($2::bigint[]) as id
				where exists (select from error_backlog where trace_row_id = id)
					or exists (select from error_occurrences where trace_row_id = id)
			) as marked order by id
			on conflict (trace_row_id) do update
			set last_at = greatest(error_backlog.last_at, excluded.last_at), generation = excluded.generation`,
		values: [failing, changed, Date.now() * 1_000, newGeneration()],
	});
}
