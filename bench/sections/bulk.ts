import { setTimeout as sleep } from "node:timers/promises";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { PROJECT, sampleRates, sendLoad, warmUp } from "../load-generator.ts";

const SPANS = 102_400;
/** How often the rate is measured during each kind of work. */
const SAMPLES = 4;
/** How long after the cancelling it is watched whether anything still changes. */
const WATCHED_MS = 4_000;

/**
 * Deleting, moving and downloading many spans while others are received, and how soon a run ends that is cancelled.
 * Each rate is compared with those right before and after it; work that takes longer is cancelled then.
 */
export async function measureBulk(): Promise<Figure[]> {
	await using server = await startServer({ authentication: false });
	await warmUp("-url", server.url);
	await sendLoad("-url", server.url, "-spans", String(SPANS), "-conc", "4");
	await post(server, "/v1/projects", { name: "archive" });
	const works: readonly (readonly [string, () => Promise<Work>])[] = [
		["deleting traces", () => startRunning(server, { action: "delete", kind: "trace" })],
		["deleting spans", () => startRunning(server, { action: "delete", kind: "span" })],
		["moving traces", () => startRunning(server, MOVE)],
		["downloading traces", () => startDownload(server)],
	];
	const rates = () => sampleRates(SAMPLES, "-url", server.url);
	const figures: Figure[] = [];
	let before = await rates();
	for (const [name, start] of works) {
		const began = performance.now();
		const work = await start();
		const during = await rates();
		const done = await work.end();
		const seconds = (performance.now() - began) / 1_000;
		const after = await rates();
		const [alone, beside] = [quantile([...before, ...after], 0.5), quantile(during, 0.5)];
		figures.push({
			name: `receiving while ${name}, of its rate without`,
			value: (beside / alone) * 100,
			unit: "%",
			target: { atLeast: 80 },
			detail: `${formatNumber(beside)} against ${formatNumber(alone)} spans/s before and after; ${done} in ${formatNumber(seconds)} s`,
		});
		before = after;
	}
	figures.push(await measureCancelling(server));
	return figures;
}

const MOVE = { action: "move", kind: "trace", destination_project_identifier: "archive" };

interface Work {
	/** Ends it if it goes on still. @returns what it has done */
	end(): Promise<string>;
}

async function startRunning(server: TestServer, body: object): Promise<Work> {
	const id = await startRun(server, body);
	while ((await readRun(server, id)).done_items === 0) await sleep(20);
	return {
		async end() {
			const { kind, state, done_items: done, total_items: total, error } = await readRun(server, id);
			if (state === "failed") throw new Error(`the run failed: ${error}`);
			await server.fetch(`/v1/bulk_runs/${id}`, { method: "DELETE" });
			return `${formatNumber(done)} of ${formatNumber(total ?? 0)} ${kind}s`;
		},
	};
}

async function startDownload(server: TestServer): Promise<Work> {
	const ended = new AbortController();
	const path = `/v1/projects/${PROJECT}/selection/download?kind=trace&format=otlp`;
	const { body } = await fetch(`${server.url}${path}`, { signal: ended.signal });
	if (body === null) throw new Error("the download was not answered");
	let bytes = 0;
	const reading = (async () => {
		try {
			for await (const chunk of body) bytes += chunk.length;
		} catch (error) {
			if (!ended.signal.aborted) throw error;
		}
	})();
	return {
		async end() {
			ended.abort();
			await reading;
			return `${formatNumber(bytes / 2 ** 20)} MB of OTLP/JSON`;
		},
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
