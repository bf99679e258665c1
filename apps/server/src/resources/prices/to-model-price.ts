import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { OwnModelPrices, PriceKind, PriceMatch } from "#pricing/own-prices.ts";
import { type ModelPrices, type Price, type PricedModel, readPriceTable } from "#pricing/price-table.ts";
import type { PriceRow } from "./queries.ts";
import type { ModelPrice } from "./schemas.ts";

type WirePrice = z.output<typeof ModelPrice>;

/** The wire form of an own price. */
export function toModelPrice(row: PriceRow): WirePrice {
	return {
		id: encodeGlobalId("ModelPrice", row.id),
		origin: "own",
		name: row.name,
		match: row.match,
		pattern: row.pattern,
		provider: row.provider,
		start_time: row.starts_at === null ? null : formatTime(row.starts_at),
		hours: null,
		prices: JSON.parse(row.prices) as OwnModelPrices,
		tiers: [],
		user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}

let builtIn: readonly WirePrice[] | undefined;

/** The wire form of the bundled prices, one for each start; their ids have a type of their own. */
export function builtInPrices(): readonly WirePrice[] {
	builtIn ??= readPriceTable().providers.flatMap(({ id: provider, models }) =>
		models.flatMap((model) =>
			model.prices.map((prices, index) => toBuiltIn(`${provider}:${model.id}:${index}`, provider, model, prices)),
		),
	);
	return builtIn;
}

const SIGNS: Readonly<Record<string, PriceMatch>> = {
	"=": "exact",
	"^": "prefix",
	$: "suffix",
	"~": "contains",
	"/": "regex",
};

function toBuiltIn(id: string, provider: string, model: PricedModel, dated: ModelPrices): WirePrice {
	const { from, between, ...prices } = dated;
	const kinds = Object.entries(prices) as [PriceKind, Price][];
	const [sign, text] = model.match;
	const match = SIGNS[sign];
	return {
		id,
		origin: "built_in",
		name: model.id,
		match: match ?? null,
		pattern: match === undefined ? null : String(text),
		provider,
		start_time: from === undefined ? null : formatTime(Date.parse(from) * 1_000),
		hours: between === undefined ? null : { from: timeOfDay(between[0]), to: timeOfDay(between[1]) },
		prices: Object.fromEntries(kinds.map(([kind, price]) => [kind, typeof price === "number" ? price : price[0]])),
		tiers: kinds.flatMap(([kind, price]) => {
			if (typeof price === "number") return [];
			const [, ...tiers] = price;
			return tiers.map(([above, tier]) => ({ kind, above_input_tokens: above, price: tier }));
		}),
		user_id: null,
		created_at: null,
		updated_at: null,
	};
}

function timeOfDay(seconds: number): string {
	return new Date(seconds * 1_000).toISOString().slice(11, 16);
}
