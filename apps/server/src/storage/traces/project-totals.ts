import { type Kysely, sql } from "kysely";
import { listed } from "../listed.ts";
import type { Tables } from "../schema.ts";
import { toDollars } from "./totals/cost-pico.ts";
import type { ProjectTotals } from "./trace-store.ts";

/** Totals of whole projects, summed over their hours. */
export async function findProjectTotals(
	db: Kysely<Tables>,
	projectIds: readonly number[],
): Promise<ReadonlyMap<number, ProjectTotals>> {
	const { rows } = await sql<{ id: number; tokens: number; micro: number; pico: number }>`
		select project_id as id, sum(tokens_total) as tokens, sum(cost_micro) as micro, sum(cost_pico) as pico
		from hours
		where project_id in ${listed(projectIds)}
		group by project_id`.execute(db);
	return new Map(
		rows.map(({ id, tokens, ...sums }) => {
			const cost = toDollars(sums);
			return [id, { tokens, cost: cost > 0 ? cost : null }];
		}),
	);
}
