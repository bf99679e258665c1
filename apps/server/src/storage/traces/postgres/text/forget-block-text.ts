import type { ClientBase } from "pg";

/** Removes blocks from the text index, within a transaction. Blocks that are not in it are ignored. */
export async function forgetBlockText(client: ClientBase, blockIds: readonly number[]): Promise<void> {
	// Waits for the process that is indexing one of the blocks, whose entries are then visible and deleted below.
	await client.query("delete from block_text_waiting where block_id = any($1::bigint[])", [blockIds]);
	await client.query("delete from block_text where block_id = any($1::bigint[])", [blockIds]);
}
