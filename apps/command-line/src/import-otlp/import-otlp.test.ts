import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { encodeTraceRequest, parseTraceRequestJson } from "@spanward/otlp";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { T0 } from "../../../server/src/test-app.ts";
import { openTestCommands, type TestCommands } from "../test-command.ts";

let commands: TestCommands;
beforeAll(async () => {
	commands = await openTestCommands();
});
afterAll(() => commands[Symbol.asyncDispose]());
beforeEach(() => commands.app.clear());

/** A message with one span of this number. */
const message = (n: number, more: object = {}) =>
	JSON.stringify({
		resourceSpans: [
			{
				scopeSpans: [
					{
						spans: [
							{
								...{ traceId: "1".repeat(32), spanId: n.toString(16).padStart(16, "0"), name: `span ${n}` },
								...{ startTimeUnixNano: `${T0}000000000`, endTimeUnixNano: `${T0}100000000` },
								...more,
							},
						],
					},
				],
			},
		],
	});
const protobuf = (text: string) => Buffer.from(encodeTraceRequest(parseTraceRequestJson(text).resourceSpans));
const prefixed = (bytes: Buffer) => {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(bytes.length);
	return Buffer.concat([length, bytes]);
};
const given = async (name: string, contents: string | Buffer): Promise<string> => {
	const path = join(commands.folder, name);
	await mkdir(join(path, ".."), { recursive: true });
	await writeFile(path, contents);
	return path;
};
const stored = async (project = "default"): Promise<string[]> => {
	const { json } = await commands.call(["spans", "list", "--project", project, "--limit", "all", "--json"]);
	return json.map(({ name }) => name).sort();
};
const importOtlp = (...args: string[]) => commands.call(["import", "otlp", ...args]);

test("AG22 broken lines and rejected spans of a Collector's file are named, the rest is stored, and the exit code is 1", async () => {
	const lines = [
		message(1),
		'{"resourceSpans": [{"sco',
		message(2),
		message(3, { traceId: "zz" }),
		'{"resourceMetrics":[]}',
		"",
		"nonsense",
		message(4),
	];
	const path = await given("traces.json", `${lines.join("\r\n")}\n`);
	const { code, stderr } = await importOtlp(path, "--project", "imported");
	expect(code).toBe(1);
	expect(stderr.split("\n")).toEqual([
		expect.stringMatching(/traces\.json, line 2 is no OTLP: .*JSON/),
		expect.stringMatching(/traces\.json, line 4: 1 rejected: .*traceId must be 32 hex digits/),
		expect.stringMatching(/traces\.json, line 7 is no OTLP: .*JSON/),
		expect.stringMatching(/^Sent 7 messages .* 3 were not stored whole\. Left out 1 of metrics or profiles\.$/),
		"",
	]);
	expect(await stored("imported")).toEqual(["span 1", "span 2", "span 4"]);
});

test("every form of file is read, a folder of them too", async () => {
	const files = {
		"document.json": JSON.stringify(JSON.parse(message(1)), null, "\t"),
		"lines.jsonl.gz": gzipSync(`${message(2)}\n${message(3)}\n`),
		"lines.jsonl.zst": zstdCompressSync(`${message(4)}\n${message(5)}`),
		"whole.bin": Buffer.concat([protobuf(message(6)), protobuf(message(7))]),
		"collector/proto": Buffer.concat([message(8), message(9)].map((text) => prefixed(protobuf(text)))),
		"collector/proto-zstd": Buffer.concat(
			[message(10), message(11)].map((text) => prefixed(zstdCompressSync(protobuf(text)))),
		),
		"collector/json-zstd": prefixed(zstdCompressSync(message(12))),
		".hidden": "no file of spans",
	};
	for (const [name, contents] of Object.entries(files)) await given(`forms/${name}`, contents);
	const { code, json, stderr } = await importOtlp(join(commands.folder, "forms"), "--json");
	expect({ code, stderr, json }).toEqual({
		...{ code: 0, stderr: "" },
		json: [{ messages: 11, bytes: expect.any(Number), refused: 0, ignored: 0 }],
	});
	expect(await stored()).toEqual(Array.from({ length: 12 }, (_, n) => `span ${n + 1}`).sort());
});

