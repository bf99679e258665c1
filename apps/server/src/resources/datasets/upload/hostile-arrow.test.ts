import { zstdCompressSync } from "node:zlib";
import {
	Binary,
	Bool,
	CompressionType,
	compressionRegistry,
	Dictionary,
	Field,
	FixedSizeList,
	Float64,
	Int32,
	Int64,
	List,
	Message,
	makeData,
	RecordBatch,
	RecordBatchStreamWriter,
	Schema,
	Struct,
	Table,
	TimestampMicrosecond,
	tableToIPC,
	Utf8,
	type Vector,
	vectorFromArray,
} from "apache-arrow";
import { afterAll, expect, it } from "vitest";
import { openTestApp } from "#test-app.ts";
import type { Columns } from "../columns.ts";
import { TestArrowReader } from "./test-arrow-reader.ts";
import { damaged, numbers } from "./test-damage.ts";
import { examplesOf, uploadFile } from "./test-uploads.ts";
import type { UploadedRow } from "./uploaded-rows.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());
const reader = new TestArrowReader();
afterAll(() => reader[Symbol.dispose]());

const ARROW = "application/x-pandas-pyarrow";
const COLUMNS: Columns = {
	input: ["q", "list"],
	output: ["n", "when", "pair", "raw"],
	metadata: ["about", "is_good"],
	splitKey: "splits",
	splitKeys: [],
	spanIdKey: undefined,
	exampleIdKey: undefined,
	flatten: new Set(),
};

async function upload(content: Uint8Array, fields: readonly (readonly [string, string])[] = [["input_keys[]", "q"]]) {
	return await uploadFile(server, [["name", "hostile"], ...fields], { content, type: ARROW });
}

/** Why a stream with one column `q` is refused; "none" when it is taken. */
async function refusalOf(stream: Uint8Array): Promise<string> {
	const answer = await reader.read(stream, { ...COLUMNS, input: ["q"], output: [], metadata: [], splitKey: undefined });
	if (answer.kind === "rows") return "none";
	if (answer.kind !== "refused" || answer.status !== 422) throw new Error(`not refused: ${JSON.stringify(answer)}`);
	return answer.message;
}

it("answers 422 for a file that makes its reader run out of memory, and keeps serving", async () => {
	const stream = Buffer.from(tableToIPC(new Table({ q: vectorFromArray(["a", "b"], new Utf8()) }), "stream"));
	// The number of fields of the schema, each of which the library reads and keeps.
	stream.writeInt32LE(0x7fffffff, 56);
	const { status, text } = await upload(stream);
	expect([status, text]).toEqual([422, expect.stringMatching(/takes (more|longer) than .* to read/)]);
	expect((await server.get("/v1/datasets?name=hostile")).json.data).toEqual([]);
	await expect.poll(processes).toBe(0);
});

/** Processes that read files, of the server or of this test. */
function processes(): number {
	return process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;
}

/** A stream of one column of texts that declares `length` rows. */
function lyingStream(length: number, offsets: readonly number[]): Uint8Array {
	const valueOffsets = Int32Array.from(offsets);
	const texts = makeData({ type: new Utf8(), length, nullCount: 0, valueOffsets, data: Buffer.from("ab") });
	return streamOf(texts.type, [texts], length);
}

/** A stream of batches of one column `q`, each of them declaring `length` rows. */
function streamOf(type: Field["type"], columns: readonly Vector["data"][number][], length?: number): Uint8Array {
	const schema = new Schema([new Field("q", type)]);
	const batches = columns.map((data) => {
		const struct = makeData({ type: new Struct(schema.fields), length: length ?? data.length, children: [data] });
		return new RecordBatch(schema, struct);
	});
	return tableToIPC(new Table(batches), "stream");
}

it.each([
	["more rows than there is room for at all", 500_000, [0, 1, 2]],
	["more rows than offsets", 1_000, [0, 1, 2]],
	["offsets that lead back", 2, [0, 2, 1]],
	["offsets that lead out", 2, [0, 1, 100]],
])("refuses a stream with %s", async (_what, rows, offsets) => {
	expect(await refusalOf(lyingStream(rows, offsets))).toContain("more data than it contains");
});

const TEXTS = new Dictionary(new Utf8(), new Int32(), 7);

function dictionaryOf(indexes: readonly number[], nulls?: number): Vector["data"][number] {
	const dictionary = vectorFromArray(["a", "b"], new Utf8());
	const nullBitmap = nulls === undefined ? {} : { nullBitmap: Uint8Array.of(~nulls) };
	return makeData({ type: TEXTS, length: indexes.length, data: Int32Array.from(indexes), dictionary, ...nullBitmap });
}

