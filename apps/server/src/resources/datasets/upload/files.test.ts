import { Readable } from "node:stream";
import { deflateSync, gzipSync } from "node:zlib";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { afterAll, expect, it } from "vitest";
import { openTestApp } from "#test-app.ts";
import { examplesOf, formOf, uploadFile } from "./test-uploads.ts";

const server = await openTestApp({ SERVICE_MAX_UPLOAD_BYTES: "200000" });
afterAll(() => server[Symbol.asyncDispose]());

let count = 0;

type Fields = readonly (readonly [name: string, value: string])[];

const QUESTION: Fields = [["input_keys[]", "q"]];

/** The examples of an uploaded file; the test fails when it is refused. */
async function examplesOfFile(
	fields: Fields,
	content: string | Uint8Array,
	more: { type?: string; encoding?: string } = {},
) {
	count += 1;
	const { status, text, json } = await uploadFile(server, [["name", `file ${count}`], ...fields], { content, ...more });
	if (status !== 200) throw new Error(`the upload answered ${status}: ${text}`);
	return await examplesOf(server, `/v1/datasets/${json.data.dataset_id}`);
}

async function refusal(fields: Fields, content: string | Uint8Array, more: { type?: string; encoding?: string } = {}) {
	const { status, text } = await uploadFile(server, [["name", "refused"], ...fields], { content, ...more });
	return [status, text];
}

it("reads CSV with a byte order mark, CRLF, quotes, commas and line breaks in cells, and leaves formulas as they are", async () => {
	const csv = '\uFEFFq,a,s\r\n"one, ""two""\r\nthree",=1+1,train\r\n"",x,"[""test"", ""dev""]"\r\n';
	const examples = await examplesOfFile([...QUESTION, ["output_keys[]", "a"], ["split_key", "s"]], csv);
	expect(examples).toMatchObject([
		{ input: { q: 'one, "two"\r\nthree' }, output: { a: "=1+1" }, splits: ["train"] },
		{ input: {}, output: { a: "x" }, splits: ["dev", "test"] },
	]);
});

it("nests columns with dotted names, and parses JSON in their cells", async () => {
	const csv = 'input.q.text,input.list,output.a\nwhy,"[1, {""x"": 2}]",007\n';
	const fields: Fields = [
		["input_keys[]", "input.q.text"],
		["input_keys[]", "input.list"],
		["output_keys[]", "output.a"],
	];
	const expected = [{ input: { q: { text: "why" }, list: [1, { x: 2 }] }, output: { a: "007" } }];
	expect(await examplesOfFile(fields, csv)).toMatchObject(expected);
	expect(await examplesOfFile([], csv)).toMatchObject(expected);
});

it("takes the cells that a record has when it ends before the last column", async () => {
	expect(await examplesOfFile([], "input.a,output.c,input.b\n1\n1,2\n1,2,3\n")).toMatchObject([
		{ input: { a: "1" }, output: {} },
		{ input: { a: "1" }, output: { c: "2" } },
		{ input: { a: "1", b: "3" }, output: { c: "2" } },
	]);
});

it.each([
	["gzip", gzipSync],
	["deflate", deflateSync],
] as const)("inflates %s", async (encoding, compress) => {
	expect(await examplesOfFile(QUESTION, compress("q\n1\n"), { encoding })).toMatchObject([{ input: { q: "1" } }]);
});

it("reads UTF-16 with a byte order mark, as spreadsheets save it", async () => {
	const examples = await examplesOfFile(QUESTION, Buffer.from("\uFEFFq\r\nwärme\r\n", "utf16le"));
	expect(examples).toMatchObject([{ input: { q: "wärme" } }]);
});

it("accepts columns with the names of members of every object's prototype", async () => {
	const examples = await examplesOfFile(
		[
			["input_keys[]", "__proto__"],
			["input_keys[]", "constructor"],
		],
		"__proto__,constructor\n1,2\n",
	);
	expect(JSON.stringify(examples[0].input)).toBe('{"__proto__":"1","constructor":"2"}');
});