test("log records in protobuf are told from spans, and metrics from both", async () => {
	// As an agent sent them: fixtures/agents/README.md.
	const fixtures = join(import.meta.dirname, "../../../../fixtures/agents/claude-code");
	const logs = await Promise.all(["logs-001.bin", "logs-002.bin"].map((name) => readFile(join(fixtures, name))));
	const field = (number: number, bytes: Buffer) => Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
	const metric = field(
		1,
		field(2, field(2, Buffer.concat([field(1, Buffer.from("tokens")), field(5, Buffer.alloc(0))]))),
	);
	const empty = field(1, field(2, Buffer.alloc(0)));
	const collector = Buffer.concat([protobuf(message(1)), empty, ...logs.slice(0, 1), metric].map(prefixed));
	const { code, json, stderr } = await importOtlp(
		await given("signals/collector", collector),
		await given("signals/whole.bin", logs[1] ?? ""),
		"--json",
	);
	expect({ code, stderr, json }).toEqual({
		...{ code: 0, stderr: "" },
		json: [{ messages: 5, bytes: expect.any(Number), refused: 0, ignored: 1 }],
	});
	const names = await stored();
	expect(names).toEqual(expect.arrayContaining(["span 1"]));
	expect(names.length).toBeGreaterThan(2);
});

test("what is damaged or something else is named, and what comes before it is stored", async () => {
	const cut = prefixed(protobuf(message(2))).subarray(0, 20);
	const files = {
		"cut.bin": Buffer.concat([prefixed(protobuf(message(1))), cut]),
		"picture.png": Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
		"damaged.zst": prefixed(Buffer.concat([zstdCompressSync(protobuf(message(3))).subarray(0, 12), Buffer.alloc(4)])),
		"wrong.bin": Buffer.concat([
			prefixed(protobuf(message(4))),
			prefixed(Buffer.from("wrong")),
			prefixed(protobuf(message(5))),
		]),
	};
	const paths = await Promise.all(Object.entries(files).map(([name, contents]) => given(`damaged/${name}`, contents)));
	const { code, stderr } = await importOtlp(...paths);
	expect(code).toBe(1);
	expect(stderr).toMatch(
		/cut\.bin, message 2 is cut off\.\n.*picture\.png, message 1 is neither OTLP in JSON nor in protobuf\.\n/,
	);
	expect(stderr).toMatch(/damaged\.zst, message 1 is damaged: .*\n.*wrong\.bin, message 2 is no OTLP: /);
	expect(await stored()).toEqual(["span 1", "span 4", "span 5"]);
	const damagedGzip = await given("damaged.gz", gzipSync(message(6).repeat(2_000)).subarray(0, 200));
	expect(await importOtlp(damagedGzip)).toMatchObject({
		code: 1,
		stderr: expect.stringMatching(/damaged\.gz is damaged/),
	});
	expect((await importOtlp(join(commands.folder, "nowhere"))).code).toBe(2);
});

test("an interrupted import goes on where it was", async () => {
	// Each too large to go together with others.
	const large = (n: number) =>
		message(n, { attributes: [{ key: "text", value: { stringValue: "x".repeat(600_000) } }] });
	const path = await given("long.jsonl", Array.from({ length: 8 }, (_, n) => `${large(n + 1)}\n`).join(""));
	const interrupt = new AbortController();
	let asked = 0;
	const between = createServer(async (request, answer) => {
		asked += 1;
		if (asked > 5) return interrupt.abort();
		const body = await new Response(request as never).arrayBuffer();
		const done = await fetch(`${commands.url}${request.url}`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body,
		});
		answer.writeHead(done.status, { "content-type": "application/json" }).end(await done.text());
	});
	const listen = (port: number) => new Promise<void>((resolve) => between.listen(port, "127.0.0.1", resolve));
	await listen(0);
	const address = between.address();
	const port = typeof address === "object" ? (address?.port ?? 0) : 0;
	const env = { SERVICE_URL: `http://127.0.0.1:${port}` };
	const first = await commands.call(["import", "otlp", path], { env, signal: interrupt.signal });
	expect(first).toMatchObject({
		code: 130,
		stderr: expect.stringMatching(/^Interrupted in .* after [1-5] messages\. The same command again/),
	});
	asked = -100;
	const second = await commands.call(["import", "otlp", path], { env });
	between.close();
	expect(second).toMatchObject({ code: 0, stderr: expect.stringMatching(/going on after [1-5] messages/) });
	expect(asked).toBeLessThan(-100 + 8);
	expect(await stored()).toHaveLength(8);
});
