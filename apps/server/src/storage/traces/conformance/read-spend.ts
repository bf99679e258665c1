import type { Database } from "#storage/database.ts";
import { exactPico } from "../totals/cost-pico.ts";

/**
 * What the ledger says of a project, by quarter of an hour, user and key: tokens and picodollars.
 * @param of the spans that are stored, or those that are gone as well
 */
export async function readSpend(
	{ db }: { readonly db: Database },
	projectId: number,
	of: "stored" | "all" = "stored",
): Promise<Record<string, string>> {
	const rows = await db.read.selectFrom("spend").selectAll().where("project_id", "=", projectId).execute();
	const groups = Object.entries(
		Object.groupBy(rows, ({ quarter, user_id, api_key_id }) => JSON.stringify([quarter, user_id, api_key_id])),
	);
	const spent = groups.map(([group, slots = []]) => {
		const sum = { tokens: 0, micro: 0, pico: 0 };
		for (const row of slots) {
			sum.tokens += row.tokens + (of === "all" ? row.gone_tokens : 0);
			sum.micro += row.cost_micro + (of === "all" ? row.gone_micro : 0);
			sum.pico += row.cost_pico + (of === "all" ? row.gone_pico : 0);
		}
		return [group, shownSpend(sum.tokens, sum)] as const;
	});
	return Object.fromEntries(spent.filter(([, shown]) => shown !== NOTHING));
}

export const NOTHING = shownSpend(0, { micro: 0, pico: 0 });

export function shownSpend(tokens: number, cost: { readonly micro: number; readonly pico: number }): string {
	return `${tokens} tokens, ${exactPico(cost)} picodollars`;
}
