import { randomUUID } from "node:crypto";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { Dictionary, Field, Int8, List, makeData, Null, RecordBatch, Table, tableToIPC, Vector } from "apache-arrow";
import { afterAll, expect, it } from "vitest";
import { UserError } from "#base/errors.ts";
import { parseExactJson } from "#http/exact-json.ts";
import { openTestApp } from "#test-app.ts";
import { inBatches } from "./batches.ts";
import { readFileBeside, readingTimeOf } from "./file-reader-client.ts";
import { type FileTask, readFileRows } from "./file-rows.ts";
import { readJsonUpload } from "./json-upload.ts";
import { damaged } from "./test-damage.ts";
import { formOf, uploadFile } from "./test-uploads.ts";
import { invalid } from "./uploaded-rows.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());
const folder = await mkdtemp(join(tmpdir(), "hostile-"));
afterAll(() => rm(folder, { recursive: true }));

const QUESTION = [["input_keys[]", "q"]] as const;

async function upload(content: Uint8Array, type: string) {
	const { status, text } = await uploadFile(server, [["name", "hostile"], ...QUESTION], { content, type });
	return [status, text];
}

/** Processes that read files. */
const readers = () => process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap");

it("reads long files in a process that ends with the upload, whether they are good or not", async () => {
	const good = `q\n${`${"x".repeat(999)}\n`.repeat(400)}`;
	const { headers, payload } = formOf([["name", "long"], ...QUESTION], { content: good });
	expect((await server.app.inject({ method: "POST", url: "/v1/datasets/upload", headers, payload })).statusCode).toBe(
		200,
	);
	expect((await server.get("/v1/datasets?name=long")).json.data).toMatchObject([{ example_count: 400 }]);
	expect(await upload(Buffer.from(`${good}a,b\n`), "text/csv")).toEqual([422, expect.stringMatching(/^line 402: /)]);
	await expect.poll(readers).toEqual([]);
});

/** How a file with the column `q` is read. */
const TASK = {
	contentType: "csv",
	contentEncoding: "none",
	maxBytes: 1e8,
	columns: {
		input: ["q"],
		output: [],
		metadata: [],
		splitKey: undefined,
		splitKeys: [],
		spanIdKey: undefined,
		exampleIdKey: undefined,
		flatten: new Set(),
	},
} as const satisfies FileTask;

async function fileOf(content: string | Uint8Array) {
	const path = join(folder, randomUUID());
	await writeFile(path, content);
	return await open(path);
}

it.skipIf(process.platform !== "linux")(
	"a signal that stops the server does not interrupt the file that it still reads",
	async () => {
		await using file = await fileOf(`q\n${`${"x".repeat(999)}\n`.repeat(1_000)}`);
		const rows = readFileBeside(file.fd, TASK, readingTimeOf(1e6));
		await rows.next();
		const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
		for (const child of children.trim().split(" ")) {
			const command = await readFile(`/proc/${child}/cmdline`, "utf8");
			if (command.includes("file-reader")) process.kill(Number(child), "SIGTERM");
		}
		expect(await count(rows)).toBe(999);
	},
);

it("refuses a file of which one batch takes too long", async () => {
	await using file = await fileOf("q\na\n");
	const rows = readFileBeside(file.fd, TASK, { batch: 1, file: 1e6 });
	await expect(count(rows)).rejects.toThrow(invalid("The file takes longer than 1 s to read"));
	await expect.poll(readers).toEqual([]);
});

it("refuses a small file that takes too long with many batches", async () => {
	const length = 1_000;
	const child = makeData({ type: new Null(), length: 60_000 });
	const list = new List(new Field("item", child.type, true));
	const entry = makeData({ type: list, length: 1, nullCount: 0, valueOffsets: Int32Array.of(0, child.length), child });
	const type = new Dictionary(list, new Int8(), 1);
	const columns = { q: makeData({ type, length, data: new Int8Array(length), dictionary: new Vector([entry]) }) };
	const batch = new Table([new RecordBatch(columns)]);
	const stream = gzipSync(tableToIPC(new Table(Array.from({ length: 60 }, () => batch.batches).flat()), "stream"));
	expect(stream.length).toBeLessThan(10_000);
	await using file = await fileOf(stream);
	// A million nulls per row, none of which is the name of a split.
	const task = { ...TASK, contentType: "arrow", contentEncoding: "gzip", columns: { ...TASK.columns, splitKey: "q" } };
	const rows = readFileBeside(file.fd, { ...task, contentType: "arrow" }, { batch: 1e6, file: 1_500 });
	await expect(count(rows)).rejects.toThrow(invalid("The file takes longer than 2 s to read"));
	await expect.poll(readers).toEqual([]);
});

