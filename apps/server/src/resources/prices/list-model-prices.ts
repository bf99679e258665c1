import type { Kysely } from "kysely";
import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import { decodeBase64, decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import { listPrices } from "./queries.ts";
import type { ModelPrice } from "./schemas.ts";
import { builtInPrices, toModelPrice } from "./to-model-price.ts";

interface PriceQuery {
	readonly limit: number;
	readonly cursor?: string | undefined;
	readonly name_contains?: string | undefined;
	readonly origin?: "built_in" | "own" | undefined;
}

interface PricePage {
	data: z.output<typeof ModelPrice>[];
	next_cursor: string | null;
}

/** A page of own prices and, after these, of the built-in ones, whose cursor is a position in the bundled table. */
export async function listModelPrices(db: Kysely<Tables>, query: PriceQuery): Promise<PricePage> {
	const { limit, origin } = query;
	const place = builtInPlace(query.cursor);
	const fromId = place === undefined ? parseCursor(query.cursor) : undefined;
	const data: PricePage["data"] = [];
	if (origin !== "built_in" && place === undefined) {
		const rows = await listPrices(db, { limit: limit + 1, fromId, nameContains: query.name_contains });
		data.push(...rows.slice(0, limit).map(toModelPrice));
		const next = rows[limit];
		if (next !== undefined) return { data, next_cursor: encodeGlobalId("ModelPrice", next.id) };
	}
	if (origin === "own") return { data, next_cursor: null };
	const part = query.name_contains?.toLowerCase() ?? "";
	const all = builtInPrices();
	for (let index = place ?? 0; index < all.length; index += 1) {
		const price = all[index];
		if (price === undefined || !price.name.toLowerCase().includes(part)) continue;
		if (data.length === limit) return { data, next_cursor: builtInCursor(index) };
		data.push(price);
	}
	return { data, next_cursor: null };
}

function builtInCursor(place: number): string {
	return Buffer.from(`BuiltInModelPrice:${place}`).toString("base64");
}

function builtInPlace(cursor: string | undefined): number | undefined {
	const match = /^BuiltInModelPrice:(\d{1,6})$/.exec(decodeBase64(cursor ?? "") ?? "");
	return match === null ? undefined : Number(match[1]);
}

/** @throws UserError 422 */
function parseCursor(cursor: string | undefined): number | undefined {
	if (cursor === undefined || cursor === "") return undefined;
	const id = decodeGlobalId(cursor, "ModelPrice");
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_cursor", `Invalid cursor format: ${cursor.slice(0, 100)}`);
}
