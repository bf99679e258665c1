import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { SpanPrices } from "#pricing/price-of.ts";
import { toStorageError } from "#storage/sqlite/storage-errors.ts";
import { openTraceWriter } from "#storage/traces/open-trace-writer.ts";
import type { TraceWriter } from "#storage/traces/span-batch.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";

import { createExportDecoder } from "./decode-export.ts";
import { GatheredStatements } from "./gathered-statements.ts";
import type { RightsOfSenders } from "./group-writer.ts";
import { ExportWriter } from "./pace/export-writer.ts";
import type { FromWorker, LookedAgain, ToWorker, WorkerData } from "./worker-messages.ts";

/** An ingest thread: what the pool sends it is written, and answered with reports. */
if (parentPort === null) throw new Error("worker.ts runs in a worker thread");
const port = parentPort;
const { settings, storage, tellsStatements } = workerData as WorkerData;
const statements = tellsStatements ? new GatheredStatements() : undefined;
const prices = new SpanPrices();
const exports = new ExportWriter({
	...{ openWriter, takeAll },
	decode: createExportDecoder(settings, prices),
	report: (report) => post({ ...report, ...statements?.take() }),
	rights: { lookAgain, pinnedAccess: settings.pinnedAccess },
	paceMemory: settings.paceMemory,
	queueBytes: settings.queueBytes,
});
const looking = new Map<number, (found: LookedAgain["lookedAgain"][number]["found"]) => void>();
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
	else if ("lookedAgain" in message) for (const { id, found } of message.lookedAgain) looking.get(id)?.(found);
	else exports.push(message);
}

function post(message: FromWorker): void {
	port.postMessage(message);
}

async function lookAgain(ids: readonly number[]): ReturnType<RightsOfSenders["lookAgain"]> {
	const found = Promise.all(
		ids.map(async (id) => {
			const { promise, resolve } = Promise.withResolvers<LookedAgain["lookedAgain"][number]["found"]>();
			looking.set(id, resolve);
			const rights = await promise;
			looking.delete(id);
			return [id, rights] as const;
		}),
	);
	post({ lookAgain: ids });
	return new Map(await found);
}

/** @throws StorageUnavailable */
async function openWriter(): Promise<TraceWriter> {
	try {
		return await openTraceWriter(storage, readStoredTexts);
	} catch (error) {
		throw toStorageError(error);
	}
}
