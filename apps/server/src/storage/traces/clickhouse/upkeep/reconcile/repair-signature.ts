import { missedContents } from "#storage/traces/clickhouse/integrity/check-signatures.ts";
import { type ContentKey, signAgain } from "#storage/traces/clickhouse/text/sign-contents.ts";
import type { RepairTools } from "./repair-tools.ts";

const NOTHING = { projects: [], keys: [], spans: 0, traces: 0 };

/** Signs contents of which searches miss texts. @returns whether they still did */
export async function repairSignature(
	{ shard, shards, turns }: RepairTools,
	wanted: readonly ContentKey[],
): Promise<boolean> {
	return await turns.take(NOTHING, async (turn) => {
		const { keys, contents } = await missedContents(shard, shards.list.indexOf(shard), wanted);
		if (keys.length > 0) await signAgain(shard, turn, keys, contents);
		return keys.length > 0;
	});
}
