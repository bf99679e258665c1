import type { Kysely } from "kysely";
import { SpanPrices } from "#pricing/price-of.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { listOwnPrices } from "#storage/own-prices.ts";
import type { Tables } from "#storage/schema.ts";
import { readContents, readTogether, type SelectedContents } from "../read/contents.ts";
import type { SpanRow } from "../tables.ts";
import { isOlder } from "./older.ts";
import { readAnew } from "./read-anew.ts";

export interface RowSources {
	readonly shard: ShardReader;
	/** Of the metadata tables, where own prices are. */
	readonly db: Kysely<Tables>;
	/** Contents that need not be read again. */
	readonly selected?: SelectedContents;
}

/**
 * Spans, as the current reading of attributes makes them of their content; those that it has made stay as they are, at no
 * cost. Whether others below them have tokens is said by the rows of their traces.
 */
export async function renewSpans({ shard, db }: RowSources, rows: readonly SpanRow[]): Promise<readonly SpanRow[]> {
	const older = rows.filter(isOlder);
	if (older.length === 0) return rows;
	const prices = new SpanPrices();
	prices.useOwn(await listOwnPrices(db));
	const renewed = new Map<number, SpanRow>();
	for (const part of readTogether(older)) {
		const contents = await readContents(shard, part);
		for (const row of part)
			renewed.set(
				row.id,
				readAnew(row, contents.get(row.id), (...asked) => prices.priceOf(...asked)),
			);
	}
	return rows.map((row) => renewed.get(row.id) ?? row);
}
