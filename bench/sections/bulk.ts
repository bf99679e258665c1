import { setTimeout as sleep } from "node:timers/promises";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { PROJECT, sendLoad, warmUp } from "../load-generator.ts";

const SPANS = 102_400;
/** Spans that are sent at a time while a rate is measured. */
const SENT = 25_600;
/** How long after the cancelling it is watched whether anything still changes. */
const WATCHED_MS = 4_000;

/** Deleting, moving and downloading many spans while others are received, and how soon a run ends that is cancelled. */
export async function measureBulk(): Promise<Figure[]> {
	const figures: Figure[] = [];
	const bodies = [
		["deleting traces", { action: "delete", kind: "trace" }],
		["deleting spans", { action: "delete", kind: "span" }],
		["moving traces", { action: "move", kind: "trace", destination_project_identifier: "archive" }],
	] as const;
	for (const [name, body] of bodies) {
		await using server = await startFilled();
		figures.push(await compareRates(server, name, () => runToEnd(server, body)));
	}
	await using server = await startFilled();
	figures.push(
		await compareRates(server, "downloading", () => {
			const download = fetch(`${server.url}/v1/projects/${PROJECT}/selection/download?kind=trace&format=otlp`);
			return readToEnd(download);
		}),
	);
	figures.push(await measureCancelling(server));
	return figures;
}

async function startFilled(): Promise<TestServer> {
	const server = await startServer({ authentication: false });
	await warmUp("-url", server.url);
	await sendLoad("-url", server.url, "-spans", String(SPANS), "-conc", "4");
	await post(server, "/v1/projects", { name: "archive" });
	return server;
}

/** Starts a run and waits until it is done. @returns how much it did */
async function runToEnd(server: TestServer, body: object): Promise<string> {
	const id = await startRun(server, body);
	for (;;) {
		const run = await readRun(server, id);
		if (run.state === "done") return `${formatNumber(run.done_items)} ${run.kind}s`;
		if (run.state !== "waiting" && run.state !== "running") throw new Error(`the run ended: ${run.error}`);
		await sleep(100);
	}
}

/** The rate of receiving while `work` goes on, compared with the rates before and after. */
async function compareRates(server: TestServer, name: string, work: () => Promise<string>): Promise<Figure> {
	const rate = async () =>
		(await sendLoad("-url", server.url, "-spans", String(SENT), "-conc", "4")).acked_spans_per_s;
	const without = [await rate(), await rate()];
	const during: number[] = [];
	const start = performance.now();
	let what: string | undefined;
	let failed: unknown;
	const working = work().then(
		(done) => {
			what = done;
		},
		(error: unknown) => {
			failed = error;
		},
	);
	while (what === undefined && failed === undefined) during.push(await rate());
	await working;
	if (failed !== undefined) throw failed;
	const seconds = (performance.now() - start) / 1_000;
	without.push(await rate(), await rate());
	const [alone, beside] = [quantile(without, 0.5), quantile(during, 0.5)];
	return {
		name: `receiving while ${name}, of its rate without`,
		value: (beside / alone) * 100,
		unit: "%",
		target: { atLeast: 80 },
		detail: `${what} in ${formatNumber(seconds)} s; ${formatNumber(beside)} spans/s against ${formatNumber(alone)} before and after`,
	};
}

async function measureCancelling(server: TestServer): Promise<Figure> {
	const id = await startRun(server, { action: "delete", kind: "trace" });
	while ((await readRun(server, id)).done_items === 0) await sleep(20);
	const start = performance.now();
	const response = await server.fetch(`/v1/bulk_runs/${id}`, { method: "DELETE" });
	if (!response.ok) throw new Error(`cancelling was answered with ${response.status}`);
	let lastChange = performance.now();
	let count = -1;
	while (performance.now() - start < WATCHED_MS) {
		const { data } = await json(await server.fetch(`/v1/projects/${PROJECT}/selection?kind=trace`));
		if (count !== -1 && data.item_count !== count) lastChange = performance.now();
		count = data.item_count;
	}
	return {
		name: "time until a cancelled run changes nothing more",
		value: lastChange - start,
		unit: "ms",
		target: { atMost: 2_000 },
		detail: `deleting ${formatNumber(SPANS)} spans and more; looked at for ${formatNumber(WATCHED_MS)} ms`,
	};
}

async function readToEnd(answer: Promise<Response>): Promise<string> {
	const { body } = await answer;
	if (body === null) throw new Error("the download was not answered");
	let bytes = 0;
	for await (const chunk of body) bytes += chunk.length;
	return `${formatNumber(bytes / 2 ** 20)} MB of OTLP/JSON`;
}

async function startRun(server: TestServer, body: object): Promise<string> {
	return (await post(server, `/v1/projects/${PROJECT}/bulk_runs`, { ...body, selection: { filter: {} } })).data.id;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API
async function readRun(server: TestServer, id: string): Promise<any> {
	return (await json(await server.fetch(`/v1/bulk_runs/${id}`))).data;
}

// biome-ignore lint/suspicious/noExplicitAny: as above
async function post(server: TestServer, path: string, body: object): Promise<any> {
	const headers = { "content-type": "application/json" };
	return await json(await server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

// biome-ignore lint/suspicious/noExplicitAny: as above
async function json(response: Response): Promise<any> {
	if (!response.ok) throw new Error(`answered with ${response.status}: ${await response.text()}`);
	return await response.json();
}
