import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { EvaluatorOutputs } from "../outputs.ts";
import { codeProblem } from "./check-code.ts";
import type { CodeTask } from "./code-messages.ts";
import { CodePool } from "./code-pool.ts";
import { faultMessage, readReturned } from "./evaluate-code.ts";

const meter = { seconds: [] as number[], kills: 0 };
const pool = new CodePool(1, {
	noteRun: (seconds) => meter.seconds.push(seconds),
	noteKill: () => {
		meter.kills += 1;
	},
});
afterAll(() => pool[Symbol.asyncDispose]());

function task(source: string, inputs: unknown = {}, rest: Partial<CodeTask> = {}): CodeTask {
	return { language: "javascript", source, timeoutMs: 5_000, memoryMib: 8, inputs: JSON.stringify(inputs), ...rest };
}

const run = (source: string, inputs?: unknown, rest?: Partial<CodeTask>) => pool.run(task(source, inputs, rest));

/** As `function evaluate` with this body. */
const body = (code: string) => `function evaluate({ output, expected }) {\n${code}\n}`;

async function valueFrom(source: string, inputs?: unknown): Promise<unknown> {
	const { returned, fault } = await run(source, inputs);
	if (returned === undefined) throw new Error(fault === undefined ? "nothing" : faultMessage(fault));
	return "value" in returned ? returned.value : returned.type;
}

const isRight = () => valueFrom(body("return output === expected;"), { output: "a", expected: "a" });

describe("E46: ends, while the next evaluation is right:", () => {
	it.each<[name: string, source: string, message: RegExp]>([
		["an endless loop", body("for (;;) {}"), /longer than 200 ms/],
		["an endless loop at the top", "for (;;) {}\nfunction evaluate() {}", /longer than 200 ms/],
		["endless jobs", body("const f = () => void Promise.resolve().then(f); return f();"), /longer than 200 ms/],
		[
			"endless jobs that are awaited",
			body("const f = () => Promise.resolve().then(f); return f();"),
			/more memory|than 5000 ms/,
		],
		["a string bomb", body('let s = "x"; for (;;) s += s;'), /memory|longer|too long|string/i],
		["a string bomb in one call", body('return "x".repeat(2 ** 29).split("").length;'), /memory|longer|string|length/i],
		["recursion", body("const f = (n) => 1 + f(n + 1); return f(0);"), /nest too deeply \(line 2\)/],
		["recursion in native calls", body("const f = (n) => [n].map(f); return f(0);"), /nest too deeply/],
		["recursion by JSON", body("let a = []; for (let i = 0; i < 1e6; i += 1) a = [a]; return JSON.stringify(a);"), /./],
		["a regular expression that explodes", body('return /(a+)+$/.test("a".repeat(40) + "!");'), /longer|memory/],
		["a huge array", body("return new Array(2 ** 31).fill(1);"), /./],
		["many arrays", body("const a = []; for (;;) a.push(new Uint8Array(1e6));"), /memory|longer/],
		["toJSON that loops", body("return { toJSON() { for (;;) {} } };"), /longer than 200 ms/],
		["a getter on the error", body("throw { get message() { for (;;) {} } };"), /longer than 200 ms/],
		["a getter on the stack", body("throw { message: 'x', get stack() { throw 1; } };"), /./],
		["the process", body("return this.constructor.constructor('return process')();"), /process.*not defined|undefined/],
		[
			"the process by a value",
			body("return output.constructor.constructor('return process')();"),
			/process.*not defined/,
		],
		[
			"globals of the thread",
			body(
				"return [typeof process, typeof require, typeof fetch, typeof setTimeout, typeof WebAssembly, typeof performance].every((type) => type === 'undefined') ? undefined.x : 1;",
			),
			/line 2/,
		],
		["a dynamic import", body("return import('node:fs');"), /./],
		["an import", "import fs from 'node:fs';\nfunction evaluate() {}", /./],
		["top-level await", "await 1;\nfunction evaluate() {}", /./],
		["a promise that is never settled", body("return new Promise(() => {});"), /never settled/],
		[
			"a patched prelude",
			body("JSON.stringify = () => { for (;;) {} }; Promise.prototype.then = null; return {};"),
			/./,
		],
		["a forged result", body("Object.prototype.toJSON = () => ({ type: 'other' }); return 1;"), /cannot be read/],
		["a NUL in its message", body("throw new Error('a\\0b\\ud800');"), /Error: a\ufffdb\ufffd \(line 2\)/],
		["a syntax error", "function evaluate() {\n return 1 +; }", /line 2/],
		["no function", "const evaluated = 1;", /no function evaluate/],
		["an error", body("\nreturn output.a.b;"), /TypeError.*line 3/],
		["a thrown text", body('throw "no";'), /no/],
	])("%s", async (_name, source, message) => {
		const timeoutMs = message.source.includes("longer") ? 200 : 5_000;
		const { fault } = await run(source, { output: {} }, { timeoutMs });
		expect(fault === undefined ? "no fault" : faultMessage(fault)).toMatch(message);
		expect(await isRight()).toBe(true);
	});

	it("what does not look at its interrupt is ended from outside, and the next run has a new thread", async () => {
		const before = meter.kills;
		const { fault } = await run(
			body('return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b");'),
			{},
			{ timeoutMs: 50, memoryMib: 128 },
		);
		expect(fault).toMatchObject({ code: "code_timeout", message: expect.stringContaining("was ended") });
		expect(meter.kills).toBe(before + 1);
		expect(await isRight()).toBe(true);
	});

	it.each(["javascript", "typescript"] as const)("%s that nests too deeply to be read", async (language) => {
		const { fault } = await run(`const x = ${"[".repeat(50_000)}`, {}, { language });
		expect(fault).toMatchObject({ code: "code_error", message: expect.stringMatching(/too deeply/) });
		expect(
			(await run("function evaluate(): number { return 1; }", {}, { language: "typescript" })).returned,
		).toMatchObject({
			value: 1,
		});
	});
});

