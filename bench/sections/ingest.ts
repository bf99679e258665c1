import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "../../e2e/server.ts";
import { describeSpread, type Figure, quantile } from "../figure.ts";
import { sendLoad, warmUp } from "../load-generator.ts";
import { readMemory, watchMemory } from "../process-memory.ts";

const RUNS = 3;
const SPANS = 307_200;

/** How fast spans are taken and committed, into an empty database. */
export async function measureIngest(): Promise<Figure[]> {
	const http: number[] = [];
	const grpc: number[] = [];
	const single: number[] = [];
	const idle: number[] = [];
	const loaded: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		await using server = await startServer();
		await sleep(5_000);
		idle.push(await readMemory(server.pid));
		await warmUp("-url", server.url);
		const memory = watchMemory(server.pid);
		http.push((await sendLoad("-url", server.url, "-spans", String(SPANS), "-conc", "4")).acked_spans_per_s);
		loaded.push(await memory.stop());
	}
	for (let run = 0; run < RUNS; run++) {
		await using server = await startServer();
		await warmUp("-grpc", server.grpcAddress);
		grpc.push((await sendLoad("-grpc", server.grpcAddress, "-spans", String(SPANS), "-conc", "4")).acked_spans_per_s);
	}
	for (let run = 0; run < RUNS; run++) {
		await using server = await startServer();
		await warmUp("-url", server.url);
		const flags = ["-url", server.url, "-spans", "30000", "-batch", "1", "-conc", "32"];
		single.push((await sendLoad(...flags)).acked_spans_per_s);
	}
	return [
		{
			name: "durable spans/s over HTTP",
			value: quantile(http, 0.5),
			unit: "spans/s",
			target: { atLeast: 30_000 },
			detail: `${describeSpread(http)}; 512 a request, 4 senders, empty database but for 25,600 spans to warm up`,
		},
		{
			name: "durable spans/s over gRPC",
			value: quantile(grpc, 0.5),
			unit: "spans/s",
			target: { atLeast: 25_000 },
			detail: `${describeSpread(grpc)}; 512 a request, 4 senders`,
		},
		{
			name: "one span per request, 32 senders",
			value: quantile(single, 0.5),
			unit: "requests/s",
			target: { atLeast: 1_500 },
			detail: describeSpread(single),
		},
		{
			name: "memory idle",
			value: quantile(idle, 0.5),
			unit: "MB",
			target: { atMost: 150 },
			detail: "resident, 5 s after the start of an empty database",
		},
		{
			name: "memory during the load",
			value: Math.max(...loaded),
			unit: "MB",
			target: { atMost: 500 },
			detail: "largest resident memory during the HTTP load",
		},
	];
}
