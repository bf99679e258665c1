import { expect, it } from "vitest";
import { StorageUnavailable } from "../traces/span-batch.ts";
import { SqliteError, WorkerClient } from "./worker-protocol.ts";
import { createWriteLockMemory, releaseLockOfEndedThread, WriteLock } from "./write-lock.ts";

interface TestHandlers {
	readonly [name: string]: (...args: never[]) => unknown;
	readonly add: (a: number, b: number) => number;
	readonly fill: () => Uint8Array;
	readonly fail: (kind: string) => never;
	readonly take: () => void;
	readonly die: () => void;
}

function startWorker(mutex: SharedArrayBuffer, onEnd: (threadId: number) => void = () => {}) {
	const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
	const code = `
		import { parentPort, workerData } from "node:worker_threads";
		import { DatabaseSync } from "node:sqlite";
		import { serve } from ${here("./worker-protocol.ts")};
		import { WriteLock } from ${here("./write-lock.ts")};
		import { StorageUnavailable } from ${here("../traces/span-batch.ts")};
		serve(parentPort, {
			add: (a, b) => a + b,
			fill: () => new Uint8Array([1, 2, 3]),
			fail: (kind) => {
				if (kind === "storage") throw new StorageUnavailable("full", new Error("no room"));
				if (kind === "sql") new DatabaseSync(":memory:").exec("select * from absent");
				throw new RangeError("out of range");
			},
			take: () => new WriteLock(workerData, false).acquire(),
			die: () => process.exit(3),
		});`;
	return new WorkerClient<TestHandlers>(new URL(`data:text/javascript,${encodeURIComponent(code)}`), mutex, onEnd);
}

it("answers calls, and rethrows errors with their class", async () => {
	await using worker = startWorker(createWriteLockMemory());
	expect(await Promise.all([worker.call("add", 1, 2), worker.call("fill")])).toEqual([3, new Uint8Array([1, 2, 3])]);
	const full = await worker.call("fail", "storage").catch((error: unknown) => error);
	expect(full).toBeInstanceOf(StorageUnavailable);
	expect(full).toMatchObject({ reason: "full", message: "the storage is full" });
	const sql = await worker.call("fail", "sql").catch((error: unknown) => error);
	expect(sql).toBeInstanceOf(SqliteError);
	expect(sql).toMatchObject({ errcode: 1, message: "no such table: absent" });
	await expect(worker.call("fail", "other")).rejects.toMatchObject({ name: "RangeError", message: "out of range" });
});

it("rejects the unanswered calls of a thread that ends, and releases its write lock", async () => {
	const mutex = createWriteLockMemory();
	await using worker = startWorker(mutex, (threadId) => releaseLockOfEndedThread(mutex, threadId));
	await worker.call("take");
	const calls = [worker.call("die"), worker.call("add", 1, 2)];
	for (const call of calls) await expect(call).rejects.toThrow("a database thread ended with code 3");
	expect(worker.hasEnded).toBe(true);
	await expect(worker.call("add", 1, 2)).rejects.toThrow("ended");
	const lock = new WriteLock(mutex, false);
	lock.acquire();
	lock.release();
});
