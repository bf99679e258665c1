import { expect, test } from "vitest";
import type { ClickHouseNode } from "#storage/clickhouse/node.ts";
import { describeNode } from "./describe-node.ts";

/** Tells nothing else. */
function nodeBehind(delay: number): Pick<ClickHouseNode, "name" | "select"> {
	const select = async (statement: string) =>
		statement.includes("system.replicas") ? [{ delay, queue: 0, readOnly: 0 }] : [];
	return { name: "node:8123", select: select as ClickHouseNode["select"] };
}

test.each([
	[30, 10, "behind"],
	[30, 30, "ok"],
	[90, 120, "ok"],
])("a node that is %i s behind is, where %i are allowed, %s", async (delaySeconds, maxReplicaDelaySeconds, state) => {
	const described = await describeNode(nodeBehind(delaySeconds), { shard: 1, replica: 2 }, { maxReplicaDelaySeconds });
	expect(described).toMatchObject({ host: "node:8123", state, delaySeconds });
});
