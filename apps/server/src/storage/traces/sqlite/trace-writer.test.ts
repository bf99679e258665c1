import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { WriteLock } from "#storage/sqlite/write-lock.ts";
import { batches, randomFrom, randomSpans } from "../conformance/random-spans.ts";
import { allSpans, expectTotals, projectId } from "../conformance/store-under-test.ts";
import { StorageUnavailable } from "../span-batch.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { testSpan } from "../test-spans.ts";
import { distinct } from "../test-totals.ts";
import { checkIntegrity } from "./check-integrity.ts";
import { openTestStore } from "./test-store.ts";
import { SqliteTraceWriter } from "./trace-writer.ts";

it("reports a full disk, stores nothing of the batch, and continues when there is room", async () => {
	await using store = await openTestStore();
	const { path, mutex } = store.storage.writerOptions;
	const db = openForWriting(path, 4);
	await using writer = new SqliteTraceWriter(db, new WriteLock(mutex, false), {
		readTexts: readStoredTexts,
		textIndex: true,
	});
	const noise = Array.from({ length: 4_000 }, () => Math.random().toString(36)).join(" ");
	const batch = (trace: number) =>
		[1, 2, 3].map((span) => testSpan({ trace, span, start: trace, attributes: { noise: `${noise} ${trace}` } }));
	await writer.write(batch(1), []);
	const pages = Number(db.prepare("pragma page_count").get()?.["page_count"]);
	db.exec(`pragma max_page_count = ${pages + 20}`);
	let stored = 1;
	const error = await (async () => {
		for (; ; stored += 1) await writer.write(batch(stored + 1), []);
	})().catch((caught: unknown) => caught);
	expect(error).toBeInstanceOf(StorageUnavailable);
	expect(error).toMatchObject({ reason: "full" });
	expect(await allSpans(store, await projectId(store))).toHaveLength(3 * stored);
	await expect(writer.write(batch(stored + 1), [])).rejects.toThrow("the storage is full");
	db.exec("pragma max_page_count = 4294967294");
	expect(await writer.write(batch(stored + 1), [])).toMatchObject({ written: 3 });
	await expectTotals(store, Array.from({ length: stored + 1 }, (_, index) => batch(index + 1)).flat());
});

it("reports a read-only storage", async () => {
	await using store = await openTestStore();
	const { path, mutex } = store.storage.writerOptions;
	const db = openForWriting(path, 4);
	db.exec("pragma query_only = true");
	await using writer = new SqliteTraceWriter(db, new WriteLock(mutex, false), {
		readTexts: readStoredTexts,
		textIndex: true,
	});
	await expect(writer.write([testSpan({})], [])).rejects.toMatchObject({ reason: "read_only" });
	db.exec("pragma query_only = false");
	expect(await writer.write([testSpan({})], [])).toMatchObject({ written: 1 });
});

it("lets a metadata write through while threads write all the time", async () => {
	await using store = await openTestStore();
	const code = `
		import { workerData, parentPort } from "node:worker_threads";
		import { WriteLock } from ${JSON.stringify(new URL("../../sqlite/write-lock.ts", import.meta.url).href)};
		const lock = new WriteLock(workerData, false);
		let stop = false;
		parentPort.on("message", () => { stop = true; });
		(async () => {
			while (!stop) {
				lock.acquire();
				const until = performance.now() + 20;
				while (performance.now() < until);
				lock.release();
				await new Promise((resolve) => setImmediate(resolve));
			}
			parentPort.close();
		})();
		parentPort.postMessage("running");`;
	const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
	const workers = [1, 2].map(() => new Worker(url, { workerData: store.storage.writerOptions.mutex }));
	await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("message", resolve))));
	for (let turn = 0; turn < 5; turn += 1)
		await store.db.write((transaction) =>
			transaction
				.updateTable("projects")
				.set({ description: `${turn}` })
				.where("id", "=", 1)
				.execute(),
		);
	for (const worker of workers) worker.postMessage("stop");
	await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve))));
	const rows = await store.db.read.selectFrom("projects").select("description").execute();
	expect(rows).toEqual([{ description: "4" }]);
});

it("finds no defects in a file written in random batches, and finds a changed total", async () => {
	await using store = await openTestStore();
	const random = randomFrom(21);
	const spans = distinct(randomSpans(random, 150, ["default", "other"]));
	for (const batch of batches(spans, 25, random)) await store.writer.write(batch, []);
	const [span] = await allSpans(store, await projectId(store));
	await store.traces.deleteSpan(span?.id ?? 0);
	const { path } = store.storage.writerOptions;
	expect(checkIntegrity(path)).toEqual([]);
	const db = openForWriting(path, 4);
	db.exec("update traces set tokens_total = tokens_total + 1 where id = 1");
	db.exec("update hours set span_count = span_count + 1");
	db.close();
	expect(checkIntegrity(path).join("\n")).toMatch(/traces has other totals[\s\S]*hours has other totals/);
});