it.each([2, -1, 0x7fffffff])("refuses the index %j into a dictionary of two", async (index) => {
	expect(await refusalOf(streamOf(TEXTS, [dictionaryOf([0, index])]))).toContain("its dictionary");
	expect(await refusalOf(streamOf(TEXTS, [dictionaryOf([0, index], 0b10)]))).toBe("none");
});

it("refuses a stream without the dictionary of a column", async () => {
	const [schema, , ...others] = messagesOf(streamOf(TEXTS, [dictionaryOf([0, 1])]));
	expect(await refusalOf(joined([schema, ...others]))).toContain("its dictionary");
});

it("refuses a column that is shorter than its batch", async () => {
	const [schema, batch, end] = messagesOf(streamOf(new Bool(), [...vectorFromArray([true, false, true]).data]));
	const head = Buffer.from(batch?.head ?? []);
	// The length of the batch stands before that of its only column.
	head.set(int64(5), head.lastIndexOf(int64(3), head.lastIndexOf(int64(3)) - 1));
	expect(await refusalOf(joined([schema, { head, body: batch?.body ?? head }, end]))).toContain("differ in length");
});

it("refuses compressed batches", async () => {
	compressionRegistry.set(CompressionType.ZSTD, { encode: (bytes) => zstdCompressSync(bytes) });
	const writer = new RecordBatchStreamWriter({ compressionType: CompressionType.ZSTD });
	writer.write(new Table({ q: vectorFromArray(["a".repeat(1_000)], new Utf8()) }));
	writer.finish();
	expect(await refusalOf(writer.toUint8Array(true))).toContain("compressed");
});

it("takes the members of structs by their place, whatever their names are", async () => {
	const names = ["b", "1", "__proto__", "a", "a"];
	const type = new Struct(names.map((name) => new Field(name, new Utf8())));
	const children = names.flatMap((name, position) => vectorFromArray([`${name} ${position}`], new Utf8()).data);
	const data = makeData({ type, length: 1, nullCount: 0, children });
	const { status, text, json } = await upload(streamOf(type, [data]));
	expect([status, text]).toEqual([200, expect.anything()]);
	const [example] = await examplesOf(server, `/v1/datasets/${json.data.dataset_id}`);
	expect(JSON.stringify(example.input)).toBe('{"q":{"1":"1 1","b":"b 0","__proto__":"__proto__ 2","a":"a 4"}}');
});

interface StreamMessage {
	readonly head: Buffer;
	readonly body: Buffer;
}

/** The messages of a stream, the last of them its end. */
function messagesOf(stream: Uint8Array): StreamMessage[] {
	const bytes = Buffer.from(stream);
	const messages: StreamMessage[] = [];
	for (let at = 0; at < bytes.length; ) {
		const bodyAt = at + 8 + bytes.readInt32LE(at + 4);
		const { bodyLength } = bodyAt === at + 8 ? { bodyLength: 0 } : Message.decode(bytes.subarray(at + 8, bodyAt));
		messages.push({ head: bytes.subarray(at, bodyAt), body: bytes.subarray(bodyAt, bodyAt + bodyLength) });
		at = bodyAt + bodyLength;
	}
	return messages;
}

function joined(messages: readonly (StreamMessage | undefined)[]): Buffer {
	return Buffer.concat(messages.flatMap((message) => (message === undefined ? [] : [message.head, message.body])));
}

function int64(value: number): Buffer {
	const bytes = Buffer.alloc(8);
	bytes.writeBigInt64LE(BigInt(value));
	return bytes;
}

/** Two batches with something of every kind that is read. */
const GOOD = tableToIPC(
	new Table(
		[0, 1].flatMap((batch) => {
			const vectors = {
				q: vectorFromArray(["why", null, `how ${batch}`, "why", ""], TEXTS),
				list: vectorFromArray(
					[["a", null], [], null, ["b"], ["c", "d", "e"]],
					new List(new Field("item", new Utf8(), true)),
				),
				n: vectorFromArray([1.5, null, Number.NaN, -0, batch], new Float64()),
				when: vectorFromArray([0, 1, null, 1e12, 3], new TimestampMicrosecond()),
				pair: vectorFromArray(
					[[1, 2], [3, 4], null, [5, 6], [7, 8]],
					new FixedSizeList(2, new Field("item", new Int32(), true)),
				),
				raw: vectorFromArray([Buffer.from("ab"), null, Buffer.of(), Buffer.of(0), Buffer.of(255)], new Binary()),
				about: vectorFromArray(
					[
						{ id: 1n, tags: ["x"] },
						null,
						{ id: 2n ** 60n, tags: [] },
						{ id: null, tags: null },
						{ id: 0n, tags: ["y"] },
					],
					new Struct([
						new Field("id", new Int64(), true),
						new Field("tags", new List(new Field("item", new Utf8(), true)), true),
					]),
				),
				is_good: vectorFromArray([true, false, null, true, true], new Bool()),
				splits: vectorFromArray(
					[["train"], null, ["test", "train"], [], ["train"]],
					new List(new Field("s", new Utf8())),
				),
			};
			return new Table(vectors).batches;
		}),
	),
	"stream",
);

