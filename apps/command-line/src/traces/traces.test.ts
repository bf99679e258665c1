import { appendFile, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { T0, text } from "../../../server/src/test-app.ts";
import { openTestCommands, type TestCommands } from "../test-command.ts";

const TRACE = "ab".repeat(16);
const OTHER = "cd".repeat(16);
let commands: TestCommands;
beforeAll(async () => {
	commands = await openTestCommands();
	await commands.app.send(agentTrace(), "shop");
	const step = (n: number) => ({
		traceId: OTHER,
		spanId: hex(n + 1),
		name: "λ step",
		attributes: { n: { intValue: `${n}` } },
	});
	const exact = {
		traceId: "ef".repeat(16),
		startTimeUnixNano: `${T0}123456789`,
		endTimeUnixNano: `${T0}987654321`,
		attributes: {
			large: { intValue: "9007199254740993" },
			list: { arrayValue: { values: [{ doubleValue: 0.5 }, { boolValue: true }] } },
			"session.id": text("chat"),
			"input.value": text("Hello?\u001b[31m"),
		},
		events: [{ name: "it", timeUnixNano: `${T0}223456789`, attributes: [] }],
		status: { code: 2, message: "broken" },
	};
	await commands.app.send([...Array.from({ length: 600 }, (_, n) => step(n)), { ...step(700), ...exact }], "many");
});
afterAll(() => commands[Symbol.asyncDispose]());

const hex = (n: number) => n.toString(16).padStart(16, "0");

/** 300 spans: six steps, in each 24 times the same two; the fourth has an error at the bottom. */
function agentTrace(): Record<string, unknown>[] {
	const spans: Record<string, unknown>[] = [];
	const add = (parent: string | undefined, name: string, start: number, ms: number, more: object = {}) => {
		const spanId = hex(spans.length + 1);
		const at = (offset: number) => `${BigInt(T0) * 1_000_000_000n + BigInt(offset) * 1_000_000n}`;
		const [startTimeUnixNano, endTimeUnixNano] = [at(start), at(start + ms)];
		spans.push({ traceId: TRACE, spanId, name, startTimeUnixNano, endTimeUnixNano, parentSpanId: parent, ...more });
		return spanId;
	};
	const root = add(undefined, "answer", 0, 12_000);
	for (let step = 0; step < 6; step += 1) {
		const start = step * 1_950;
		const plan = add(root, `step ${step}`, start, 1_900);
		for (let n = 0; n < 24; n += 1)
			add(add(plan, "embed", start + n * 20, 15 + n), "POST /v1/embeddings", start + n * 20, 10);
		if (step !== 3) continue;
		const tool = add(plan, "call API", start + 1_500, 300, { status: { code: 2 } });
		for (let n = 0; n < 4; n += 1)
			add(tool, "GET /parcels", start + 1_500, 290, { status: { code: 2, message: "timeout" } });
	}
	return spans;
}

test("traces are listed, and a filter that was probably not meant is named", async () => {
	const { stdout } = await commands.call(["traces", "list", "--project", "shop"]);
	expect(stdout).toMatch(new RegExp(`^TRACE .*\\n${TRACE}  2023-11-14 22:13:20Z  answer +12\\.00 s +300 +5 `));
	const wrong = await commands.call(["spans", "list", "--project", "shop", "--filter", "sapn_kind == 'LLM'"]);
	expect(wrong).toMatchObject({
		code: 0,
		stderr: expect.stringMatching(/Warning: .*Did you mean span_kind\?\nNo span/),
	});
	const broken = await commands.call(["spans", "list", "--filter", "latency_ms > "]);
	expect(broken).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/at character \d+/) });
	const some = await commands.call(["spans", "list", "--project", "many", "--limit", "3", "--json"]);
	expect(some.json).toHaveLength(3);
	expect(some.stderr).toContain("--limit 30, or --limit all");
	const since = await commands.call(["spans", "list", "--project", "many", "--since", "2h", "--json"]);
	expect(since.json).toEqual([]);
});

