import { sql } from "kysely";
import { expect, test } from "vitest";
import { startBackgroundJobs } from "#background-jobs.ts";
import { jobOfEachProcess } from "#storage/repeated-job.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { openTestApp } from "#test-app.ts";
import { StorageCapacity } from "../storage-capacity/storage-capacity.ts";

const ON_POSTGRES = process.env["TEST_STORAGE"] === "postgres";

function read(text: string, series: string): number {
	const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
	return Number(line?.slice(series.length + 1));
}

test("counts and times requests by route, never by path, and gives each answer an id", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_PROMETHEUS: "true" });
	await server.send([{ name: "stored" }]);
	const { headers } = await server.get("/v1/projects/default");
	expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
	await server.get("/v1/projects/nobody-has-this-name");
	await server.app.inject({ method: "PROPFIND" as "GET", url: "/v1/projects" });
	const { text } = await server.get("/metrics");
	const project = 'method="GET",route="/v1/projects/:project_identifier"';
	expect(read(text, `spanward_http_requests_total{${project},status="200"}`)).toBe(1);
	expect(read(text, `spanward_http_requests_total{${project},status="404"}`)).toBe(1);
	expect(read(text, `spanward_http_request_duration_seconds_count{${project}}`)).toBe(2);
	expect(read(text, `spanward_http_request_duration_seconds_bucket{${project},le="+Inf"}`)).toBe(2);
	expect(read(text, "spanward_http_requests_running")).toBe(1);
	expect(text).not.toContain("nobody-has-this-name");
	expect(text).not.toContain("PROPFIND");
});

test("shows the database, background jobs and the process", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_PROMETHEUS: "true", SERVICE_ENABLE_TEXT_INDEX: "true" });
	await server.send([{ name: "stored" }]);
	await server.context.cluster.withLease("sound", async () => undefined);
	const failing = server.context.cluster.withLease("failing", async () => {
		throw new Error("as this test wants it");
	});
	await expect(failing).rejects.toThrow("as this test wants it");
	const run = async () => {
		throw new Error("as this test wants it");
	};
	const upkeep = [{ name: "broken upkeep", everyMs: 3_600_000, run }];
	await startBackgroundJobs({ ...server.context, upkeep })[Symbol.asyncDispose]();
	const { text } = await server.get("/metrics");
	expect(read(text, 'spanward_background_work_last_success_timestamp_seconds{work="sound"}')).toBeGreaterThan(1e9);
	expect(text).not.toContain('last_success_timestamp_seconds{work="failing"}');
	expect(read(text, 'spanward_background_work_failures_total{work="failing"}')).toBe(1);
	expect(read(text, 'spanward_background_work_failures_total{work="broken upkeep"}')).toBe(1);
	expect(read(text, "spanward_ingest_last_commit_timestamp_seconds")).toBeGreaterThan(1e9);
	expect(read(text, "spanward_text_index_waiting_blocks")).toBeLessThanOrEqual(1);
	expect(read(text, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
	expect(read(text, "nodejs_eventloop_lag_max_seconds")).toBeGreaterThanOrEqual(0);
	expect(text).toMatch(/^spanward_build_info\{version="[\d.]+",api_level="[\d.]+",node="[\d.]+"\} 1$/m);
	expect(text).toContain(`spanward_database_info{kind="${ON_POSTGRES ? "postgres" : "sqlite"}"} 1`);
	if (!ON_POSTGRES) return;
	expect(read(text, 'spanward_database_statement_seconds_count{pool="metadata"}')).toBeGreaterThan(0);
	expect(read(text, 'spanward_database_connections_limit{pool="traces"}')).toBe(10);
	const used = read(text, 'spanward_database_connections{pool="metadata",state="used"}');
	expect(used + read(text, 'spanward_database_connections{pool="metadata",state="idle"}')).toBeGreaterThan(0);
});

