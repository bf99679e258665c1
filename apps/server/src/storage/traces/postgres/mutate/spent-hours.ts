import type { ClientBase } from "pg";
import type { HourChange } from "#storage/traces/totals/hour-changes.ts";

/**
 * Deletes rows of hours whose slots add up to nothing: what one slot counted may be subtracted in another. A statement
 * of its own, after the commit; a writer that remembers a deleted row reads it again.
 */
export async function deleteSpentHours(client: ClientBase, changes: readonly HourChange[]): Promise<void> {
	const shrunk = changes.filter(({ totals, traces }) => totals.spans < 0 || traces < 0);
	if (shrunk.length === 0) return;
	await client.query(
		`with locked as materialized (
			select hours.* from unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[]) as wanted (project_id, hour, kind, model)
			join hours on hours.project_id = wanted.project_id and hours.hour = wanted.hour
				and hours.kind = wanted.kind and hours.model = wanted.model collate "C"
			order by hours.project_id, hours.hour, hours.kind, hours.model, hours.slot for update of hours
		),
		spent as (
			select project_id, hour, kind, model from locked group by project_id, hour, kind, model
			having sum(span_count) = 0 and sum(trace_count) = 0
		)
		delete from hours using locked join spent using (project_id, hour, kind, model)
		where hours.project_id = locked.project_id and hours.hour = locked.hour and hours.kind = locked.kind
			and hours.model = locked.model and hours.slot = locked.slot and hours.version = locked.version`,
		[
			shrunk.map(({ projectId }) => projectId),
			shrunk.map(({ hour }) => hour),
			shrunk.map(({ kind }) => kind),
			shrunk.map(({ model }) => model),
		],
	);
}
