import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testLog, testSpan, traceHex } from "#storage/traces/test-spans.ts";
import { checkIntegrity } from "../check-integrity.ts";
import { openTestStore, type SqliteUnderTest } from "../test-store.ts";
import { dropDeadGroups, groupSignatures, withWriter } from "../text/test-signatures.ts";
import { listUnsigned } from "../text/unsigned-blocks.ts";
import { BlockMerger } from "./merge-blocks.ts";

/** One span a write, 3 a trace, whose input has a word of its number. */
async function writeSpans({ writer }: SqliteUnderTest, from: number, to: number): Promise<void> {
	for (let number = from; number <= to; number++) await writer.write([spanOf(number)], []);
}

function spanOf(number: number) {
	return testSpan({ trace: Math.ceil(number / 3), span: number, start: number, input: wordOf(number) });
}

function wordOf(number: number): string {
	return `wort${number.toString().padStart(4, "0")}ende`;
}

/** Merges until nothing is left to merge. */
function mergeAll(store: SqliteUnderTest, signs = true): void {
	withWriter(store, (db, write) => {
		const merger = new BlockMerger(db, signs);
		while (merger.prepare()) write(() => merger.write());
	});
}

function sizes(store: SqliteUnderTest): number[] {
	return withWriter(store, (db) =>
		db
			.prepare("select count(*) as spans from spans group by block_id order by block_id")
			.all()
			.map((row) => Number(row["spans"])),
	);
}

async function find({ traces }: SqliteUnderTest, project: number, text: string): Promise<number[]> {
	const query = { projectId: project, sort: "start_time", order: "asc", limit: 1_000, text } as const;
	const { items } = await traces.listSpans(query);
	return items.map(({ spanId }) => Number.parseInt(spanId, 16));
}

/** Every span's content is where its row says, every search finds what it looks for. */
async function expectWhole(store: SqliteUnderTest, numbers: readonly number[]): Promise<void> {
	expect(checkIntegrity(store.storage.writerOptions.path)).toEqual([]);
	const project = await projectId(store);
	for (const number of numbers) expect(await find(store, project, wordOf(number))).toEqual([number]);
}

test("blocks of few spans are merged in order; the last ones wait, and large ones stay", async () => {
	await using store = await openTestStore();
	await writeSpans(store, 1, 150);
	await store.writer.write(
		Array.from({ length: 60 }, (_, index) => spanOf(200 + index)),
		[],
	);
	await writeSpans(store, 300, 420);
	mergeAll(store);
	expect(sizes(store)[0]).toBe(128);
	expect(sizes(store)).toContain(60);
	expect(sizes(store).filter((size) => size === 1).length).toBeLessThan(128);
	await expectWhole(store, [1, 64, 128, 129, 150, 200, 259, 300, 420]);
	for (const { traceId, firstInput } of await allTraces(store, await projectId(store)))
		expect([traceId, firstInput]).toEqual([traceHex(Math.ceil(Number(firstInput?.slice(4, 8)) / 3)), firstInput]);
	const before = sizes(store);
	mergeAll(store);
	expect(sizes(store)).toEqual(before);
});

test("merged blocks are found by the words of spans and log records, before and after signatures are grouped", async () => {
	await using store = await openTestStore();
	await store.writer.write([], [testLog({ trace: 1, span: 2, content: "early vibraphone" })]);
	await writeSpans(store, 1, 40);
	await store.writer.write([], [testLog({ trace: 5, span: 14, content: "late vibraphone" })]);
	groupSignatures(store);
	await writeSpans(store, 41, 140);
	mergeAll(store);
	const project = await projectId(store);
	for (let round = 0; round < 2; round++) {
		expect(await find(store, project, `${wordOf(2)} vibraphone`)).toEqual([2]);
		expect(await find(store, project, `${wordOf(14)} vibraphone`)).toEqual([14]);
		await expectWhole(store, [1, 40, 41, 128, 129]);
		await store.storage.traces.fillIndexes();
		await expect.poll(() => store.traces.countUnindexedBlocks(1)).toBe(0);
		dropDeadGroups(store);
	}
});

