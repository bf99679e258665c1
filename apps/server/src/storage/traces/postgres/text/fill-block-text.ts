import { setImmediate as untilOthersRan } from "node:timers/promises";
import { decodeSpan } from "@spanward/otlp";
import type pg from "pg";
import { withTransaction } from "#storage/postgres/pool-connection.ts";
import { type BlockSpan, decompress } from "#storage/traces/content/block.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import { searchableText } from "#storage/traces/content/searchable-text.ts";
import { toHex } from "#storage/traces/totals/span-node.ts";
import { type Queryable, query } from "../read/query.ts";
import { gramsOfText } from "./grams.ts";

/** Blocks per transaction: each takes some milliseconds to read. */
const STEP_BLOCKS = 8;

interface WaitingBlock {
	readonly block_id: number;
	readonly month: number;
}

/** Fills the text index, a few blocks at a time. Several processes may do so at once. */
export class BlockTextFiller {
	readonly #pool: pg.Pool;

	/** @param pool of connections to the primary */
	constructor(pool: pg.Pool) {
		this.#pool = pool;
	}

	/**
	 * Indexes some waiting blocks.
	 * @returns whether there may be more
	 * @throws StorageUnavailable
	 */
	async step(): Promise<boolean> {
		return await withTransaction(this.#pool, "begin", async (client) => {
			// Deleted before the content is read: a writer that adds a log record waits for this, and inserts the row again.
			const waiting = await query<WaitingBlock>(
				client,
				`delete from block_text_waiting where block_id = any(array(
					select block_id from block_text_waiting order by block_id limit ? for update skip locked
				)) returning block_id, month`,
				[STEP_BLOCKS],
			);
			await fill(client, waiting);
			return waiting.length === STEP_BLOCKS;
		});
	}
}

async function fill(client: Queryable, waiting: readonly WaitingBlock[]): Promise<void> {
	const [log] = await query(client, "select 1 from log_records limit 1");
	for (const { block_id, month } of waiting) {
		const [block] = await query<{ data: Uint8Array }>(client, "select data from blocks where id = ? and month = ?", [
			block_id,
			month,
		]);
		// Its spans have been deleted meanwhile.
		if (block === undefined) continue;
		const spans = readBlock(block_id, block.data);
		const logs = log === undefined ? new Map<string, Uint8Array[]>() : await logsOf(client, spans);
		await query(
			client,
			`insert into block_text (block_id, month, grams) values (?, ?, ?::integer[])
			on conflict (block_id) do update set grams = excluded.grams`,
			[block_id, month, gramsOfText(textOf(spans, logs))],
		);
		await untilOthersRan();
	}
}

function textOf(spans: readonly BlockSpan[], logs: ReadonlyMap<string, readonly Uint8Array[]>): string {
	const texts = spans.map((span) =>
		searchableText(contentOf(span), (traceId, spanId) => logs.get(`${traceId} ${spanId}`) ?? []),
	);
	return texts.join("\n").toLowerCase();
}

async function logsOf(client: Queryable, spans: readonly BlockSpan[]): Promise<Map<string, Uint8Array[]>> {
	const ids = spans.map(({ bytes }) => decodeSpan(bytes));
	const rows = await query<{ trace_id: Uint8Array; span_id: Uint8Array; data: Uint8Array }>(
		client,
		`select log_records.trace_id, log_records.span_id, data
		from unnest(?::bytea[], ?::bytea[]) as wanted (trace_id, span_id)
			join log_records on log_records.trace_id = wanted.trace_id and log_records.span_id = wanted.span_id`,
		[ids.map(({ traceId }) => Buffer.from(traceId, "hex")), ids.map(({ spanId }) => Buffer.from(spanId, "hex"))],
	);
	const byKey = Map.groupBy(rows, (row) => `${toHex(row.trace_id)} ${toHex(row.span_id)}`);
	return new Map(Array.from(byKey, ([key, found]) => [key, found.map(({ data }) => decompress(data))]));
}
