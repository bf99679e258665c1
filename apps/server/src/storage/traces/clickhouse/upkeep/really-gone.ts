import type { Shard } from "#storage/clickhouse/shard.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import type { Gone } from "../mutate/apply-changes.ts";
import { findEntities } from "../read/entities.ts";

/** Without what is in another project under the same number: a move that died has left it in both. */
export async function reallyGone(shard: Shard, { spans, traces, sessions }: Gone): Promise<Gone> {
	const without = async (kind: EntityKind, ids: readonly number[]) => {
		if (ids.length === 0) return ids;
		const there = new Set((await findEntities(shard, kind, ids)).map(({ rowId }) => rowId));
		return ids.filter((id) => !there.has(id));
	};
	return {
		spans: await without("span", spans),
		traces: await without("trace", traces),
		sessions: await without("session", sessions),
	};
}