test("counts successes and failures of the background jobs that each server runs for itself", async () => {
	const settings = {
		SERVICE_ENABLE_PROMETHEUS: "true",
		SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: "1",
		SERVICE_DATABASE_USAGE_EMAIL_WARNING_THRESHOLD_PERCENTAGE: "80",
	};
	await using server = await openTestApp(settings);
	const { context } = server;
	const works = ["unfinished datasets", "storage capacity", ...(ON_POSTGRES ? ["price changes"] : [])];
	const failures = (text: string) =>
		works.map((work) => read(text, `spanward_background_work_failures_total{work="${work}"}`));
	const successes = (text: string) =>
		works.map((work) => read(text, `spanward_background_work_last_success_timestamp_seconds{work="${work}"}`));
	await startBackgroundJobs(context)[Symbol.asyncDispose]();
	const sound = (await server.get("/metrics")).text;
	expect(failures(sound)).toEqual(works.map(() => Number.NaN));
	expect(successes(sound).every((time) => time > 1e9)).toBe(true);
	const usedBytes = async () => {
		throw new Error("as this test wants it");
	};
	const capacity = new StorageCapacity({ ...context, usedBytes });
	await context.db.write(async (transaction) => {
		for (const table of ["dataset_uploads", "model_prices"])
			await sql`alter table ${sql.table(table)} rename to ${sql.table(`no_${table}`)}`.execute(transaction);
	});
	await startBackgroundJobs({ ...context, capacity })[Symbol.asyncDispose]();
	const away = jobOfEachProcess(context, "away", 3_600_000, async () => {
		throw new StorageUnavailable("unreachable", new Error("as this test wants it"));
	});
	await away[Symbol.asyncDispose]();
	const { text } = await server.get("/metrics");
	expect(failures(text).every((count) => count >= 1)).toBe(true);
	expect(successes(text)).toEqual(successes(sound));
	expect(read(text, 'spanward_background_work_seconds_count{work="away"}')).toBe(1);
	expect(text).not.toMatch(/(failures_total|last_success_timestamp_seconds)\{work="away"/);
});

test("is in Prometheus' text format, and off by default", async () => {
	await using without = await openTestApp();
	expect((await without.get("/metrics")).status).toBe(404);
	await using server = await openTestApp({ SERVICE_ENABLE_PROMETHEUS: "true" });
	await server.send([{ name: "stored" }]);
	await server.call("POST", "/v1/traces", "no export", { "content-type": "application/x-protobuf" });
	const { headers, text } = await server.get("/metrics");
	expect(headers["content-type"]).toContain("text/plain; version=0.0.4");
	const lines = text.split("\n");
	expect(lines).toContain("# TYPE spanward_ingest_spans_accepted_total counter");
	expect(lines).toContain("spanward_ingest_spans_accepted_total 1");
	expect(lines).toContain('spanward_ingest_requests_refused_total{reason="undecodable"} 1');
	expect(lines).toContain('spanward_ingest_commit_seconds_bucket{le="+Inf"} 1');
	expect(lines).toContain("spanward_ingest_commit_seconds_count 1");
	// Every line is a comment or `name{labels} number` and ends with a line break; no family occurs twice.
	const sample = /^(#.*|[a-z_]+(p99_seconds)?(\{([a-z_]+="[^"]*",?)+\})? [\d.e+-]+)$/;
	expect(lines.slice(0, -1).filter((line) => !sample.test(line))).toEqual([]);
	expect(lines.at(-1)).toBe("");
	const types = lines.filter((line) => line.startsWith("# TYPE"));
	expect(new Set(types).size).toBe(types.length);
	expect(text.includes("spanward_clickhouse_")).toBe(process.env["TEST_STORAGE"] === "clickhouse");
});

test("requires authentication where that is enabled", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_PROMETHEUS: "true", SERVICE_ENABLE_AUTH: "true" });
	expect((await server.get("/metrics")).status).toBe(401);
	const { headers } = await server.signedIn("VIEWER", "key");
	const { status, text } = await server.get("/metrics", headers);
	expect(status).toBe(200);
	expect(text).toContain("spanward_ingest_spans_accepted_total");
});