test("E46: one evaluator never sees another's values, nor those of its own earlier runs", async () => {
	const leave =
		"globalThis.seen = [];\nArray.prototype.secret = 1;\nfunction evaluate({ output }) { globalThis.kept = output; return output; }";
	const look = "function evaluate() { return [typeof kept, typeof seen, [].secret === undefined].join(); }";
	expect(await valueFrom(leave, { output: "of project A" })).toBe("of project A");
	expect(await valueFrom(look)).toBe("undefined,undefined,true");
	const both =
		"let runs = 0;\nfunction evaluate({ output }) { runs += 1; const was = globalThis.was; globalThis.was = output; return [runs, was]; }";
	expect(await valueFrom(both, { output: "a" })).toEqual([1, null]);
	expect(await valueFrom(both, { output: "b" })).toEqual([1, null]);
});

const results = (outputs: unknown[], source: string) =>
	run(source).then(({ returned, fault }) =>
		returned === undefined ? fault : readReturned(EvaluatorOutputs.parse(outputs), returned),
	);

const quality = {
	name: "quality",
	type: "categorical",
	labels: [{ label: "Good", score: 1 }, { label: "bad", score: 0 }, { label: "unknown" }],
};
const isTrue = {
	name: "holds",
	type: "categorical",
	labels: [
		{ label: "true", score: 1 },
		{ label: "false", score: 0 },
	],
};
const score = { name: "score", type: "score", minimum: 0, maximum: 1, thresholds: [{ from: 0.5, label: "enough" }] };
const none = { explanation: null, error: null };

