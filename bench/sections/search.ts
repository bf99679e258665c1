import { randomBytes } from "node:crypto";
import { at, type Json, list } from "../../e2e/fixture-comparison.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { describeSpread, type Figure, formatNumber, quantile } from "../figure.ts";
import { measureLatency } from "../latency.ts";
import { PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { readCpu, readSettledCpu } from "../process-cpu.ts";

const RUNS = 5;
const SPANS = 153_600;

/** What text search costs while spans are received, and how soon it finds them. */
export async function measureSearch(): Promise<Figure[]> {
	const withIndex: number[] = [];
	const without: number[] = [];
	const found: number[] = [];
	const nowhere: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		without.push(await measureCpu("false", async () => {}));
		withIndex.push(
			await measureCpu("true", async (server) => {
				found.push(await timeUntilFound(server, `zugvogel${run}x`));
				const word = `${server.url}/v1/projects/${PROJECT}/spans?limit=100&filter=xylophonist`;
				nowhere.push(quantile(await measureLatency(word, 50), 0.5));
			}),
		);
	}
	return [
		{
			name: "CPU a span with the text index against without it",
			value: quantile(withIndex, 0.5) / quantile(without, 0.5),
			unit: "×",
			target: { atMost: 1.2 },
			detail: `medians, in turns, until the server is idle; µs a span, ${describeSpread(withIndex)} against ${describeSpread(without)}`,
		},
		{
			name: "until search finds a span, from the answer to its export on",
			value: quantile(found, 0.5),
			unit: "ms",
			target: { atMost: 2_000 },
			detail: `right after ${formatNumber(SPANS)} spans at full rate; ${describeSpread(found)}`,
		},
		{
			name: "search for a word that is nowhere, right after the load",
			value: quantile(nowhere, 0.5),
			unit: "ms",
			target: { atMost: 50 },
			detail: `p50 of 50 requests, ${describeSpread(nowhere)}`,
		},
	];
}

/** Microseconds of CPU a span. @param afterwards when all spans are acknowledged; its CPU does not count */
async function measureCpu(
	textIndex: "true" | "false",
	afterwards: (server: TestServer) => Promise<void>,
): Promise<number> {
	await using server = await startServer({ env: { SERVICE_ENABLE_TEXT_INDEX: textIndex } });
	await warmUp("-url", server.url);
	const before = await readSettledCpu(server.pid);
	await sendLoad("-url", server.url, "-spans", String(SPANS), "-conc", "4");
	const loaded = await readCpu(server.pid);
	await afterwards(server);
	const searched = await readCpu(server.pid);
	const settled = await readSettledCpu(server.pid);
	return ((settled - searched + loaded - before) / SPANS) * 1e6;
}

/** Sends a span with a new word and searches for it until it is found. @returns milliseconds since its acknowledgement */
export async function timeUntilFound(server: TestServer, word: string): Promise<number> {
	const span = {
		name: word,
		context: { trace_id: randomBytes(16).toString("hex"), span_id: randomBytes(8).toString("hex") },
		span_kind: "CHAIN",
		start_time: new Date().toISOString(),
		end_time: new Date().toISOString(),
		status_code: "OK",
		attributes: {},
	};
	const response = await fetch(`${server.url}/v1/projects/${PROJECT}/spans`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ data: [span] }),
	});
	if (!response.ok) throw new Error(`sending a span answered ${response.status}: ${await response.text()}`);
	const start = performance.now();
	for (;;) {
		const page = (await server.getJson(`/v1/projects/${PROJECT}/spans?limit=1&filter=${word}`)) as Json;
		if (list(at(page, "data")).length > 0) return performance.now() - start;
	}
}