test("AG26 a trace of 300 spans is a tree that fits 80×24, with its error at the bottom of it", async () => {
	const call = (columns: number, env = {}) =>
		commands.call(["trace", "show", TRACE], { terminal: columns, env: { LANG: "C.UTF-8", NO_COLOR: "1", ...env } });
	const { stdout } = await call(80);
	const lines = stdout.trimEnd().split("\n");
	expect(lines.length).toBeLessThanOrEqual(22);
	for (const line of lines) expect([...line].length, line).toBeLessThanOrEqual(80);
	expect(stdout).toMatch(
		/^answer {2}abab.*\n.* 300 spans {2}5 errors\nanswer .* 12\.00 s ━{20}\n├ step 0 .* 1\.90 s ━━━\n│ └ embed ×24 \+1 .* 38 ms ━\n/,
	);
	expect(stdout).toMatch(/│ └ ! call API .* 300 ms +━\n(│ {3}[├└] ! GET \/parcels .*\n){4}/);
	expect(stdout).toMatch(/\n! [0-9a-f]{16} GET \/parcels \(4 times\): timeout\n$/);
	const narrow = await call(40, { LANG: "C" });
	expect(narrow.stdout).toMatch(/^[\n\x20-\x7e]*$/);
	for (const line of narrow.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(40);
	const piped = await commands.call(["trace", "show", TRACE]);
	expect(piped.stdout).toMatch(/embed x24 .*\n.*POST \/v1\/embeddings /);
	const all = await commands.call(["trace", "show", TRACE, "--all"]);
	expect(all.stdout.match(/embeddings/g)).toHaveLength(144);
});

test("a span and a session are shown with their texts, in which nothing steers the terminal", async () => {
	const span = await commands.call(["span", "show", hex(701)]);
	expect(span.stdout).toContain("input.value  Hello?\\u{1b}[31m\n");
	const session = await commands.call(["session", "show", "chat"]);
	expect(session.stdout).toMatch(/session {2}chat\n.*\nin {2}Hello\?\\u\{1b\}\[31m\n$/s);
	expect((await commands.call(["span", "show", "f".repeat(16)])).code).toBe(4);
	expect((await commands.call(["trace", "show", "f".repeat(32)])).code).toBe(4);
});

test.each(["ndjson", "otlp"])(
	"AG21 an export as %s that was killed goes on, and is equal to the whole",
	async (format) => {
		const whole = join(commands.folder, `whole.${format}`);
		const args = ["traces", "export", "--project", "many", "--since", "9000d", "--format", format, "--output"];
		expect((await commands.call([...args, whole])).code).toBe(0);
		const interrupt = new AbortController();
		let pages = 0;
		const starts = new Set<string | null>();
		// Interrupted while the second page is asked for.
		const between = createServer(async (request, answer) => {
			pages += 1;
			starts.add(new URL(request.url ?? "", commands.url).searchParams.get("start_time"));
			if (pages === 2) return interrupt.abort();
			const page = await fetch(`${commands.url}${request.url}`);
			answer.writeHead(page.status, { "content-type": "application/json" }).end(await page.text());
		});
		await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
		const address = between.address();
		const port = typeof address === "object" ? address?.port : 0;
		const part = join(commands.folder, `part.${format}`);
		const env = { SERVICE_URL: `http://127.0.0.1:${port}` };
		const killed = await commands.call([...args, part], { env, signal: interrupt.signal });
		between.closeAllConnections();
		expect(killed).toMatchObject({ code: 130, stderr: expect.stringMatching(/500 spans are in .*again goes on/) });
		// What a crash may leave behind what counts.
		await appendFile(`${part}.part`, '{"half a line');
		const resumed = await commands.call([...args, part], { env });
		between.closeAllConnections();
		between.close();
		expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("Going on after 500 spans") });
		expect(await readFile(part, "utf8")).toBe(await readFile(whole, "utf8"));
		// What was 9,000 days ago at the beginning is asked for to the end.
		expect([...starts]).toEqual([expect.any(String)]);
		expect((await commands.call([...args, part])).code).toBe(1);
	},
);

test("what was exported as OTLP is the same spans with all digits when it is sent to another project", async () => {
	const file = (await commands.call(["traces", "export", "--project", "many", "--format", "otlp"])).stdout;
	expect(file.match(/"intValue":"9007199254740993"/g)).toHaveLength(1);
	const requests = file
		.trimEnd()
		.split("\n")
		.map((line): { resourceSpans: object[] } => JSON.parse(line));
	const { json } = await commands.app.call(
		"POST",
		"/v1/traces",
		{ resourceSpans: requests.flatMap(({ resourceSpans }) => resourceSpans) },
		{ "x-project-name": "copied" },
	);
	expect(json).toEqual({});
	const again = await commands.call(["traces", "export", "--project", "copied", "--format", "otlp"]);
	const sorted = (lines: string) => lines.split("\n").sort();
	expect(sorted(again.stdout)).toEqual(sorted(file));
});

test("an Arrow file is written whole, and is not shown on a terminal", async () => {
	const file = join(commands.folder, "spans.arrow");
	expect(
		(await commands.call(["traces", "export", "--project", "shop", "--format", "arrow", "--output", file])).code,
	).toBe(0);
	expect((await readFile(file)).readUInt32LE(0)).toBe(0xffffffff);
	const again = await commands.call(["traces", "export", "--project", "many", "--format", "arrow", "--output", file]);
	expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is there already") });
	expect((await stat(file)).mode & 0o077).toBe(0);
	const shown = await commands.call(["traces", "export", "--format", "arrow"], { terminal: 80 });
	expect(shown).toMatchObject({ code: 2, stdout: "" });
});
