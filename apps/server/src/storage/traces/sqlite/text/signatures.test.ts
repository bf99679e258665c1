import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testLog, testSpan } from "#storage/traces/test-spans.ts";
import { checkIntegrity } from "../check-integrity.ts";
import { openTestStore, type SqliteUnderTest } from "../test-store.ts";
import { candidateBlocks } from "./candidate-blocks.ts";
import { BlockSigner } from "./sign-blocks.ts";
import { dropDeadGroups, groupSignatures, withWriter } from "./test-signatures.ts";
import { listUnsigned } from "./unsigned-blocks.ts";

/** Writes blocks of one span, whose input has a word of the block's number. */
async function writeBlocks({ writer }: SqliteUnderTest, from: number, to: number): Promise<void> {
	for (let number = from; number <= to; number++)
		await writer.write([testSpan({ trace: number, span: number, start: number, input: wordOf(number) })], []);
}

function wordOf(number: number): string {
	return `wort${number.toString().padStart(4, "0")}ende`;
}

/** How many blocks the index says may contain a word. */
function countCandidates(store: SqliteUnderTest, word: string): number | undefined {
	return withWriter(store, (db) => candidateBlocks(db, [word])?.list(1_000)?.length);
}

function count(store: SqliteUnderTest, table: string): number {
	return withWriter(store, (db) => Number(db.prepare(`select count(*) as count from ${table}`).get()?.["count"]));
}

async function find({ traces }: SqliteUnderTest, project: number, text: string): Promise<number[]> {
	const query = { projectId: project, sort: "start_time", order: "asc", limit: 1_000, text } as const;
	const { items } = await traces.listSpans(query);
	return items.map(({ spanId }) => Number.parseInt(spanId, 16));
}

test("a word is looked up in few blocks from their commit on, before and after signatures are turned around", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 40);
	const project = await projectId(store);
	expect(countCandidates(store, wordOf(17))).toBeLessThan(10);
	expect(await find(store, project, wordOf(17))).toEqual([17]);
	expect(groupSignatures(store)).toBeGreaterThan(2);
	expect(count(store, "block_text_signatures")).toBeLessThan(16);
	expect(countCandidates(store, wordOf(17))).toBeLessThan(10);
	for (const number of [1, 17, 40]) expect(await find(store, project, wordOf(number))).toEqual([number]);
	expect(await find(store, project, "wort")).toHaveLength(40);
});

test("log records are found in blocks of any age, and when they came before their span", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 20);
	groupSignatures(store);
	await store.writer.write([], [testLog({ trace: 3, span: 3, content: "nachtrag" })]);
	await store.writer.write([], [testLog({ trace: 21, span: 21, content: "vorbote" })]);
	await writeBlocks(store, 21, 21);
	const project = await projectId(store);
	expect(await find(store, project, "nachtrag")).toEqual([3]);
	expect(await find(store, project, "vorbote")).toEqual([21]);
	expect(countCandidates(store, "nachtrag")).toBeLessThan(10);
	groupSignatures(store);
	expect(await find(store, project, "nachtrag")).toEqual([3]);
	expect(await find(store, project, "vorbote")).toEqual([21]);
});

test("a log record that comes while its block is signed makes the signature incomplete", async () => {
	await using store = await openTestStore({ textIndex: false });
	await writeBlocks(store, 1, 3);
	const project = await projectId(store);
	const path = store.storage.writerOptions.path;
	const db = openForWriting(path, 4);
	const signer = new BlockSigner(db);
	expect(signer.prepare()).toBe(true);
	await store.writer.write([], [testLog({ trace: 2, span: 2, content: "nachtrag" })]);
	signer.write();
	expect(listUnsigned(db)).toMatchObject([{ first_block: 2, last_block: 2 }]);
	db.close();
	expect(await find(store, project, `nachtrag ${wordOf(2)}`)).toEqual([2]);
});

test("a group whose blocks are mostly deleted goes, and what is left of it is found and signed anew", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 40);
	const groups = groupSignatures(store);
	const project = await projectId(store);
	const keep = 37;
	for (let number = 1; number <= 40; number++) {
		const [trace] =
			number === keep ? [] : await store.traces.findTracesByTraceIds([number.toString(16).padStart(32, "0")]);
		if (trace !== undefined) await store.traces.deleteTrace(trace.id);
	}
	expect(groups).toBeGreaterThan(2);
	dropDeadGroups(store);
	expect([count(store, "block_text_groups"), count(store, "block_text_slices")]).toEqual([0, 0]);
	expect(await find(store, project, wordOf(keep))).toEqual([keep]);
	await store.storage.traces.fillIndexes();
	await expect.poll(() => store.traces.countUnindexedBlocks(1)).toBe(0);
	expect(await find(store, project, wordOf(keep))).toEqual([keep]);
	expect(await find(store, project, wordOf(3))).toEqual([]);
});

test("a group that was not finished is not used, and made anew", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 20);
	// As a server that ends between two steps leaves it.
	withWriter(store, (db, write) =>
		write(() => {
			db.exec("insert into block_text_groups (size, is_complete, blocks) values (8, 0, x'0100000000000000')");
			db.exec("insert into block_text_slices (group_id, bit, slice) values (1, 0, x'ff'), (1, 1, x'ff')");
		}),
	);
	dropDeadGroups(store);
	expect([count(store, "block_text_groups"), count(store, "block_text_slices")]).toEqual([0, 0]);
	expect(groupSignatures(store)).toBeGreaterThan(0);
	expect(await find(store, await projectId(store), wordOf(5))).toEqual([5]);
});

test("blocks that were written while the text index was off are found, and signed once it is on", async () => {
	using folder = mkdtempDisposableSync(join(tmpdir(), "spanward-unsigned-"));
	let project = 0;
	{
		await using store = await openTestStore({ textIndex: false, folder: folder.path });
		await writeBlocks(store, 1, 10);
		project = await projectId(store);
		expect(await find(store, project, wordOf(7))).toEqual([7]);
		expect(count(store, "block_text_signatures")).toBe(0);
	}
	await using store = await openTestStore({ folder: folder.path });
	await writeBlocks(store, 11, 20);
	await expect.poll(() => store.traces.countUnindexedBlocks(1)).toBe(0);
	expect(count(store, "block_text_signatures")).toBe(20);
	for (const number of [1, 7, 15]) {
		expect(await find(store, project, wordOf(number))).toEqual([number]);
		expect(countCandidates(store, wordOf(number))).toBeLessThan(10);
	}
});

test("verify finds blocks whose texts a search would miss, with and without a group", async () => {
	await using store = await openTestStore();
	const { path } = store.storage.writerOptions;
	await writeBlocks(store, 1, 10);
	await store.writer.write([], [testLog({ trace: 2, span: 2, content: "nachtrag" })]);
	const spoil = (sql: string) => withWriter(store, (db, write) => write(() => db.exec(sql)));
	expect(checkIntegrity(path)).toEqual([]);
	spoil("update block_text_signatures set signature = zeroblob(size) where block_id = 3");
	const missed = "text search misses texts of block 3: the signatures lack letters";
	expect(checkIntegrity(path)).toEqual([missed]);
	groupSignatures(store);
	expect(checkIntegrity(path)).toEqual([missed]);
	spoil("insert into block_text_unsigned values (3, 3)");
	expect(checkIntegrity(path)).toEqual([]);
});
