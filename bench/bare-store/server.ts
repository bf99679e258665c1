import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { WorkerSettings } from "./worker.ts";

/**
 * What it takes at least to store traces durably on this machine, with the same means as Spanward: OTLP over HTTP to
 * threads that compress the spans of each trace and insert them, one transaction for what waits. It understands nothing,
 * adds nothing up, indexes nothing and answers no question.
 */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("the path of the database is missing");

const settings: WorkerSettings = { path, mutex: new SharedArrayBuffer(4) };
const answers = new Map<number, ServerResponse>();
const workers = Array.from({ length: Math.min(2, availableParallelism()) }, () => {
	const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: settings });
	worker.on("message", (ids: readonly number[]) => {
		for (const id of ids) {
			answers.get(id)?.writeHead(200, { "content-type": "application/x-protobuf" }).end();
			answers.delete(id);
		}
	});
	worker.on("error", (error) => {
		throw error;
	});
	return worker;
});

let requests = 0;
const server = createServer((request, response) => {
	const parts: Buffer[] = [];
	request.on("data", (part: Buffer) => parts.push(part));
	request.on("end", () => {
		const id = requests++;
		answers.set(id, response);
		const body = new Uint8Array(Buffer.concat(parts));
		workers[id % workers.length]?.postMessage({ id, body }, [body.buffer]);
	});
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
