import { setImmediate as untilOthersRan } from "node:timers/promises";
import type pg from "pg";
import type { ClientBase } from "pg";
import { withTransaction } from "#storage/postgres/pool-connection.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import { signatureOf } from "#storage/traces/text/text-signature.ts";
import { query } from "../read/query.ts";
import { logsOfBlocks } from "./logs-of-blocks.ts";
import { type BlockSignature, insertSignatures } from "./signature-rows.ts";
import { BEGIN_WITH_BLOCKS } from "./unsigned-blocks.ts";

/** Blocks per transaction: each takes about a millisecond. */
const STEP_BLOCKS = 16;

interface BlockRow {
	readonly id: number;
	readonly month: number;
	readonly data: Uint8Array;
}

/**
 * Signs the blocks that were written without a signature, those that came last first, a few at a time. Several
 * processes may do so at once.
 */
export class BlockSigner {
	readonly #pool: pg.Pool;

	/** @param pool of connections to the primary */
	constructor(pool: pg.Pool) {
		this.#pool = pool;
	}

	/**
	 * Signs some blocks.
	 * @returns whether there may be more
	 * @throws StorageUnavailable
	 */
	async step(): Promise<boolean> {
		return await withTransaction(this.#pool, BEGIN_WITH_BLOCKS, async (client) => {
			const blocks = (await takeListed(client)) ?? (await takeOfRange(client));
			if (blocks !== undefined) await insertSignatures(client, await signed(client, blocks));
			return blocks !== undefined;
		});
	}
}

/** Undefined when none is left that no other process has taken. */
async function takeListed(client: ClientBase): Promise<BlockRow[] | undefined> {
	// Taken before the content is read: a writer that adds a log record waits for this, and lists the block again.
	const taken = await query<{ block_id: number; month: number }>(
		client,
		`delete from block_text_waiting where block_id = any(array(
			select block_id from block_text_waiting order by block_id desc limit ? for update skip locked
		)) returning block_id, month`,
		[STEP_BLOCKS],
	);
	if (taken.length === 0) return undefined;
	return await query<BlockRow>(
		client,
		"select id, month, data from blocks where id = any(?::bigint[]) and month = any(?::bigint[])",
		[taken.map((row) => row.block_id), [...new Set(taken.map((row) => row.month))]],
	);
}

async function takeOfRange(client: ClientBase): Promise<BlockRow[] | undefined> {
	const [range] = await query<{ first_block: number; last_block: number }>(
		client,
		`select first_block, last_block from block_text_unsigned order by first_block desc limit 1
		for update skip locked`,
	);
	if (range === undefined) return undefined;
	const { first_block: first, last_block: last } = range;
	const blocks = await query<BlockRow>(
		client,
		"select id, month, data from blocks where id between ? and ? order by id desc limit ?",
		[first, last, STEP_BLOCKS],
	);
	const lowest = blocks.length < STEP_BLOCKS ? first : (blocks.at(-1)?.id ?? first);
	if (lowest === first) await query(client, "delete from block_text_unsigned where first_block = ?", [first]);
	else await query(client, "update block_text_unsigned set last_block = ? where first_block = ?", [lowest - 1, first]);
	return blocks;
}

async function signed(client: ClientBase, blocks: readonly BlockRow[]): Promise<BlockSignature[]> {
	const logs = await logsOfBlocks(client, new Map(blocks.map((block) => [block.id, block.month])));
	const signatures: BlockSignature[] = [];
	for (const { id, month, data } of blocks) {
		signatures.push({ blockId: id, month, signature: signatureOf({ spans: readBlock(id, data), logs: logs(id) }) });
		await untilOthersRan();
	}
	return signatures;
}
