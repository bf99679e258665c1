import { startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber } from "../figure.ts";
import { PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { watchMemory } from "../process-memory.ts";

const SPANS = 102_400;
const FRAME = 100_000;
/** What the memory of the large tables is compared with. */
const SMALL_FRAME = 10_000;

/** Data frames of many spans: how fast they are sent, and the memory of the server meanwhile. */
export async function measureTables(): Promise<Figure[]> {
	await using server = await startServer();
	await warmUp("-url", server.url);
	await sendLoad("-url", server.url, "-spans", String(SPANS), "-conc", "4");
	const figures: Figure[] = [];
	const ways = [
		["in pandas' table schema", (limit: number) => readTable(server, limit)],
		["in Arrow", (limit: number) => readArrow(server, limit)],
	] as const;
	for (const [form, read] of ways) {
		const small = await measureFrame(server, () => read(SMALL_FRAME));
		const large = await measureFrame(server, () => read(FRAME));
		figures.push(
			{
				name: `memory of a data frame of ${formatNumber(FRAME)} spans ${form} beyond that of ${formatNumber(SMALL_FRAME)}`,
				value: large.memory - small.memory,
				unit: "MB",
				target: { atMost: 150 },
				detail: `largest resident memory of the server: ${formatNumber(large.memory)} MB against ${formatNumber(small.memory)} MB`,
			},
			{
				name: `rate of a data frame ${form}`,
				value: FRAME / large.seconds,
				unit: "spans/s",
				target: { atLeast: 1_000 },
				detail: `${formatNumber(large.bytes / 2 ** 20)} MB in ${formatNumber(large.seconds)} s, the first byte after ${formatNumber(large.firstSeconds * 1_000)} ms`,
			},
		);
	}
	return figures;
}

async function readTable(server: TestServer, limit: number): Promise<Response> {
	return await fetch(`${server.url}/v1/spans?project_name=${PROJECT}`, {
		method: "POST",
		headers: { "content-type": "application/json", accept: "application/json" },
		body: JSON.stringify({ queries: [{}], limit }),
	});
}

async function readArrow(server: TestServer, limit: number): Promise<Response> {
	return await fetch(`${server.url}/v1/projects/${PROJECT}/spans.arrow?limit=${limit}`);
}

async function measureFrame(server: TestServer, read: () => Promise<Response>) {
	const memory = watchMemory(server.pid);
	const start = performance.now();
	const { ok, body } = await read();
	if (!ok || body === null) throw new Error("the table was not answered");
	let bytes = 0;
	let firstSeconds: number | undefined;
	for await (const chunk of body) {
		firstSeconds ??= (performance.now() - start) / 1_000;
		bytes += chunk.length;
	}
	const seconds = (performance.now() - start) / 1_000;
	return { memory: await memory.stop(), seconds, bytes, firstSeconds: firstSeconds ?? seconds };
}
