import { expect, test } from "vitest";
import type { StatementFigures } from "#storage/clickhouse/statement-channel.ts";
import { SINGLE_NODE, type StorageNode } from "#storage/trace-place.ts";
import { openTestApp } from "#test-app.ts";
import { ClickHouseMetrics } from "./clickhouse-metrics.ts";
import { toText } from "./exposition.ts";

const WITH_CLICKHOUSE = process.env["TEST_STORAGE"] === "clickhouse";

function read(text: string, series: string): number {
	const line = text.split("\n").find((candidate) => candidate.startsWith(`spanward_clickhouse_${series} `));
	return Number(line?.split(" ").at(-1));
}

const INSERT: StatementFigures = {
	...{ node: "a:8123", kind: "insert", durationMs: 30, rowsRead: 0, rowsWritten: 7, isRepeat: false },
};

const AWAY: StorageNode = {
	...{ ...SINGLE_NODE, host: "a:8123", version: null, state: "unreachable", delaySeconds: null },
};

function measure(nodes: readonly StorageNode[]): ClickHouseMetrics {
	const ingest = { health: () => ({ duplicateSpans: 3 }) as never, insertIntervalMs: () => 1_600 };
	return new ClickHouseMetrics(
		{ SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS: 200 },
		{ listNodes: async () => nodes },
		ingest,
	);
}

test("counts inserts that are sent again, failures by code, and no statements that nobody waited for", async () => {
	using metrics = measure([AWAY]);
	metrics.count({ ...INSERT, errorCode: "319", rowsWritten: 0 });
	metrics.count({ ...INSERT, isRepeat: true });
	const query = { ...INSERT, kind: "select", rowsRead: 20_000 } as const;
	metrics.count(query);
	metrics.count({ ...query, errorCode: "unreachable" });
	metrics.count({ ...query, errorCode: "abandoned" });
	metrics.count({ ...INSERT, kind: "change", errorCode: "497" });
	const text = toText(await metrics.families());
	expect(read(text, 'inserts_total{node="1.1"}')).toBe(2);
	expect(read(text, 'insert_retries_total{node="1.1"}')).toBe(1);
	expect(read(text, 'insert_seconds_bucket{node="1.1",le="0.05"}')).toBe(2);
	expect(read(text, 'insert_rows_bucket{node="1.1",le="1"}')).toBe(0);
	expect(read(text, 'insert_rows_bucket{node="1.1",le="10"}')).toBe(1);
	expect(read(text, 'insert_rows_sum{node="1.1"}')).toBe(7);
	expect(read(text, 'query_seconds_count{node="1.1"}')).toBe(2);
	expect(read(text, 'query_rows_read_bucket{node="1.1",le="100000"}')).toBe(1);
	expect(text.split("\n").filter((line) => line.includes("errors_total{"))).toEqual([
		'spanward_clickhouse_errors_total{node="1.1",kind="insert",code="319"} 1',
		'spanward_clickhouse_errors_total{node="1.1",kind="select",code="unreachable"} 1',
		'spanward_clickhouse_errors_total{node="1.1",kind="change",code="497"} 1',
	]);
	expect(read(text, "duplicates_total")).toBe(3);
	expect(read(text, "insert_interval_seconds")).toBe(1.6);
});

test("a node that is away has no numbers, and the others have theirs", async () => {
	const there: StorageNode = {
		...{ ...SINGLE_NODE, host: "b:8123", version: "26.9", replica: 2, delaySeconds: 12 },
		...{ activePartsMax: 300, partsLimitRatio: 0.1, merges: 0, mutationsPending: 2 },
	};
	using metrics = measure([AWAY, there]);
	const text = toText(await metrics.families());
	expect(text.split("\n").filter((line) => line.includes('{node="1.1"'))).toEqual([
		'spanward_clickhouse_up{node="1.1"} 0',
	]);
	expect(text.split("\n").filter((line) => line.includes('{node="1.2"'))).toEqual([
		'spanward_clickhouse_up{node="1.2"} 1',
		'spanward_clickhouse_active_parts{node="1.2"} 300',
		'spanward_clickhouse_parts_limit_ratio{node="1.2"} 0.1',
		'spanward_clickhouse_merges{node="1.2"} 0',
		'spanward_clickhouse_mutations_pending{node="1.2"} 2',
		'spanward_clickhouse_replica_delay_seconds{node="1.2"} 12',
	]);
});

test.runIf(WITH_CLICKHOUSE)("counts what its ingest threads and requests ask, and not what a scrape asks", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_PROMETHEUS: "true" });
	for (let count = 0; count < 2; count += 1) await server.send([{ name: "a planted name" }]);
	const filter = encodeURIComponent('name == "a planted value"');
	expect((await server.get(`/v1/projects/default/spans?filter=${filter}`)).status).toBe(200);
	const [node] = await server.context.place.listNodes();
	const labels = '{node="1.1"}';
	const { text } = await server.get("/metrics");
	expect(text).not.toContain(node?.host);
	expect(read(text, `up${labels}`)).toBe(1);
	expect(read(text, `inserts_total${labels}`)).toBeGreaterThan(3);
	expect(read(text, `insert_seconds_count${labels}`)).toBe(read(text, `inserts_total${labels}`));
	expect(read(text, `insert_rows_sum${labels}`)).toBeGreaterThan(3);
	expect(read(text, "duplicates_total")).toBe(1);
	expect(read(text, `query_rows_read_sum${labels}`)).toBeGreaterThan(0);
	expect(read(text, `active_parts${labels}`)).toBeGreaterThan(0);
	expect(read(text, `parts_limit_ratio${labels}`)).toBeGreaterThan(0);
	expect(read(text, `parts_limit_ratio${labels}`)).toBeLessThan(0.1);
	expect(read(text, `mutations_pending${labels}`)).toBe(0);
	expect(read(text, `merges${labels}`)).toBeGreaterThanOrEqual(0);
	expect(read(text, `total_bytes${labels}`)).toBeGreaterThan(read(text, `free_bytes${labels}`));
	expect(read(text, "insert_interval_seconds")).toBe(0.2);
	expect(text).not.toMatch(/clickhouse_(errors|insert_retries)_total\{|planted/);
	const again = (await server.get("/metrics")).text;
	expect(read(again, `query_seconds_count${labels}`)).toBe(read(text, `query_seconds_count${labels}`));
});
