import type { ClientBase } from "pg";
import { summedCostOf } from "#storage/traces/totals/cost-pico.ts";

/**
 * Sums of costs become two numbers (`SummedCost`): a single number of picodollars, as so far, is exact up to 2^53. Sums
 * beyond that are recomputed. Servers of the former version may still write: they add to the picodollars.
 */
export async function makeCostsExact(client: ClientBase): Promise<void> {
	// The same lock order as everywhere.
	for (const table of ["traces", "sessions", "hours"])
		await client.query(`alter table ${table} add column cost_micro double precision not null default 0`);
	const inexact = "abs(cost_pico) >= 9007199254740991";
	const costs = "select cost_total as dollars from spans where flags & 6 = 0 and cost_total is not null";
	const { rows: traces } = await client.query<{ id: number }>(`select id from traces where ${inexact}`);
	for (const { id } of traces) {
		const { rows } = await client.query<{ dollars: number }>(`${costs} and trace_row_id = $1`, [id]);
		const { micro, pico } = summedCostOf(rows.map(({ dollars }) => dollars));
		await client.query("update traces set cost_micro = $1, cost_pico = $2 where id = $3", [micro, pico, id]);
	}
	await client.query(`update sessions set (cost_micro, cost_pico) = (
			select coalesce(sum(cost_micro), 0), coalesce(sum(cost_pico), 0) from traces where session_row_id = sessions.id)
		where ${inexact}`);
	await recountHours(client, costs);
}

/** An hour's slots are added up when read: one slot gets the whole sum, the others zero. */
async function recountHours(client: ClientBase, costs: string): Promise<void> {
	const key = ["project_id", "hour", "kind", "model"];
	const { rows: hours } = await client.query<{ slot: number } & Record<string, number | string>>(
		`select ${key.join(", ")}, min(slot) as slot from hours group by ${key.join(", ")}
		having sum(abs(cost_pico)) >= 9007199254740991`,
	);
	for (const { project_id, hour, kind, model, slot } of hours) {
		const { rows } = await client.query<{ dollars: number }>(
			`${costs} and project_id = $1 and start_micros >= $2::bigint * 3600000000
				and start_micros < ($2::bigint + 1) * 3600000000 and kind = $3 and coalesce(model, '') = $4`,
			[project_id, hour, kind, model],
		);
		const { micro, pico } = summedCostOf(rows.map(({ dollars }) => dollars));
		await client.query(
			`update hours set version = version + 1, cost_micro = case when slot = $5 then $6::double precision else 0 end,
				cost_pico = case when slot = $5 then $7::double precision else 0 end
			where ${key.map((name, index) => `${name} = $${index + 1}`).join(" and ")}`,
			[project_id, hour, kind, model, slot, micro, pico],
		);
	}
}
