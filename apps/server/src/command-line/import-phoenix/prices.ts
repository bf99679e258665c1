import { UserError } from "#base/errors.ts";
import { type OwnModelPrices, type PriceKind, regexProblem } from "#pricing/own-prices.ts";
import { insertPrice } from "#resources/prices/queries.ts";
import { CreateModelPriceBody } from "#resources/prices/schemas.ts";
import { readTable, type SourceRow } from "./source.ts";
import type { Import, ImportReport } from "./target.ts";
import { microsOf, numberOf, textOf } from "./values.ts";

/** Phoenix stores prices per token, Spanward per million. */
const TOKENS = 1_000_000;
const KINDS: ReadonlySet<string> = new Set<PriceKind>(["input", "output", "cache_read", "cache_write", "reasoning"]);
const OWN = "not generative_models.is_built_in and generative_models.deleted_at is null";
const SPECIAL = /[\\^$.*+?()[\]{}|]/;

/**
 * Imports the model prices that people have set; has to be called before the spans are imported, to which they apply.
 * Phoenix searches its pattern anywhere in a model's name, as Spanward does for regular expressions and parts. Existing
 * prices stay.
 */
export async function importPrices({ source, storage, report }: Import): Promise<void> {
	if (!source.columns.has("token_prices")) return;
	const prices = await readPrices(source, report);
	const columns = ["name", "provider", "name_pattern", "start_time", "created_at", "updated_at"];
	let written = 0;
	for await (const rows of readTable(source, "generative_models", columns, { where: OWN }))
		for (const row of rows) {
			report.count("model prices", 1, 0);
			const price = toPrice(row, prices.get(Number(row["id"])) ?? {});
			if (typeof price === "string") {
				report.leave(`model price ${textOf(row["name"])?.slice(0, 100)}: ${price}`);
				continue;
			}
			const refused = await storage.db.write(async (transaction) => {
				try {
					await insertPrice(transaction, price);
					return undefined;
				} catch (error) {
					if (error instanceof UserError) return error;
					throw error;
				}
			});
			if (refused === undefined) written += 1;
			else if (refused.code !== "model_price_exists") report.leave(`model price ${price.name}: ${refused.message}`);
		}
	report.count("model prices", 0, written);
	if (written > 0) storage.cluster.tell({ topic: "prices" });
}

/** US dollars per million tokens, by Phoenix's row number of the model. */
async function readPrices(source: Import["source"], report: ImportReport): Promise<Map<number, OwnModelPrices>> {
	const prices = new Map<number, OwnModelPrices>();
	const options = { joins: "join generative_models on generative_models.id = model_id", where: OWN };
	const columns = ["model_id", "token_type", "base_rate", "customization"];
	for await (const rows of readTable(source, "token_prices", columns, options))
		for (const row of rows) {
			const kind = String(row["token_type"]);
			const rate = numberOf(row["base_rate"]);
			if (!KINDS.has(kind) || rate === null) {
				report.leave("prices of image, audio and other kinds of tokens that Spanward does not price separately");
				continue;
			}
			const customization = textOf(row["customization"]);
			if (customization !== null && customization !== "null")
				report.leave("prices that depend on the length of the prompt: the price for short prompts is imported");
			const model = Number(row["model_id"]);
			// Rounds away digits that come from storing a millionth of the entered price.
			const price = Number((rate * TOKENS).toPrecision(12));
			prices.set(model, { ...prices.get(model), [kind]: price });
		}
	return prices;
}

/** The price, or why the row cannot be one. */
function toPrice(row: SourceRow, prices: OwnModelPrices) {
	const pattern = textOf(row["name_pattern"]) ?? "";
	const match = SPECIAL.test(pattern) ? "regex" : "contains";
	const provider = textOf(row["provider"]);
	const name = textOf(row["name"]);
	const parsed = CreateModelPriceBody.safeParse({ name, match, pattern, provider: provider || null, prices });
	if (!parsed.success) return "Spanward does not support its name, pattern or prices";
	const problem = match === "regex" ? regexProblem(pattern) : undefined;
	if (problem !== undefined) return `its pattern cannot be used here, ${problem}`;
	return {
		name: parsed.data.name ?? pattern,
		match,
		pattern: match === "regex" ? pattern : pattern.toLowerCase(),
		provider: parsed.data.provider ?? null,
		starts_at: row["start_time"] === null ? null : microsOf(row["start_time"]),
		prices: JSON.stringify(parsed.data.prices),
		user_id: null,
		created_at: microsOf(row["created_at"]),
		updated_at: microsOf(row["updated_at"]),
	} as const;
}