it("names the line of a mistake in a CSV file", async () => {
	expect(
		await refusal(
			[
				["input_keys[]", "q"],
				["input_keys[]", "nope"],
			],
			"q\n1\n",
		),
	).toEqual([422, "input keys not found in column headers: nope"]);
	expect(await refusal([...QUESTION, ["output_keys[]", "no"]], "q\n1\n")).toEqual([
		422,
		"output keys not found in column headers: no",
	]);
	expect(await refusal(QUESTION, "q,q\n1,2\n")).toEqual([422, "Duplicated column header in the CSV file: q"]);
	expect(await refusal(QUESTION, "q\n1\n2,3\n")).toEqual([422, "line 3: there are 2 cells, but only 1 columns"]);
	expect(await refusal(QUESTION, 'q\n1\n"2\n')).toEqual([422, expect.stringMatching(/^Invalid CSV: .*line 3/)]);
	expect(await refusal(QUESTION, Buffer.from("q\n1\ncaf\xe9\n", "latin1"))).toEqual([
		422,
		expect.stringMatching(/^line 3: the text is not in UTF-8/),
	]);
	expect(await refusal(QUESTION, "")).toEqual([422, expect.stringContaining("empty")]);
	expect(await refusal(QUESTION, "q\n1\n", { encoding: "gzip" })).toEqual([
		422,
		expect.stringContaining("not valid gzip"),
	]);
	expect(
		await refusal(
			[
				["split_key", "q"],
				["split_keys[]", "q"],
			],
			"q\n1\n",
		),
	).toEqual([422, expect.stringContaining("not both")]);
	expect(await refusal(QUESTION, "q\n1\n", { type: "application/zip" })).toEqual([
		422,
		expect.stringContaining("application/zip"),
	]);
	expect((await server.get("/v1/datasets?name=refused")).json.data).toEqual([]);
});

it("stores nothing of a file with a mistake after many rows, nor its splits", async () => {
	const good = Array.from({ length: 1_500 }, (_, row) => `${row},new`).join("\n");
	await uploadFile(server, [["name", "half"], ...QUESTION], { content: "q\nfirst\n" });
	const before = (await server.get("/v1/datasets?name=half")).json.data[0];
	const fields: Fields = [["name", "half"], ["action", "update"], ["split_key", "s"], ...QUESTION];
	const refused = await uploadFile(server, fields, { content: `q,s\n${good}\n1,2,3\n` });
	expect([refused.status, refused.text]).toEqual([422, "line 1502: there are 3 cells, but only 2 columns"]);
	const after = (await server.get("/v1/datasets?name=half")).json.data[0];
	expect(after).toEqual(before);
	expect(await examplesOf(server, `/v1/datasets/${before.id}`)).toMatchObject([{ input: { q: "first" } }]);
	expect((await server.get(`/v1/datasets/${before.id}/splits`)).json.data).toEqual([]);
	const { read } = server.context.db;
	expect(await read.selectFrom("dataset_uploads").selectAll().execute()).toEqual([]);
	const revisions = read
		.selectFrom("dataset_example_revisions")
		.select(["from_version", "to_version"])
		.where("dataset_id", "=", idOf(before.id));
	expect(await revisions.execute()).toEqual([{ from_version: expect.any(Number), to_version: null }]);
});

it("reads JSON lines with all digits of numbers, flattens objects, and reads the format of Spanward's downloads", async () => {
	const type = "application/jsonl";
	const line = '{"id":"e1","q":{"big":12345678901234567890,"x":1},"m":null}\r\n\r\n';
	const fields: Fields = [...QUESTION, ["metadata_keys[]", "m"], ["flatten_keys[]", "q"], ["example_id_key", "id"]];
	const { json } = await uploadFile(server, [["name", "lines"], ...fields], { content: line, type });
	const url = `/v1/datasets/${json.data.dataset_id}`;
	expect((await server.get(`${url}/examples`)).text).toContain('"id":"e1"');
	expect((await server.get(`${url}/examples`)).text).toContain('{"big":12345678901234567890,"x":1}');
	const download = (await server.get(`${url}/jsonl`)).text;
	expect(await examplesOfFile([], download, { type })).toMatchObject([{ input: { x: 1 }, metadata: { m: null } }]);
	expect(await refusal(QUESTION, '{"q":1}\n[2]\n', { type })).toEqual([422, "line 2: it should be a JSON object"]);
	expect(
		await refusal([...QUESTION, ["input_keys[]", "p"], ["flatten_keys[]", "q"]], '{"q":{"p":1},"p":2}\n', { type }),
	).toEqual([422, 'line 1, column "p": there is another value of "p"']);
});