it("refuses span ids that are longer than any can be", async () => {
	const long = `q,id\n1,${"x".repeat(1_001)}\n`;
	const fields = [["name", "hostile"], ...QUESTION, ["span_id_key", "id"]] as const;
	const { status, text } = await uploadFile(server, fields, { content: long });
	expect([status, text]).toEqual([422, "line 2: the span id has more than 1000 characters"]);
});

it("cuts rows with many names of splits into small batches", async () => {
	const splits = Array.from({ length: 100 }, (_, number) => `${number}`.padStart(1_000, "x"));
	const content = { input: "{}", output: "{}", metadata: "{}", hash: "" };
	const rows = Array.from({ length: 10 }, (_, number) => ({ place: `row ${number}`, content, splits }));
	const sizes: number[] = [];
	for await (const batch of inBatches(rows, 1e6)) sizes.push(batch.length);
	expect(sizes).toEqual([2, 2, 2, 2, 2]);
});

const CSV = Buffer.from('\uFEFFq,s,n\n"a ""b"" c","{""x"":[1]}",2.5\n,,\nx,"y\nz",1\r\n'.repeat(3));
const JSONL = Buffer.from(
	'{"q":{"__proto__":{"y":12345678901234567890}},"s":[1,{"x":null}]}\n\n{"q":"\\ud83d\\ude00","n":1e5}\r\n'.repeat(3),
);

it.each([
	["csv", "none", CSV],
	["csv", "none", Buffer.from(CSV.toString(), "utf16le")],
	["csv", "gzip", gzipSync(CSV)],
	["jsonl", "none", JSONL],
	["jsonl", "deflate", deflateSync(JSONL)],
] as const)("has an answer for every damaged %s file (%s)", async (contentType, contentEncoding, bytes) => {
	const path = join(folder, "file");
	const columns = { input: ["q"], output: ["s"], metadata: ["n"], splitKey: "n", splitKeys: [], spanIdKey: undefined };
	const task = { contentType, contentEncoding, maxBytes: 1e6 } satisfies Partial<FileTask>;
	for (let seed = 0; seed < 300; seed += 1) {
		await writeFile(path, damaged(bytes, seed));
		await using file = await open(path);
		const flatten = new Set(seed % 2 === 0 ? ["s"] : []);
		const rows = readFileRows(file.fd, { ...task, columns: { ...columns, exampleIdKey: "q", flatten } });
		const error = await count(rows).catch((failure: unknown) => failure);
		if (typeof error !== "number" && !(error instanceof UserError)) throw error;
	}
});

async function count(rows: AsyncIterable<unknown> | Iterable<unknown>): Promise<number> {
	let number = 0;
	for await (const _ of rows) number += 1;
	return number;
}

const HOSTILE = [
	"{}",
	"[]",
	"[[]]",
	"null",
	"true",
	"0",
	"-1e400",
	"12345678901234567890",
	'""',
	'"\\u0000"',
	'"\\ud800"',
	'{"toString":1,"length":2}',
	'[{"__proto__":null}]',
	'[{"toString":1}]',
];

it("answers every JSON upload, whatever its members are", async () => {
	const members = [
		"name",
		"action",
		"description",
		"inputs",
		"outputs",
		"metadata",
		"splits",
		"span_ids",
		"example_ids",
	];
	const good: Record<string, string> = { name: '"n"', inputs: "[{}]" };
	for (const member of members) {
		for (const value of HOSTILE) {
			const body = { ...good, [member]: value };
			const text = `{${Object.entries(body).map(([key, json]) => `"${key}":${json}`)}}`;
			try {
				await count(readJsonUpload(parseExactJson(text)).rows());
			} catch (error) {
				if (!(error instanceof UserError)) throw new Error(`an upload with ${member} ${value}`, { cause: error });
				expect(error.status).toBe(422);
			}
		}
	}
});
