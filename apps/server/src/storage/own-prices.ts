import type { Kysely } from "kysely";
import { type OwnModelPrices, type OwnPrice, providerKey } from "#pricing/own-prices.ts";
import type { Tables } from "./schema.ts";

/** All own prices, in the form for computing costs. */
export async function listOwnPrices(db: Kysely<Tables>): Promise<OwnPrice[]> {
	const rows = await db.selectFrom("model_prices").selectAll().orderBy("id").execute();
	return rows.map(({ id, match, pattern, provider, starts_at, prices }) => ({
		id,
		match,
		pattern,
		provider: provider === null ? null : providerKey(provider),
		startsAt: starts_at,
		prices: JSON.parse(prices) as OwnModelPrices,
	}));
}