it("reads Arrow streams", async () => {
	const type = "application/x-pandas-pyarrow";
	const table = tableFromArrays({
		q: ["a", null],
		n: Float64Array.from([1, 2.5]),
		when: [new Date(0), new Date(1_500)],
	});
	const fields: Fields = [...QUESTION, ["output_keys[]", "n"], ["metadata_keys[]", "when"]];
	expect(await examplesOfFile(fields, tableToIPC(table, "stream"), { type })).toMatchObject([
		{ input: { q: "a" }, output: { n: 1 }, metadata: { when: "1970-01-01T00:00:00.000Z" } },
		{ input: { q: null }, output: { n: 2.5 }, metadata: { when: "1970-01-01T00:00:01.500Z" } },
	]);
	expect(await refusal(QUESTION, "no arrow", { type })).toEqual([422, expect.stringContaining("Invalid Arrow stream")]);
	expect(await refusal([["input_keys[]", "x"]], tableToIPC(table, "stream"), { type })).toEqual([
		422,
		"input keys not found in column headers: x",
	]);
});

it("answers 413 for files that are too large as sent, when inflated, or because of their column names", async () => {
	expect((await refusal(QUESTION, `q\n${"x".repeat(200_000)}\n`))[0]).toBe(413);
	expect((await refusal(QUESTION, gzipSync(`q\n${"x\n".repeat(200_000)}`), { encoding: "gzip" }))[0]).toBe(413);
	const name = "n".repeat(10_000);
	expect((await refusal([["input_keys[]", name]], `${name}\n${"1\n".repeat(100)}`))[0]).toBe(413);
});

it("refuses a form that breaks off, and one without its file", async () => {
	const { headers, payload } = formOf([["name", "broken"]], { content: "q\n1\n".repeat(1_000) });
	for (const end of [payload.length - 10, payload.length - 3_000, 30]) {
		const answer = await server.app.inject({
			method: "POST",
			url: "/v1/datasets/upload",
			headers,
			payload: payload.subarray(0, end),
		});
		expect([answer.statusCode, answer.body]).toEqual([422, expect.stringContaining("incomplete or malformed")]);
	}
	const without = formOf([["name", "broken"]]);
	const answer = await server.app.inject({ method: "POST", url: "/v1/datasets/upload", ...without });
	expect([answer.statusCode, answer.body]).toEqual([422, "The form has no file"]);
});

it("recognizes by Idempotency-Key that a file is sent again, and refuses another file with the same key", async () => {
	const send = async (content: string) => {
		const { headers, payload } = formOf([["name", "once"], ...QUESTION], { content });
		const all = { ...headers, "idempotency-key": "the-key" };
		return await server.app.inject({ method: "POST", url: "/v1/datasets/upload?sync=true", headers: all, payload });
	};
	const [first, again, other] = [await send("q\n1\n"), await send("q\n1\n"), await send("q\n2\n")];
	expect([first.statusCode, again.body, other.statusCode]).toEqual([200, first.body, 422]);
});

it("recognizes a form that is sent again in different chunks", async () => {
	const { headers, payload } = formOf([["name", "in pieces"], ...QUESTION, ["description", "d"]], {
		content: "q\n1\n",
	});
	const all = { ...headers, "idempotency-key": "in-pieces", "content-length": String(payload.length) };
	const send = async (cut: number) => {
		const pieces = Readable.from([payload.subarray(0, cut), payload.subarray(cut)]);
		const answer = await server.app.inject({
			method: "POST",
			url: "/v1/datasets/upload?sync=true",
			headers: all,
			payload: pieces,
		});
		return answer.statusCode;
	};
	const statuses: number[] = [];
	for (let cut = 1; cut < payload.length; cut += 3) statuses.push(await send(cut));
	expect(new Set(statuses)).toEqual(new Set([200]));
});

function idOf(globalId: string): number {
	return Number(Buffer.from(globalId, "base64").toString().split(":")[1]);
}
