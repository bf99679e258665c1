import type { ClientBase } from "pg";

/** Takes blocks out of the text index, within a transaction. Blocks that are not in it do not matter. */
export async function forgetBlockText(client: ClientBase, blockIds: readonly number[]): Promise<void> {
	// Who fills the index holds the row of the block that waits: after this one it is done, and what it wrote is seen.
	await client.query("delete from block_text_waiting where block_id = any($1::bigint[])", [blockIds]);
	await client.query("delete from block_text where block_id = any($1::bigint[])", [blockIds]);
}
