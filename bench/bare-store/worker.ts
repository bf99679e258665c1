import { DatabaseSync } from "node:sqlite";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { constants, zstdCompressSync } from "node:zlib";
import { findSpans } from "./find-spans.ts";

export interface WorkerSettings {
	readonly path: string;
	/** One 32-bit word, 1 while a thread writes. */
	readonly mutex: SharedArrayBuffer;
}

interface Request {
	readonly id: number;
	readonly body: Uint8Array;
}

const { path, mutex } = workerData as WorkerSettings;
const lock = new Int32Array(mutex);
const db = new DatabaseSync(path, { timeout: 10_000 });
db.exec(`
	pragma page_size = 16384;
	pragma journal_mode = wal;
	pragma synchronous = full;
	pragma wal_autocheckpoint = 2048;
	create table if not exists traces (id integer primary key, trace_id blob not null, data blob not null) strict;
`);
const insert = db.prepare("insert into traces (trace_id, data) values (?, ?)");

parentPort?.on("message", (first: Request) => {
	const group = [first];
	for (let next = take(); next !== undefined; next = take()) group.push(next);
	const blocks = group.flatMap(({ body }) => blocksOf(body));
	acquire();
	try {
		db.exec("begin immediate");
		for (const [traceId, data] of blocks) insert.run(traceId, data);
		db.exec("commit");
	} finally {
		Atomics.store(lock, 0, 0);
		Atomics.notify(lock, 0);
	}
	parentPort?.postMessage(group.map(({ id }) => id));
});

function take(): Request | undefined {
	return parentPort === null ? undefined : receiveMessageOnPort(parentPort)?.message;
}

function blocksOf(body: Uint8Array): [traceId: Buffer, data: Uint8Array][] {
	const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
	return Array.from(findSpans(bytes), ([traceId, spans]) => [
		Buffer.from(traceId, "hex"),
		zstdCompressSync(Buffer.concat(spans), { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
	]);
}

function acquire(): void {
	while (Atomics.compareExchange(lock, 0, 0, 1) !== 0) Atomics.wait(lock, 0, 1, 1_000);
}
