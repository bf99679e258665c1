import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { SpanPrices } from "#pricing/price-of.ts";
import { toStorageError } from "#storage/sqlite/storage-errors.ts";
import { openTraceWriter } from "#storage/traces/open-trace-writer.ts";
import type { TraceWriter } from "#storage/traces/span-batch.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";

import { createExportDecoder } from "./decode-export.ts";
import { type GroupMember, writeGroup } from "./group-writer.ts";
import type { QueuedRequest, ToWorker, WorkerData } from "./worker-messages.ts";

/**
 * An ingest thread: takes what waits in its queue, up to a bound, decodes it, writes it in one transaction, answers.
 * A group ends at these bounds so that a commit stays short; a single request may be larger.
 */
const GROUP_BYTES = 8 * 1024 * 1024;
const GROUP_REQUESTS = 512;

if (parentPort === null) throw new Error("worker.ts runs in a worker thread");
const port = parentPort;
const { settings, storage } = workerData as WorkerData;
const prices = new SpanPrices();
const decode = createExportDecoder(settings, prices);
const waiting: QueuedRequest[] = [];
let writer: TraceWriter | undefined;
let running = false;
let stopping = false;

port.on("message", (message: ToWorker) => {
	take(message);
	if (!running) void run();
});

async function run(): Promise<void> {
	running = true;
	for (takeAll(); waiting.length > 0; takeAll()) {
		const group = decodeGroup();
		const report = await writeGroup(group.members, openWriter);
		// Without this the buffers would wait for the garbage collector, megabytes at a time.
		for (const bytes of group.buffers) free(bytes);
		port.postMessage(report);
	}
	running = false;
	if (stopping) {
		await writer?.[Symbol.asyncDispose]();
		port.close();
	}
}

function decodeGroup(): { members: GroupMember[]; buffers: Uint8Array[] } {
	const members: GroupMember[] = [];
	const buffers: Uint8Array[] = [];
	let bytes = 0;
	while (bytes < GROUP_BYTES && members.length < GROUP_REQUESTS) {
		const request = waiting.shift();
		if (request === undefined) break;
		const decoded = decode(request);
		members.push({ id: request.id, decoded });
		buffers.push(request.body);
		bytes += request.body.byteLength;
		if ("message" in decoded && decoded.message.buffer !== request.body.buffer) {
			buffers.push(decoded.message);
			bytes += decoded.message.byteLength;
		}
		takeAll();
	}
	return { members, buffers };
}

/** Small results of zlib may lie in Node's shared pool, which is not ours to free. */
function free({ buffer, byteLength }: Uint8Array): void {
	if (byteLength > Buffer.poolSize && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function takeAll(): void {
	for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) take(next.message);
}

function take(message: ToWorker): void {
	if (message === "stop") stopping = true;
	else if ("ownPrices" in message) prices.useOwn(message.ownPrices);
	else waiting.push(message);
}

/** Opened by the first group, and by the next one when that failed. @throws StorageUnavailable */
async function openWriter(): Promise<TraceWriter> {
	try {
		writer ??= await openTraceWriter(storage, readStoredTexts);
	} catch (error) {
		throw toStorageError(error);
	}
	return writer;
}
