import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { UserError } from "#base/errors.ts";
import { parseExactJson } from "#http/exact-json.ts";
import { openTestApp } from "#test-app.ts";
import { readFileBeside } from "./file-reader-client.ts";
import { type FileTask, readFileRows } from "./file-rows.ts";
import { readJsonUpload } from "./json-upload.ts";
import { damaged } from "./test-damage.ts";
import { formOf, uploadFile } from "./test-uploads.ts";

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

it.skipIf(process.platform !== "linux")(
	"a signal that stops the server does not interrupt the file that it still reads",
	async () => {
		const path = join(folder, "long.csv");
		await writeFile(path, `q\n${`${"x".repeat(999)}\n`.repeat(1_000)}`);
		await using file = await open(path);
		const columns = { input: ["q"], output: [], metadata: [], splitKey: undefined, splitKeys: [] };
		const ids = { spanIdKey: undefined, exampleIdKey: undefined, flatten: new Set<string>() };
		const task = {
			contentType: "csv",
			contentEncoding: "none",
			maxBytes: 1e8,
			columns: { ...columns, ...ids },
		} as const;
		const rows = readFileBeside(file.fd, task);
		await rows.next();
		const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
		for (const child of children.trim().split(" ")) {
			const command = await readFile(`/proc/${child}/cmdline`, "utf8");
			if (command.includes("file-reader")) process.kill(Number(child), "SIGTERM");
		}
		expect(await count(rows)).toBe(999);
	},
);

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
