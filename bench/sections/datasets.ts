import { openAsBlob } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../../e2e/server.ts";
import { type Figure, quantile } from "../figure.ts";
import { sampleLatency } from "../latency.ts";
import { watchMemory } from "../process-memory.ts";

const JSON_ROWS = 100_000;
const CSV_BYTES = 200_000_000;
const CSV_CELL = 'the quick brown fox jumps over the lazy dog, and says ""why""\n'.repeat(8);
const env = { SERVICE_ENABLE_TEXT_INDEX: "false" };

/** Uploads of datasets: how fast, in how much memory, and what others notice of them; and the way back. */
export async function measureDatasets(): Promise<Figure[]> {
	return [...(await measureJson()), ...(await measureCsv())];
}

async function measureJson(): Promise<Figure[]> {
	await using server = await startServer({ env, authentication: false });
	const inputs = Array.from({ length: JSON_ROWS }, (_, row) => ({ question: `What is ${row} and ${row + 1}?`, row }));
	const outputs = inputs.map(({ row }) => ({ answer: `It is ${2 * row + 1}.` }));
	const body = JSON.stringify({ name: "json", action: "update", inputs, outputs });
	const first = await timeOf(() => upload(server.url, body, { "content-type": "application/json" }));
	const again = await timeOf(() => upload(server.url, body, { "content-type": "application/json" }));
	const detail = `${JSON_ROWS.toLocaleString("en-US")} examples, ${Math.round(body.length / 1e6)} MB of JSON in one request`;
	return [
		{
			name: "upload of examples as JSON",
			value: JSON_ROWS / first,
			unit: "rows/s",
			target: { atLeast: 10_000 },
			detail,
		},
		{
			name: "upload of the same examples again",
			value: JSON_ROWS / again,
			unit: "rows/s",
			target: { atLeast: 10_000 },
			detail: `${detail}; nothing changes`,
		},
	];
}

async function measureCsv(): Promise<Figure[]> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-bench-"));
	try {
		const path = join(folder, "examples.csv");
		const rows = await writeCsv(path);
		await using server = await startServer({ env, authentication: false });
		const health = sampleLatency(`${server.url}/healthz`, 5);
		const memory = watchMemory(server.pid);
		const form = new FormData();
		form.append("name", "csv");
		form.append("input_keys[]", "question");
		form.append("output_keys[]", "answer");
		form.append("file", new File([await openAsBlob(path)], "examples.csv", { type: "text/csv" }));
		const seconds = await timeOf(() => upload(server.url, form, {}));
		const peak = await memory.stop();
		const times = await health.stop();
		const reading = watchMemory(server.pid);
		const read = await timeOf(() => download(server.url));
		const readingPeak = await reading.stop();
		const size = `${Math.round(CSV_BYTES / 1e6)} MB of CSV, ${rows.toLocaleString("en-US")} rows`;
		return [
			{
				name: "upload of a large CSV file",
				value: rows / seconds,
				unit: "rows/s",
				target: { atLeast: 10_000 },
				detail: size,
			},
			{
				name: "memory while it is uploaded",
				value: peak,
				unit: "MB",
				target: { atMost: 300 },
				detail: "largest resident memory of the whole server",
			},
			{
				name: "p99 of /healthz meanwhile",
				value: quantile(times, 0.99),
				unit: "ms",
				target: { atMost: 100 },
				detail: `${times.length} requests; p50 ${Math.round(quantile(times, 0.5))} ms`,
			},
			{
				name: "memory while it is downloaded as JSONL",
				value: readingPeak,
				unit: "MB",
				target: { atMost: 300 },
				detail: `${Math.round(rows / read).toLocaleString("en-US")} rows/s`,
			},
		];
	} finally {
		await rm(folder, { recursive: true });
	}
}

async function writeCsv(path: string): Promise<number> {
	await using file = await open(path, "w");
	await file.write("question,answer\r\n");
	let rows = 0;
	for (let bytes = 0; bytes < CSV_BYTES; ) {
		const chunk = Array.from({ length: 1_000 }, () => `"${++rows}: ${CSV_CELL}",${rows}\r\n`).join("");
		bytes += chunk.length;
		await file.write(chunk);
	}
	return rows;
}

async function upload(url: string, body: string | FormData, headers: Record<string, string>): Promise<void> {
	const response = await fetch(`${url}/v1/datasets/upload?sync=true`, { method: "POST", headers, body });
	if (!response.ok) throw new Error(`the upload answered ${response.status}: ${await response.text()}`);
	await response.json();
}

async function download(url: string): Promise<void> {
	const { data } = (await (await fetch(`${url}/v1/datasets?name=csv`)).json()) as { data: { id: string }[] };
	const response = await fetch(`${url}/v1/datasets/${data[0]?.id}/jsonl`);
	for await (const _ of response.body ?? []);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
	const begin = performance.now();
	await work();
	return (performance.now() - begin) / 1_000;
}
