import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { SpanPrices } from "#pricing/price-of.ts";
import { toStorageError } from "#storage/sqlite/storage-errors.ts";
import { openTraceWriter } from "#storage/traces/open-trace-writer.ts";
import type { TraceWriter } from "#storage/traces/span-batch.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";

import { createExportDecoder } from "./decode-export.ts";
import { GatheredStatements } from "./gathered-statements.ts";
import { ExportWriter } from "./pace/export-writer.ts";
import type { ToWorker, WorkerData } from "./worker-messages.ts";

/** An ingest thread: what the pool sends it is written, and answered with reports. */
if (parentPort === null) throw new Error("worker.ts runs in a worker thread");
const port = parentPort;
const { settings, storage, tellsStatements } = workerData as WorkerData;
const statements = tellsStatements ? new GatheredStatements() : undefined;
const prices = new SpanPrices();
const exports = new ExportWriter({
	...{ openWriter, takeAll },
	decode: createExportDecoder(settings, prices),
	report: (report) => port.postMessage({ ...report, ...statements?.take() }),
	paceMemory: settings.paceMemory,
	queueBytes: settings.queueBytes,
});
let running = false;
let stopping = false;

port.on("message", (message: ToWorker) => {
	take(message);
	if (!running) void run();
});

async function run(): Promise<void> {
	running = true;
	await exports.run();
	running = false;
	if (stopping) {
		await exports[Symbol.asyncDispose]();
		port.close();
	}
}

function takeAll(): void {
	for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) take(next.message);
}

function take(message: ToWorker): void {
	if (message === "stop") stopping = true;
	else if ("ownPrices" in message) prices.useOwn(message.ownPrices);
	else exports.push(message);
}

/** @throws StorageUnavailable */
async function openWriter(): Promise<TraceWriter> {
	try {
		return await openTraceWriter(storage, readStoredTexts);
	} catch (error) {
		throw toStorageError(error);
	}
}
