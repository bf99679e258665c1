import { decompress } from "#storage/traces/content/block.ts";
import { keysOfBlocks } from "../periods.ts";
import { type Queryable, query } from "../read/query.ts";
import { SPANS_OF_BLOCKS } from "./candidate-blocks.ts";

/** The `LogRecord` messages of all spans of each block. @param blocks with a time of their period */
export async function logsOfBlocks(
	client: Queryable,
	blocks: ReadonlyMap<number, number>,
): Promise<(blockId: number) => Uint8Array[]> {
	const [log] = await query(client, "select 1 from log_records limit 1");
	if (log === undefined) return () => [];
	const rows = await query<{ block_id: number; data: Uint8Array }>(
		client,
		`select spans.block_id, log.data from ${SPANS_OF_BLOCKS}
			cross join lateral (
				select data from log_records
				where log_records.trace_id = spans.trace_id and log_records.span_id = spans.span_id
					and log_records.project_id = spans.project_id offset 0
			) as log`,
		[[...blocks.keys()], keysOfBlocks(blocks.values())],
	);
	const byBlock = Map.groupBy(rows, (row) => row.block_id);
	return (blockId) => (byBlock.get(blockId) ?? []).map(({ data }) => decompress(data));
}