test("what changes between reading and writing stays as it is", async () => {
	await using store = await openTestStore();
	await writeSpans(store, 1, 140);
	const { path } = store.storage.writerOptions;
	const db = openForWriting(path, 4);
	const merger = new BlockMerger(db, true);
	expect(merger.prepare()).toBe(true);
	const [trace] = await store.traces.findTracesByTraceIds([traceHex(2)]);
	await store.traces.deleteTrace(trace?.id ?? 0);
	merger.write();
	expect(sizes(store)).toHaveLength(137);
	expect(merger.prepare()).toBe(true);
	await store.writer.write([], [testLog({ trace: 5, span: 14, content: "late vibraphone" })]);
	merger.write();
	expect(sizes(store)[0]).toBe(128);
	expect(listUnsigned(db)).toContainEqual({ first_block: 1, last_block: 1 });
	db.close();
	await expectWhole(store, [1, 7, 14, 128]);
	expect(await find(store, await projectId(store), `${wordOf(14)} vibraphone`)).toEqual([14]);
});

test("blocks that were merged without the text index are searched, and signed once it is on", async () => {
	using folder = mkdtempDisposableSync(join(tmpdir(), "spanward-merged-"));
	{
		await using store = await openTestStore({ folder: folder.path });
		await writeSpans(store, 1, 20);
	}
	{
		await using store = await openTestStore({ folder: folder.path, textIndex: false });
		await writeSpans(store, 21, 140);
		mergeAll(store, false);
		expect(sizes(store)[0]).toBe(128);
		await expectWhole(store, [1, 20, 21, 128]);
	}
	await using store = await openTestStore({ folder: folder.path });
	await expect.poll(() => store.traces.countUnindexedBlocks(1)).toBe(0);
	await expectWhole(store, [1, 20, 21, 128]);
});

test("spans that ended long after they began are merged with neighbours only", async () => {
	await using store = await openTestStore();
	const numbers = Array.from({ length: 700 }, (_, index) => index + 1);
	const runs = (number: number) => number <= 3 || number === 650;
	const running = (number: number) => testSpan({ trace: number, span: number, start: number, isRunning: true });
	const ended = (number: number) => testSpan({ trace: number, span: number, start: number, input: wordOf(number) });
	for (const number of numbers) await store.writer.write([runs(number) ? running(number) : ended(number)], []);
	for (const number of numbers.filter(runs)) await store.writer.write([ended(number)], []);
	for (let number = 701; number <= 900; number++) await store.writer.write([ended(number)], []);
	mergeAll(store);
	await expectWhole(store, [1, 3, 4, 649, 650, 701]);
	const widest = withWriter(store, (db) => db.prepare("select max(last_span - first_span) as most from blocks").get());
	expect(widest?.["most"]).toBeLessThan(512);
});

test("a damaged block stays as it is, and its neighbours are merged", async () => {
	await using store = await openTestStore();
	await writeSpans(store, 1, 300);
	withWriter(store, (db, write) => write(() => db.exec("update blocks set data = x'00' where id = 50")));
	mergeAll(store);
	const left = sizes(store);
	expect(left.length).toBeLessThan(180);
	expect(left).toContain(1);
	const project = await projectId(store);
	for (const number of [1, 49, 51, 128, 200]) expect(await find(store, project, wordOf(number))).toEqual([number]);
});

test("spans of merged blocks are deleted one trace at a time", async () => {
	await using store = await openTestStore();
	await writeSpans(store, 1, 140);
	mergeAll(store);
	for (const number of [1, 20, 43]) {
		const [trace] = await store.traces.findTracesByTraceIds([traceHex(number)]);
		await store.traces.deleteTrace(trace?.id ?? 0);
	}
	await expectWhole(store, [4, 57, 61, 126, 130]);
	expect(await find(store, await projectId(store), wordOf(59))).toEqual([]);
});
