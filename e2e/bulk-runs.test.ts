import { join } from "node:path";
import { expect, test } from "vitest";
import { checkIntegrity } from "../apps/server/src/storage/traces/sqlite/check-integrity.ts";
import { startTwoServers, testOnPostgres } from "./cluster/servers.ts";
import { startServer, type TestServer } from "./server.ts";

const TRACES = 3_000;

test("bulk runs that a crash interrupts go on, and deal with each item once", async () => {
	await using server = await startServer({ authentication: false });
	await sendTraces(server);
	const [deleted, moved, annotated] = await startRuns(server);
	await until(server, async () => (await runOf(server, deleted)).done_items > 0);
	await server.kill();
	await server.start();
	await expectDone(server, [deleted, moved, annotated]);
	await server.stop();
	expect(checkIntegrity(join(server.workingDir, "spanward.db"))).toEqual([]);
});

testOnPostgres(
	"of two servers one carries out a bulk run, and the other one goes on when that one crashes",
	async () => {
		await using servers = await startTwoServers();
		const { one, two } = servers;
		await sendTraces(one);
		const runs = await startRuns(one);
		await until(one, async () => (await runOf(one, runs[0])).done_items > 0);
		const holder = () => servers.sql("select count(*) from leases where name = 'bulk runs'");
		await expect.poll(holder).toBe("1");
		// Either of them may have it; the rest is up to the one that is left.
		await one.kill();
		await expectDone(two, runs);
	},
);

/** Deletes the first third of the traces, moves the second one, and annotates the spans of the last one. */
async function startRuns(server: TestServer): Promise<[string, string, string]> {
	await post(server, "/v1/projects", { name: "archive" });
	const run = async (body: object, tag: string) => {
		const selection = { filter: { user_id: [tag] } };
		return (await post(server, "/v1/projects/default/bulk_runs", { ...body, selection })).data.id;
	};
	return [
		await run({ action: "delete", kind: "trace" }, "user 0"),
		await run({ action: "move", kind: "trace", destination_project_identifier: "archive" }, "user 1"),
		await run({ action: "annotate", kind: "span", annotation: ANNOTATION }, "user 2"),
	];
}

const ANNOTATION = { name: "seen", annotator_kind: "CODE", result: { score: 1 } };

async function expectDone(server: TestServer, runs: readonly string[]): Promise<void> {
	const third = TRACES / 3;
	for (const id of runs) {
		await until(server, async () => !["waiting", "running"].includes((await runOf(server, id)).state));
		expect(await runOf(server, id)).toMatchObject({
			...{ state: "done", total_items: third, done_items: third, failed_items: 0, error: null },
		});
	}
	const countIn = async (project: string) => (await json(server, `/v1/projects/${project}/selection?kind=trace`)).data;
	expect(await countIn("default")).toMatchObject({ item_count: third, span_count: third, annotation_count: third });
	expect(await countIn("archive")).toMatchObject({ item_count: third, span_count: third, annotation_count: 0 });
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function runOf(server: TestServer, id: string): Promise<any> {
	return (await json(server, `/v1/bulk_runs/${id}`)).data;
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function json(server: TestServer, path: string): Promise<any> {
	return await server.getJson(path);
}

/** One span each, of three users in turn. */
async function sendTraces(server: TestServer): Promise<void> {
	for (let sent = 0; sent < TRACES; sent += 1_000) {
		const spans = Array.from({ length: 1_000 }, (_, index) => ({
			traceId: (sent + index + 1).toString(16).padStart(32, "0"),
			spanId: (sent + index + 1).toString(16).padStart(16, "0"),
			name: "answer",
			startTimeUnixNano: `${1_600_000_000 + sent + index}000000000`,
			endTimeUnixNano: `${1_600_000_000 + sent + index}500000000`,
			attributes: [{ key: "user.id", value: { stringValue: `user ${(sent + index) % 3}` } }],
		}));
		await post(server, "/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans }] }] });
	}
}

async function until(server: TestServer, isSo: () => Promise<boolean>): Promise<void> {
	await expect.poll(isSo, { timeout: 400_000, message: server.output }).toBe(true);
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function post(server: TestServer, path: string, body: object): Promise<any> {
	const response = await server.fetch(path, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
	return JSON.parse(text);
}