describe("E47: what code returns becomes a result:", () => {
	it.each<[string, unknown[], unknown]>([
		["return 0.75;", [score], { score: { ...none, label: "enough", score: 0.75 } }],
		["return 0;", [score], { score: { ...none, label: null, score: 0 } }],
		["return true;", [score], { score: { ...none, label: "enough", score: 1 } }],
		["return false;", [isTrue], { holds: { ...none, label: "false", score: 0 } }],
		['return " good ";', [quality], { quality: { ...none, label: "Good", score: 1 } }],
		['return "unknown";', [quality], { quality: { ...none, label: "unknown", score: null } }],
		[
			'return { label: "bad", explanation: "why" };',
			[quality],
			{ quality: { label: "bad", score: 0, explanation: "why", error: null } },
		],
		["return { score: 0.2 };", [score], { score: { ...none, label: null, score: 0.2 } }],
		['return { quality: "bad" };', [quality], { quality: { ...none, label: "bad", score: 0 } }],
		["return Promise.resolve(1);", [score], { score: { ...none, label: "enough", score: 1 } }],
		[
			'return { quality: "bad", score: { score: 1, explanation: "e" } };',
			[quality, score],
			{
				quality: { ...none, label: "bad", score: 0 },
				score: { label: "enough", score: 1, explanation: "e", error: null },
			},
		],
	])("%s", async (code, outputs, expected) => {
		expect(await results(outputs, body(code))).toEqual({ outputs: expected, warnings: [] });
	});

	it("of an async function, too", async () => {
		const source = "async function evaluate() { await null; return 0.5; }";
		expect(await results([score], source)).toMatchObject({ outputs: { score: { score: 0.5 } } });
	});

	it.each<[string, unknown[], RegExp]>([
		["", [score], /returned nothing/],
		["return () => 1;", [score], /a function, which is no result/],
		["return NaN;", [score], /the score is NaN/],
		["return { score: 1 / 0 };", [score], /the score is Infinity/],
		["return 2;", [score], /2 is greater than 1/],
		['return "0.5";', [score], /"0.5", and no number/],
		['return "great";', [quality], /"great"; the labels are "Good", "bad", "unknown"/],
		["return 1;", [quality], /is 1; the labels/],
		["return null;", [quality], /is null; the labels/],
		['return { label: "Good", score: 0 };', [quality], /score 0 beside a label whose score is 1/],
		['return { label: "Good", verdict: 1 };', [quality], /member "verdict"/],
		['return { label: "Good", explanation: 1 };', [quality], /explanation of the result is no text/],
		["return 1;", [quality, score], /with several outputs it has to return an object with "quality", "score"/],
		['return { quality: "Good" };', [quality, score], /no member "score"/],
		['return { quality: "Good", score: NaN };', [quality, score], /the member "score" is not right: the score is NaN/],
		['return "x".repeat(300000);', [quality], /more than 262144 characters/],
		["return { explanation: 'x'.repeat(300000) };", [quality], /more than 262144 characters/],
	])("or a message: %s", async (code, outputs, message) => {
		const read = await results(outputs, body(code));
		const errors = Object.values((read as ReturnType<typeof readReturned>).outputs).map(
			({ error }) => error?.message ?? "",
		);
		expect(errors.join("\n")).toMatch(message);
	});

	it("names members that are no outputs", async () => {
		const read = await results([quality, score], body('return { quality: "Good", score: 1, other: 1 };'));
		expect(read).toMatchObject({ warnings: [expect.stringContaining('"other"')] });
	});
});

describe("E46: an error has its line", () => {
	it.each<[string, number]>([
		["function evaluate({ output }) {\n\n return output.a.b;\n}", 3],
		["function evaluate({ output }) {\n const a = output.a;\n const b = a.b;\n return b;\n}", 3],
		["function evaluate({ output }) {\n const a = 1;\n\n if (output.a.b) return 1;\n}", 4],
		["function evaluate({ output }) {\n return [1].map(\n (x) =>\n output.a.b,\n );\n}", 4],
		["const last = (list) =>\n list.at(-1).text;\nfunction evaluate({ output }) {\n return last([]);\n}", 2],
		[
			"function evaluate({ output }) {\n const text = `\u0024{'a'}/\u0024{output.a\n.b}`;\n return /[/]return x`/.test(text) / 2;\n}",
			2,
		],
		["function evaluate({ output }) {\n for (const x of output.list) {}\n}", 2],
		["const iterator = { return() { return 1; } };\nfunction evaluate({ output }) {\n return output.a.b;\n}", 3],
	])("%j: %d", async (source, line) => {
		const { fault } = await run(source, { output: {} });
		expect(fault).toMatchObject({ code: "code_error", line });
	});
});

