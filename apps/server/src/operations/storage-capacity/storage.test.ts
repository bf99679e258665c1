import { afterAll, expect, test } from "vitest";
import type { Ingest } from "#ingest/ingest.ts";
import type { StorageNode } from "#storage/trace-place.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { openTestApp } from "#test-app.ts";
import { StorageCapacity } from "./storage-capacity.ts";
import { listNodes, readTracesHealth, type TracesAsked } from "./traces-health.ts";

const KIND = process.env["TEST_STORAGE"] ?? "sqlite";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());

test("says where traces are and how that fares, without names of machines", async () => {
	const { status, json, text } = await server.get("/v1/storage");
	expect(status).toBe(200);
	expect(json.data.traces).toEqual({
		...{ kind: KIND, state: "ok", delay_seconds: 0 },
		pending_delete_bytes: expect.any(Number),
		insert_interval_ms: KIND === "clickhouse" ? 200 : null,
		older_rows: 0,
	});
	expect(json.data.used_bytes).toBeGreaterThan(0);
	const { json: nodes } = await server.get("/v1/storage/nodes");
	for (const { host } of nodes.data) expect(text).not.toContain(host);
});

test("lists the one node", async () => {
	const { status, json } = await server.get("/v1/storage/nodes");
	expect(status).toBe(200);
	expect(json).toEqual({
		data: [
			{
				...{ shard: 1, replica: 1, state: "ok", delay_seconds: 0, queue_size: 0, last_error: null },
				host: expect.stringMatching(KIND === "sqlite" ? /^localhost$/ : /^[^@/]+:\d+$/),
				version: expect.stringMatching(/^\d+\.\d+/),
				active_parts_max: KIND === "clickhouse" ? expect.any(Number) : null,
				merges: KIND === "clickhouse" ? expect.any(Number) : null,
				free_bytes: KIND === "postgres" ? null : expect.any(Number),
				total_bytes: KIND === "postgres" ? null : expect.any(Number),
			},
		],
		next_cursor: null,
	});
});

test("pages through nodes, and refuses cursors of other lists", async () => {
	const second = Buffer.from("StorageNode:2").toString("base64");
	expect((await server.get(`/v1/storage/nodes?cursor=${second}`)).json).toEqual({ data: [], next_cursor: null });
	const ofUsers = Buffer.from("User:2").toString("base64");
	expect((await server.get(`/v1/storage/nodes?cursor=${ofUsers}`)).status).toBe(422);
	expect((await server.get("/v1/storage/nodes?limit=0")).status).toBe(422);
});

test("keeps what was measured last while the storage does not answer", async () => {
	const sizes = [1_000, unreachable(), new Error("of ours")];
	const usedBytes = async () => {
		const size = sizes.shift() ?? 2_000;
		if (typeof size === "number") return size;
		throw size;
	};
	const capacity = new StorageCapacity({ ...server.context, usedBytes });
	const first = await capacity.latest();
	expect(first.usedBytes).toBe(1_000);
	expect(await capacity.latest()).toEqual(first);
	await expect(capacity.latest()).rejects.toThrow("of ours");
	expect((await capacity.latest()).usedBytes).toBe(2_000);
	const never = new StorageCapacity({ ...server.context, usedBytes: () => Promise.reject(unreachable()) });
	await expect(never.latest()).rejects.toThrow(StorageUnavailable);
});

function unreachable(): StorageUnavailable {
	return new StorageUnavailable("traces_unreachable", undefined);
}

const NODE: StorageNode = {
	...{ shard: 1, replica: 1, host: "a:8123", version: "26.9.2.1", state: "ok", delaySeconds: 0, queueSize: 0 },
	...{ activePartsMax: 1, partsLimitRatio: 0.1, merges: 0, mutationsPending: 0 },
	...{ freeBytes: 1, totalBytes: 2, lastError: null },
};

test("the interval of inserts is the one that is kept now, or the one that is set before anything was sent", async () => {
	const place = placeWith({});
	expect((await readTracesHealth({ ingest: ingestThat({}), place })).insertIntervalMs).toBe(200);
	const slow = ingestThat({ insertIntervalMs: () => 1_600 });
	expect((await readTracesHealth({ ingest: slow, place })).insertIntervalMs).toBe(1_600);
});

function ingestThat(parts: Partial<Pick<Ingest, "storageRefusal" | "insertIntervalMs">>): TracesAsked["ingest"] {
	return { storageRefusal: undefined, insertIntervalMs: () => undefined, ...parts };
}

function placeWith({ isReachable = true, isComplete = true, delaySeconds = 0, nodes = [NODE] }) {
	const state = { isReachable, isComplete, delaySeconds, pendingDeleteBytes: 0, insertIntervalMs: 200 };
	return { kind: "clickhouse", describe: async () => state, listNodes: async () => nodes } as const;
}

test.each([
	["ok", {}, undefined],
	["full", {}, "full"],
	["read_only", {}, "read_only"],
	["ok", {}, "traces_busy"],
	["behind", { delaySeconds: 3 }, undefined],
	["unreachable", { isReachable: false, delaySeconds: 3 }, "full"],
	["incomplete", { isComplete: false }, undefined],
] as const)("the state is %s with %o after a refusal for %s", async (state, place, storageRefusal) => {
	const ingest = ingestThat({ storageRefusal });
	expect((await readTracesHealth({ ingest, place: placeWith(place) })).state).toBe(state);
});

test("the only node is the one that refuses exports; of several each speaks for itself", async () => {
	const ingest = ingestThat({ storageRefusal: "full" });
	const statesOf = async (nodes: StorageNode[]) =>
		(await listNodes({ ingest, place: placeWith({ nodes }) })).map(({ state }) => state);
	expect(await statesOf([NODE])).toEqual(["full"]);
	expect(await statesOf([{ ...NODE, state: "unreachable" }])).toEqual(["unreachable"]);
	expect(await statesOf([NODE, { ...NODE, replica: 2, state: "full" }])).toEqual(["ok", "full"]);
});
