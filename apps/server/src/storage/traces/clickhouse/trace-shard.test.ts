import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { types } from "#storage/clickhouse/row-binary.ts";
import { TraceShards } from "./shards/trace-shards.ts";
import { openTraceShards } from "./trace-shard.ts";

interface Node extends AsyncDisposable {
	readonly url: string;
	/** Settings of the inserts that came. */
	readonly inserts: URLSearchParams[];
}

/** A replica that tells nothing but its name and how many seconds it is behind. */
async function startNode(name: string, delay: number): Promise<Node> {
	const inserts: URLSearchParams[] = [];
	const state = Buffer.alloc(9);
	state.writeBigUInt64LE(BigInt(delay));
	const called = Buffer.from([name.length, ...Buffer.from(name)]);
	const server = createServer(async (request, response) => {
		const { searchParams } = new URL(request.url ?? "/", "http://node");
		const statement = `${searchParams.get("query") ?? ""}${await text(request)}`;
		const isInsert = statement.startsWith("insert");
		if (isInsert) inserts.push(searchParams);
		const summary = JSON.stringify({ result_rows: "1", written_rows: "1" });
		response
			.writeHead(200, {
				"x-clickhouse-query-id": "1",
				"x-clickhouse-format": "RowBinary",
				"x-clickhouse-summary": summary,
			})
			.end(isInsert ? "" : statement.includes("system.replicas") ? state : called);
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		inserts,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
		},
	};
}

function openOn(nodes: readonly Node[], more: Partial<ClickHouseSettings>): TraceShards {
	const settings: ClickHouseSettings = {
		...{ shards: [nodes.map(({ url }) => url)], user: "default", password: "", database: "traces", connections: 4 },
		...{ statementTimeoutMs: 300_000, queryMemoryBytes: 1_048_576, insertIntervalMs: 20, insertRows: 512 },
		...{ durability: "full", topology: { kind: "cluster", replicas: nodes.length }, maxReplicaDelaySeconds: 60 },
		...more,
	};
	return new TraceShards(openTraceShards(settings));
}

/** Names of those that people read, in turn. */
async function read({ reader }: TraceShards): Promise<string[]> {
	const names = new Set<string>();
	for (let turn = 0; turn < 6; turn += 1)
		for (const { name } of await reader.select("select hostName() as name", { name: types.Text })) names.add(name);
	return [...names].sort();
}

test("replicas that are too far behind are not read, and what is read says how far it is behind", async () => {
	await using far = await startNode("far", 61);
	await using near = await startNode("near", 12);
	await using fresh = await startNode("fresh", 0);
	await using preferred = openOn([far, near, fresh], {});
	await expect.poll(() => read(preferred)).toEqual(["near"]);
	expect(preferred.readDelaySeconds).toBe(12);
	const [written] = await preferred.select("select hostName() as name", { name: types.Text });
	expect(written?.name).toBe("near");
	await using any = openOn([far, near, fresh], { reads: "any" });
	await expect.poll(() => read(any)).toEqual(["fresh", "near"]);
	expect(any.readDelaySeconds).toBe(12);
	await using none = openOn([far], {});
	await expect
		.poll(() => read(none).catch((error: unknown) => error))
		.toMatchObject({ name: "StorageUnavailable", reason: "traces_behind" });
});

test("inserts are sent with the quorum, whatever profile the user has", async () => {
	await using first = await startNode("first", 0);
	await using second = await startNode("second", 0);
	await using shard = openOn([first, second], { asyncInsert: true });
	await shard.list[0]?.insert("spans", { id: types.UInt64 }, Buffer.alloc(8), { token: "a token" });
	expect(Object.fromEntries(first.inserts[0] ?? [])).toMatchObject({
		...{ insert_quorum: "2", insert_quorum_parallel: "1", insert_keeper_max_retries: "3" },
		...{ async_insert: "1", wait_for_async_insert: "1", async_insert_deduplicate: "1" },
		insert_deduplication_token: "a token",
	});
	await using alone = openOn([second], { topology: { kind: "single", replicas: 1 } });
	await alone.list[0]?.insert("spans", { id: types.UInt64 }, Buffer.alloc(8), { token: "a token" });
	const sent = Object.fromEntries(second.inserts[0] ?? []);
	expect(sent).toMatchObject({ async_insert: "0", wait_for_async_insert: "1" });
	expect(Object.keys(sent).filter((name) => name.includes("quorum") || name.includes("keeper"))).toEqual([]);
});