describe("E48: TypeScript", () => {
	const typescript = (source: string) => run(source, { output: 2 }, { language: "typescript" });

	it("runs without its types", async () => {
		const source =
			"interface Inputs { output: number }\ntype Result = number;\nfunction evaluate({ output }: Inputs): Result {\n return (output as number) * 2;\n}";
		expect((await typescript(source)).returned).toMatchObject({ value: 4 });
	});

	it("keeps its lines", async () => {
		const { fault } = await typescript(
			"interface A {\n x: number;\n}\nfunction evaluate(a: A): number {\n throw new Error('here');\n}",
		);
		expect(fault).toMatchObject({ line: 5, message: "Error: here" });
	});

	it.each([
		["enum", "const x = 1;\nenum Color { Red }\nfunction evaluate() {}", /enum.*JavaScript/i],
		["namespace", "\nnamespace A { export const a = 1; }\nfunction evaluate() {}", /namespace.*JavaScript/i],
		["syntax", "\nfunction evaluate(: number) {}", /cannot be read/],
	])("with %s is refused with a sentence and the line", async (_what, source, message) => {
		const { fault } = await typescript(source);
		expect(fault?.message).toMatch(message);
		expect(fault?.line).toBe(2);
	});
});

test("keeps 16 KiB of what it writes, also when it fails", async () => {
	const { log, returned } = await run(body('console.log("a", 1, { b: [2] }, null);\nreturn 1;'));
	expect([log, returned]).toEqual(['a 1 {"b":[2]} null\n', { type: "number", value: 1, text: "1" }]);
	const failed = await run(body('console.error("before"); for (;;) {}'), {}, { timeoutMs: 200 });
	expect(failed.log).toBe("before\n");
	const much = await run(body('for (let i = 0; i < 100; i += 1) console.log("x".repeat(1000));\nreturn 1;'));
	expect(much.log.length).toBeLessThanOrEqual(16_384);
	expect(much.log).toMatch(/… \(cut\)\n$/);
});

test("code is looked at before it is saved", async () => {
	const problem = (source: string, language: "javascript" | "typescript" = "javascript") => {
		const outputs = EvaluatorOutputs.parse([score]);
		const limits = { timeout_ms: 200, memory_mib: 8 };
		return codeProblem(pool, { kind: "CODE", inputs: [], outputs, language, source, ...limits });
	};
	expect(await problem("function evaluate({ output }) { return output.a; }")).toBeUndefined();
	expect(await problem("function evaluate( {}")).toMatch(/SyntaxError.*line 1/);
	expect(await problem("enum A { b }\nfunction evaluate() {}", "typescript")).toMatch(/enum.*line 1/i);
	expect(await problem("for (;;) {}\nfunction evaluate() {}")).toMatch(/longer than 200 ms/);
});

test("code that is only looked at need not have inputs", async () => {
	const { inputs: _, ...withoutInputs } = task("function evaluate() { throw 1; }");
	expect((await pool.run(withoutInputs)).fault).toBeUndefined();
});

test("inputs of 8 MiB are taken, larger ones are not", async () => {
	const output = "x".repeat(8 * 1_048_576 - 100);
	expect((await run(body("return output.length;"), { output }, { timeoutMs: 5_000 })).returned).toMatchObject({
		value: output.length,
	});
	expect((await run(body("return 1;"), { output: `${output}${"x".repeat(200)}` })).fault).toMatchObject({
		code: "too_long",
	});
});

test("the code in docs/evaluators.md runs", async () => {
	const page = await readFile(join(import.meta.dirname, "../../../../../docs/evaluators.md"), "utf8");
	const [, source = ""] = /```javascript\n([\s\S]*?)```/.exec(page) ?? [];
	expect(await valueFrom(source, { output: "a b", expected: { keywords: ["a", "c"] } })).toEqual({
		score: 0.5,
		explanation: "found a",
	});
});

test("many runs that wait are done one after the other", async () => {
	const sources = Array.from({ length: 40 }, (_, at) => body(`return ${at % 4} * 100 + output;`));
	const values = await Promise.all(sources.map((source, at) => valueFrom(source, { output: at })));
	expect(values).toEqual(sources.map((_, at) => (at % 4) * 100 + at));
	expect(pool.threads).toBe(1);
	expect(meter.seconds.length).toBeGreaterThan(40);
});

test("without threads there is no code, and a thread without work ends", async () => {
	await using none = new CodePool(0, meter as never);
	expect((await none.run(task(body("return 1;")))).fault).toMatchObject({ code: "code_off" });
	await using idle = new CodePool(1, { noteRun: () => {}, noteKill: () => {} }, { idleMs: 1 });
	expect((await idle.run(task(body("return 1;")))).returned).toMatchObject({ value: 1 });
	await expect.poll(() => idle.threads).toBe(0);
	expect((await idle.run(task(body("return 2;")))).returned).toMatchObject({ value: 2 });
});
