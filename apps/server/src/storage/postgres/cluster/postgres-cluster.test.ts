import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import type { ClusterMessage } from "#storage/cluster.ts";
import { Availability } from "../availability.ts";
import { openPool } from "../connection.ts";
import { guardPool } from "../guard-pool.ts";
import { openPostgres } from "../open-postgres.ts";
import { createTestSchema, type TestSchema, testWithPostgres } from "../test-postgres.ts";
import { channelOf, PostgresCluster } from "./postgres-cluster.ts";

const LEASE_MS = 1_000;

interface Process extends AsyncDisposable {
	readonly cluster: PostgresCluster;
	readonly availability: Availability;
	readonly pool: pg.Pool;
	readonly heard: ClusterMessage[];
}

function openProcess({ schema, settings: given }: TestSchema): Process {
	const settings = { ...given, primary: { ...given.primary, applicationName: schema } };
	const opened = new AsyncDisposableStack();
	const availability = new Availability();
	const pool = guardPool(
		openPool(settings, settings.primary, { name: "test", size: 2 }, () => undefined),
		availability,
	);
	opened.defer(() => pool.end());
	const cluster = opened.use(
		new PostgresCluster({ settings, pool, availability, tell: () => undefined, leaseMs: LEASE_MS }),
	);
	const heard: ClusterMessage[] = [];
	cluster.onMessage((message) => heard.push(message));
	return { cluster, availability, pool, heard, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openSchema(): Promise<TestSchema> {
	const schema = await createTestSchema();
	await (await openPostgres({ SERVICE_PROJECT_NAME: "default" }, schema.settings))[Symbol.asyncDispose]();
	return schema;
}

/** As an operator or a firewall would. */
async function endConnections({ url, schema }: TestSchema, name: string): Promise<void> {
	const client = new pg.Client(url);
	await client.connect();
	await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
		`${schema} ${name}`,
	]);
	await client.end();
}

testWithPostgres("others hear what a process tells, it does not, and nobody of another schema", async () => {
	await using schema = await openSchema();
	await using elsewhere = await openSchema();
	await using one = openProcess(schema);
	await using two = openProcess(schema);
	await using stranger = openProcess(elsewhere);
	// Sent repeatedly, as the others take a moment to listen.
	await expect
		.poll(() => {
			one.cluster.tell({ topic: "wake", work: "retention" });
			return two.heard;
		})
		.toContainEqual({ topic: "wake", work: "retention" });

	const traceRowIds = Array.from({ length: 1_500 }, (_, index) => 9_007_199_254_739_000 + index);
	for (const id of traceRowIds) {
		one.cluster.tell({ topic: "traces", changes: [{ projectId: 9_000_000_000, traceRowIds: [id] }] });
	}
	one.cluster.tell({ topic: "traces", changes: [{ projectId: 2, traceRowIds: [1] }] });
	const changes = () => two.heard.flatMap((message) => (message.topic === "traces" ? message.changes : []));
	const idsOf = (projectId: number) =>
		changes().flatMap((change) => (change.projectId === projectId ? change.traceRowIds : []));
	await expect.poll(() => idsOf(9_000_000_000).length).toBe(traceRowIds.length);
	expect(idsOf(9_000_000_000)).toEqual(traceRowIds);
	expect(idsOf(2)).toEqual([1]);
	expect([...one.heard, ...stranger.heard]).toEqual([]);
});

testWithPostgres("what anybody else who may connect to the database says on the channel ends no process", async () => {
	await using schema = await openSchema();
	await using one = openProcess(schema);
	await using two = openProcess(schema);
	const channel = channelOf(schema.schema);
	await expect
		.poll(() => {
			one.cluster.tell({ topic: "prices" });
			return two.heard.length;
		})
		.toBeGreaterThan(0);
	const said = ["", "{", "null", "[]", "7", '{"from":"x"}', '{"from":"x","message":null}'];
	for (const message of [
		{ topic: "missed" },
		{ topic: "wake", work: "everything" },
		{ topic: "traces" },
		{ topic: "traces", changes: [null] },
		{ topic: "traces", changes: [{ projectId: 1, traceRowIds: "1" }] },
		{ topic: "traces", changes: [{ projectId: 1, traceRowIds: [1.5, "x"] }] },
	])
		said.push(JSON.stringify({ from: "x", message }));
	for (const payload of said) await one.pool.query("select pg_notify($1, $2)", [channel, payload]);
	two.heard.splice(0);
	const last = { topic: "wake", work: "cost_recomputation" } as const;
	await one.pool.query("select pg_notify($1, $2)", [channel, JSON.stringify({ from: "x", message: last })]);
	await expect.poll(() => two.heard).toContainEqual(last);
	expect(two.heard.filter(({ topic }) => topic !== "prices")).toEqual([last]);
	expect(two.availability.isReachable).toBe(true);
});

testWithPostgres("what only one process may do is done by one, and by another when that one is gone", async () => {
	await using schema = await openSchema();
	await using one = openProcess(schema);
	const two = openProcess(schema);
	let running = 0;
	let most = 0;
	const work = async () => {
		running += 1;
		most = Math.max(most, running);
		await sleep(LEASE_MS * 1.5); // the lease is renewed meanwhile
		running -= 1;
	};
	const asked = await Promise.all([one, two, one].map(({ cluster }) => cluster.withLease("work", work)));
	expect(asked.toSorted()).toEqual([false, false, true]);
	expect(most).toBe(1);

	// A process that is cut off stops in time, and never renews its lease again.
	const events: string[] = [];
	const held = Promise.withResolvers<void>();
	const cutOff = two.cluster.withLease("work", async (lost) => {
		held.resolve();
		await new Promise((resolve) => lost.addEventListener("abort", resolve));
		events.push("lost");
	});
	await held.promise;
	two.availability.set(false);
	Object.assign(two.pool, { query: () => Promise.reject(new Error("cut off")) });
	await expect.poll(() => one.cluster.withLease("work", async () => void events.push("taken over"))).toBe(true);
	await cutOff;
	expect(events).toEqual(["lost", "taken over"]);
	await two[Symbol.asyncDispose]();
});

testWithPostgres(
	"a connection that ends is replaced, and who listens is told that something may be missed",
	async () => {
		await using schema = await openSchema();
		await using one = openProcess(schema);
		await using two = openProcess(schema);
		const hears = async () =>
			await expect
				.poll(() => {
					one.cluster.tell({ topic: "prices" });
					return two.heard.splice(0);
				})
				.toContainEqual({ topic: "prices" });
		await hears();
		expect(two.heard).not.toContainEqual({ topic: "missed" });
		await endConnections(schema, "cluster 2");
		await expect.poll(() => two.heard).toContainEqual({ topic: "missed" });
		expect(two.availability.isReachable).toBe(true);
		await hears();
	},
);

testWithPostgres("R23 a process sees those of versions that know nothing of restricted projects", async () => {
	await using schema = await openSchema();
	await using one = openProcess(schema);
	await using _two = openProcess(schema);
	expect(await one.cluster.findOlderServers()).toEqual([]);
	const older = new pg.Client({ connectionString: schema.url, application_name: `${schema.schema} cluster` });
	await older.connect();
	await expect.poll(() => one.cluster.findOlderServers()).toEqual([expect.stringContaining("since ")]);
	await older.end();
	await expect.poll(() => one.cluster.findOlderServers()).toEqual([]);
});
