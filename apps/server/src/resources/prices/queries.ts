import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Tables } from "#storage/schema.ts";

export type PriceRow = Selectable<Tables["model_prices"]>;

/** Bounded because every span of an unknown model is compared with all of them. */
const MAX_PRICES = 1_000;
const MAX_REGEXES = 100;

/** Own prices with the newest first, from `fromId` downwards. */
export async function listPrices(
	db: Kysely<Tables>,
	{ limit, fromId, nameContains }: { limit: number; fromId?: number | undefined; nameContains?: string | undefined },
): Promise<PriceRow[]> {
	let query = db.selectFrom("model_prices").selectAll().orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (nameContains !== undefined && nameContains !== "") {
		const like = `%${nameContains.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
		query = query.where(sql<boolean>`(lower(name) like ${like} escape '\\' or pattern like ${like} escape '\\')`);
	}
	return await query.execute();
}

export async function findPrice(db: Kysely<Tables>, id: number): Promise<PriceRow | undefined> {
	return await db.selectFrom("model_prices").selectAll().where("id", "=", id).executeTakeFirst();
}

type PriceValues = Omit<PriceRow, "id">;

/** @throws UserError 409 when there is a price with the same rule and start, or there are too many */
export async function insertPrice(transaction: Transaction<Tables>, values: PriceValues): Promise<PriceRow> {
	await assertRoom(transaction, values.match);
	const row = await transaction
		.insertInto("model_prices")
		.values(values)
		.onConflict((conflict) => conflict.doNothing())
		.returningAll()
		.executeTakeFirst();
	if (row === undefined) throw priceExists();
	return row;
}

/** @throws UserError 409 when another price has the same rule and start, or there are too many */
export async function updatePrice(
	transaction: Transaction<Tables>,
	row: PriceRow,
	changes: Partial<PriceValues>,
): Promise<PriceRow> {
	const next = { ...row, ...changes };
	const other = await transaction
		.selectFrom("model_prices")
		.select("id")
		.where("id", "<>", row.id)
		.where("match", "=", next.match)
		.where("pattern", "=", next.pattern)
		.where("provider", next.provider === null ? "is" : "=", next.provider)
		.where("starts_at", next.starts_at === null ? "is" : "=", next.starts_at)
		.executeTakeFirst();
	if (other !== undefined) throw priceExists();
	if (next.match === "regex" && row.match !== "regex") await assertRoom(transaction, "regex");
	return await transaction
		.updateTable("model_prices")
		.set(changes)
		.where("id", "=", row.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

async function assertRoom(transaction: Transaction<Tables>, match: PriceRow["match"]): Promise<void> {
	const rows = await transaction
		.selectFrom("model_prices")
		.select(({ fn }) => ["match", fn.countAll<number>().as("count")])
		.groupBy("match")
		.execute();
	const all = rows.reduce((sum, { count }) => sum + count, 0);
	const regexes = rows.find((row) => row.match === "regex")?.count ?? 0;
	if (all < MAX_PRICES && (match !== "regex" || regexes < MAX_REGEXES)) return;
	throw new UserError(
		409,
		"too_many_model_prices",
		`There may be at most ${MAX_PRICES} custom prices, ${MAX_REGEXES} of them regular expressions; delete some first.`,
	);
}

function priceExists(): UserError {
	return new UserError(
		409,
		"model_price_exists",
		"There is already a price for this pattern, provider and start; change that one.",
	);
}
