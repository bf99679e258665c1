import type { DatabaseSync } from "node:sqlite";
import { summedCostOf } from "#storage/traces/totals/cost-pico.ts";

/**
 * Sums of costs become two numbers (`SummedCost`): a single number of picodollars, as so far, is exact up to 2^53. Sums
 * beyond that are recomputed.
 */
export function makeCostsExact(db: DatabaseSync): void {
	for (const table of ["traces", "sessions", "hours"])
		db.exec(`alter table ${table} add column cost_micro real not null default 0`);
	const inexact = "abs(cost_pico) >= 9007199254740991";
	const costs = "select cost_total as dollars from spans where flags & 6 = 0 and cost_total is not null";
	const ofTrace = db.prepare(`${costs} and trace_row_id = ?`);
	const setTrace = db.prepare("update traces set cost_micro = ?, cost_pico = ? where id = ?");
	for (const { id = 0 } of db.prepare(`select id from traces where ${inexact}`).all()) {
		const { micro, pico } = summedCostOf(dollarsOf(ofTrace.all(id)));
		setTrace.run(micro, pico, id);
	}
	db.exec(`update sessions set (cost_micro, cost_pico) = (
			select coalesce(sum(cost_micro), 0), coalesce(sum(cost_pico), 0) from traces where session_row_id = sessions.id)
		where ${inexact}`);
	const ofHour = db.prepare(
		`${costs} and project_id = ? and start_micros >= ? * 3600000000 and start_micros < (? + 1) * 3600000000
			and kind = ? and coalesce(model, '') = ?`,
	);
	const key = ["project_id", "hour", "kind", "model"];
	const setHour = db.prepare(
		`update hours set cost_micro = ?, cost_pico = ? where ${key.map((name) => `${name} = ?`).join(" and ")}`,
	);
	for (const row of db.prepare(`select ${key.join(", ")} from hours where ${inexact}`).all()) {
		const { project_id: project = 0, hour = 0, kind = 0, model = "" } = row;
		const { micro, pico } = summedCostOf(dollarsOf(ofHour.all(project, hour, hour, kind, model)));
		setHour.run(micro, pico, project, hour, kind, model);
	}
}

function dollarsOf(rows: Record<string, unknown>[]): number[] {
	return rows.map((row) => Number(row["dollars"]));
}