/** Numbers that a length, an offset or an index may be mistaken for. */
const LIES = [-1n, 0n, 1n, 4n, 6n, 0x7fffn, 0x7fffffffn, -0x80000000n, 2n ** 40n, 2n ** 63n - 1n];

/** Messages that are well-formed by themselves, with a false number in their heads or bodies. */
function lying(bytes: Uint8Array, seed: number, where: "head" | "body"): Buffer {
	const next = numbers(seed);
	const messages = messagesOf(bytes).map((message) => ({ ...message, [where]: Buffer.from(message[where]) }));
	const able = messages.filter((message) => message[where].length >= 16);
	for (let change = 0; change <= seed % 3; change += 1) {
		const part = able[next(able.length)]?.[where] ?? Buffer.alloc(16);
		const lie = LIES[next(LIES.length)] ?? 0n;
		const at = next(part.length / 4 - 3) * 4 + 8;
		if (seed % 2 === 0) part.writeInt32LE(Number(BigInt.asIntN(32, lie)), at);
		else part.writeBigInt64LE(lie, at - (at % 8));
	}
	return joined(messages);
}

/** A message left out, sent twice, or in the place of another. */
function shuffled(bytes: Uint8Array, seed: number): Buffer {
	const next = numbers(seed);
	const messages = messagesOf(bytes);
	const [from, to] = [next(messages.length), next(messages.length)];
	const moved = seed % 3 === 0 ? messages.slice(from, from + 1) : messages.splice(from, 1);
	if (seed % 3 < 2) messages.splice(to, 0, ...moved);
	return joined(messages);
}

it.each([
	["bytes changed, cut off or repeated", (seed: number) => damaged(Buffer.from(GOOD), seed)],
	["false numbers in the heads of messages", (seed: number) => lying(GOOD, seed, "head")],
	["false numbers in the contents of messages", (seed: number) => lying(GOOD, seed, "body")],
	["messages in another order", (seed: number) => shuffled(GOOD, seed)],
])("has an answer for every stream with %s", async (_what, make) => {
	for (let seed = 0; seed < 100; seed += 1) {
		const answer = await reader.read(make(seed), COLUMNS);
		if (answer.kind === "rows") assertSound(answer.rows);
		else if (answer.kind === "failed") throw new Error(`the stream of seed ${seed} failed: ${answer.stack}`);
	}
});

it("reads the stream that the others are damaged from", async () => {
	const answer = await reader.read(GOOD, COLUMNS);
	expect(answer).toMatchObject({ kind: "rows", rows: { length: 10 } });
	if (answer.kind === "rows") assertSound(answer.rows);
});

function assertSound(rows: readonly UploadedRow[]): void {
	for (const [position, { place, content, splits }] of rows.entries()) {
		expect(place).toBe(`row ${position + 1}`);
		const [input, output, metadata] = [content.input, content.output, content.metadata].map((text) => JSON.parse(text));
		expect([input, output, metadata].map(Object.keys)).toEqual([COLUMNS.input, COLUMNS.output, COLUMNS.metadata]);
		expect(splits?.every((name) => typeof name === "string")).toBe(true);
	}
}

it("answers 422 or 200 to damaged streams, stores what it takes, and answers afterwards", async () => {
	const fields = [
		["input_keys[]", "q"],
		["output_keys[]", "list"],
		["metadata_keys[]", "about"],
	] as const;
	const before = processes();
	const makers = [(seed: number) => damaged(Buffer.from(GOOD), seed), (seed: number) => lying(GOOD, seed, "body")];
	for (let seed = 0; seed < 12; seed += 1) {
		const { status, text, json } = await upload(makers[seed % 2]?.(seed) ?? GOOD, [["action", "append"], ...fields]);
		expect([200, 422], text).toContain(status);
		if (status === 200) await examplesOf(server, `/v1/datasets/${json.data.dataset_id}`);
	}
	expect((await server.get("/healthz")).status).toBe(200);
	await expect.poll(processes).toBe(before);
});
