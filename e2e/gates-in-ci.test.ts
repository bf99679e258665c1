import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createEvaluator, type Experiment, promptVersion, runExperiment, Spanward } from "@spanward/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runProgram } from "../clients/typescript/src/evaluate/program.ts";
import { asAdmin, createUserKey, logInAs, startWithAuth } from "./access/accounts.ts";
import { type ModelProvider, startModelProvider } from "./peers/model-provider.ts";
import { OWN_CLIENT, PYTHON } from "./python-clients.ts";
import type { TestServer } from "./server.ts";
import { findSnippet } from "./snippets.ts";

const ROOT = join(import.meta.dirname, "..");
const CLIENT = JSON.stringify(join(ROOT, "clients/typescript/src/index.ts"));
const BAD_ANSWERS = `]]>&<b>'@admin #1 \u0000\u0007\u001b[31m\ud800 ${"x".repeat(1_000_000)}`;

let provider: ModelProvider;
let server: TestServer;
let spanward: Spanward;
let folder: string;
let memberKey: string;
let viewerKey: string;
let good: Experiment;
let bad: Experiment;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-gates-"));
	provider = await startModelProvider();
	server = await startWithAuth({ SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1" });
	[memberKey, viewerKey] = await Promise.all([
		logInAs(server, "MEMBER").then(createUserKey),
		logInAs(server, "VIEWER").then(createUserKey),
	]);
	spanward = new Spanward({ baseUrl: server.url, apiKey: memberKey });
	await spanward.datasets.create({
		name: "capitals",
		examples: ["France", "Italy", "Spain"].map((country) => ({ input: { country }, output: { capital: "Paris" } })),
	});
	const right = createEvaluator({ name: "exact_match", evaluate: ({ output }) => output === "Paris" });
	const options = {
		dataset: "capitals",
		evaluators: [right],
		client: spanward,
		trace: false,
		onProgress: () => undefined,
	};
	good = (await runExperiment({ ...options, task: () => "Paris" })).experiment;
	bad = (await runExperiment({ ...options, task: () => BAD_ANSWERS })).experiment;
	await writeFile(
		join(folder, "task.ts"),
		`export function task({ input }) { return input.country === "Spain" ? "Madrid" : "Paris"; }`,
	);
	await writeFile(
		join(folder, "evaluators.ts"),
		`export { exactMatch } from ${CLIENT}; export function short({ output }) { return output.length < 6; }`,
	);
	await writeFile(
		join(folder, "failing.ts"),
		`export default ({ input }) => { if (input.country === "Italy") throw new RangeError("no map"); return "Paris"; }`,
	);
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
	await rm(folder, { recursive: true, force: true });
});

interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** `spanward-eval` in this process. */
async function call(args: readonly string[], { key = memberKey, url = server.url } = {}): Promise<Ended> {
	const written = { stdout: "", stderr: "" };
	const output = (of: keyof typeof written) => ({
		write: (text: string) => {
			written[of] += text;
		},
	});
	const io = {
		...{ stdout: output("stdout"), stderr: output("stderr"), signal: new AbortController().signal },
		connect: (baseUrl = "") => new Spanward({ baseUrl, apiKey: key, retries: { attempts: 1 } }),
	};
	return { code: await runProgram([...args, "--url", url], io), ...written };
}

describe("E81 the curl of docs/gates-in-ci.md", () => {
	async function build(experiment: string, key = viewerKey): Promise<Ended> {
		const code = findSnippet("docs/gates-in-ci.md", "sh", "curl", server);
		const env = { ...process.env, EXPERIMENT: experiment, SERVICE_API_KEY: key };
		const sh = spawn("sh", ["-c", code], { cwd: folder, env });
		const [stdout, stderr, [status]] = await Promise.all([text(sh.stdout), text(sh.stderr), once(sh, "close")]);
		return { code: Number(status), stdout, stderr };
	}

	test("passes what is good, with a viewer's key", async () => {
		expect(await build(good.id)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\{"passed":true,/) });
	});

	test.each([
		["what is not good", () => build(bad.id), 1],
		["an experiment that is not there", () => build("RXhwZXJpbWVudDo5OTk5OTk="), 2],
		["a wrong key", () => build(good.id, "wrong"), 2],
	])("fails the build for %s", async (_, run, wanted) => {
		expect((await run()).code).toBe(wanted);
	});
});

test("E79 the test report of hostile outputs is XML to a strict parser", async () => {
	const report = await spanward.experiments.gateReport(bad.id, ["mean('exact_match') >= 0.8"], {
		baseline: good.id,
		format: "junit",
	});
	const file = join(folder, "hostile.xml");
	await writeFile(file, report);
	const script = [
		"import sys, xml.etree.ElementTree as tree",
		"suites = tree.parse(sys.argv[1]).getroot()",
		"print(suites.tag, len(list(suites.iter('testcase'))), len(list(suites.iter('failure'))))",
		"print(']]>&<b>' in ''.join(suites.itertext()))",
	].join("\n");
	const { stdout } = await promisify(execFile)(PYTHON, ["-c", script, file]);
	expect(stdout).toBe("testsuites 4 4\nTrue\n");
});

describe("E80 spanward-eval", () => {
	const gate = (experiment: Experiment, ...args: string[]) => ["gate", "--experiment", experiment.id, ...args];

	test("gates with a viewer's key, and writes the reports", async () => {
		const [junit, markdown] = [join(folder, "gate.xml"), join(folder, "gate.md")];
		const passed = await call(
			gate(good, "--require", "mean('exact_match') == 1", "--junit", junit, "--markdown", markdown),
			{ key: viewerKey },
		);
		expect(passed).toMatchObject({ code: 0, stderr: "" });
		expect(passed.stdout).toMatch(/^Gate passed: http.*\n {2}ok {7}mean\('exact_match'\) == 1 {2}1 is == 1\.\n$/);
		expect(await readFile(junit, "utf8")).toMatch(/^<\?xml .*tests="1" failures="0"/s);
		expect(await readFile(markdown, "utf8")).toMatch(/^## ✅ Gate passed\n/);
	});

	test("says what is not met, and answers programs", async () => {
		const failed = await call(gate(bad, "--require", "mean('exact_match') > 0", "--baseline", good.id));
		expect(failed.code).toBe(1);
		expect(failed.stdout).toContain("FAILED   mean('exact_match') > 0  0 is not > 0.");
		expect(failed.stdout).toMatch(/: exact_match 1 before, 0 now: http/);
		const { stdout } = await call(gate(bad, "--require", "errors == 0", "--json"));
		expect(JSON.parse(stdout)).toMatchObject({ passed: true, requirements: [{ value: 0 }] });
	});

	test("E78 moves the tag only when the gate has passed", async () => {
		const tagged = async () => (await spanward.experiments.get(good.id)).tags;
		const tag = ["--tag-on-pass", "production"];
		expect((await call(gate(bad, "--require", "mean('exact_match') > 0", ...tag))).code).toBe(1);
		expect((await spanward.experiments.get(bad.id)).tags).toEqual([]);
		expect((await call(gate(good, "--require", "errors == 0", ...tag), { key: viewerKey })).code).toBe(77);
		expect(await tagged()).toEqual([]);
		expect((await call(gate(good, "--require", "errors == 0", ...tag))).code).toBe(0);
		expect(await tagged()).toEqual(["production"]);
		const against = await call(gate(bad, "--require", "delta('exact_match') >= 0", "--baseline", "tag:production"));
		expect(against.code).toBe(1);
	});

	test("runs an experiment and gates it", async () => {
		const [task, evaluators] = [join(folder, "task.ts"), join(folder, "evaluators.ts")];
		const args = ["run", "--dataset", "capitals", "--task", task, "--evaluator", evaluators, "--no-trace"];
		const ran = await call([...args, "--name", "by program", "--repetitions", "2"]);
		expect(ran).toMatchObject({ code: 0, stdout: "6 runs, exact_match 0.666667, short 0.666667\n" });
		expect(ran.stderr).toMatch(/^Experiment by program: http.*\ntasks: 6 of 6\nevaluations: 12 of 12\n$/);
		const gated = await call([...args, "--require", "mean('exact_match') >= 0.9"]);
		expect(gated).toMatchObject({ code: 1, stdout: expect.stringContaining("0.666667 is not >= 0.9.") });
	});

	test("an experiment with failures is not finished, unless a requirement counts them, and goes on", async () => {
		const failing = join(folder, "failing.ts");
		const evaluator = `${join(folder, "evaluators.ts")}:short`;
		const args = ["--evaluator", evaluator, "--no-trace"];
		const started = await call(["run", "--dataset", "capitals", "--task", failing, ...args]);
		expect(started).toMatchObject({ code: 2, stdout: "2 runs, 1 failed, short 1\n" });
		expect(started.stderr).toContain("1 runs and 0 evaluations failed. To do them again:");
		const id = /run --experiment (\S+) /.exec(started.stderr)?.[1] ?? "";
		const goOn = ["run", "--experiment", id, ...args];
		expect((await call([...goOn, "--task", failing, "--require", "mean('short') == 1"])).code).toBe(2);
		expect((await call([...goOn, "--task", failing, "--require", "errors <= 1"])).code).toBe(0);
		const before = await spanward.experiments.results(id);
		expect((await call([...goOn, "--task", join(folder, "task.ts"), "--require", "mean('short') == 1"])).code).toBe(0);
		const after = await spanward.experiments.results(id);
		const kept = (run: { error: string | null }) => run.error === null;
		expect(after.filter(kept)).toHaveLength(3);
		expect(after).toEqual(expect.arrayContaining(before.filter(kept)));
	});

	test.each([
		["no command", [], 64],
		["an unknown option", ["gate", "--frobnicate"], 64],
		["no requirement", ["gate", "--experiment", "x"], 64],
		["a requirement that cannot be read", ["gate", "--experiment", "GOOD", "--require", "mena('x') > 1"], 64],
		[
			"an experiment that is not there",
			["gate", "--experiment", "RXhwZXJpbWVudDo5OTk5OTk=", "--require", "errors == 0"],
			64,
		],
		["no file", ["run", "--dataset", "capitals", "--task", "/nowhere.ts"], 64],
		["a dataset that is not there", ["run", "--dataset", "nothing", "--task", "TASK"], 64],
		["a new experiment's option to go on", ["run", "--experiment", "x", "--task", "TASK", "--name", "y"], 64],
	])("%s is wrong use", async (_, args, code) => {
		const filled = args.map((word) => word.replace("GOOD", good.id).replace("TASK", join(folder, "task.ts")));
		const ended = await call(filled);
		expect(ended.code, ended.stderr).toBe(code);
		expect(ended.stderr).toMatch(/spanward-eval --help says more\.\n$/);
	});

	test("an unfinished experiment, no server and a wrong key have their own codes", async () => {
		const empty = await spanward.experiments.create("capitals");
		expect((await call(gate(empty, "--require", "errors == 0"))).code).toBe(2);
		expect((await call(gate(empty, "--require", "errors == 0", "--allow-incomplete"))).code).toBe(0);
		const closed = "http://127.0.0.1:1";
		const unreached = await call(gate(good, "--require", "errors == 0"), { url: closed });
		expect(unreached).toMatchObject({ code: 69, stderr: expect.stringContaining("cannot reach http://127.0.0.1:1") });
		expect((await call(gate(good, "--require", "errors == 0"), { key: "wrong" })).code).toBe(77);
	});

	test("Ctrl-C records what runs, and says how to go on", async () => {
		const slow = join(folder, "slow.ts");
		const go = join(folder, "go");
		await writeFile(
			slow,
			`import { existsSync } from "node:fs";
			const mayEnd = () => existsSync(${JSON.stringify(go)});
			export async function task() {
				if (!mayEnd()) console.log("running");
				while (!mayEnd()) await new Promise((resolve) => setTimeout(resolve, 20));
				return "Paris";
			}`,
		);
		const program = join(ROOT, "clients/typescript/src/evaluate/main.ts");
		const args = [
			"run",
			"--dataset",
			"capitals",
			"--task",
			slow,
			"--concurrency",
			"1",
			"--no-trace",
			"--url",
			server.url,
		];
		const child = spawn(process.execPath, [program, ...args], {
			env: { ...process.env, SERVICE_API_KEY: memberKey },
		});
		let said = "";
		child.stderr.on("data", (chunk: Buffer) => {
			said += chunk.toString();
		});
		const ended = once(child, "close");
		await once(child.stdout, "data");
		child.kill("SIGINT");
		await expect.poll(() => said).toContain("Stopping");
		await writeFile(go, "");
		const [status] = await ended;
		expect(status, said).toBe(2);
		const [, id = ""] = /To go on:\n {2}npx --no spanward-eval run --experiment (\S+) /.exec(said) ?? [];
		expect(said).toMatch(/Interrupted\.\n$/);
		expect(await spanward.experiments.get(id)).toMatchObject({ successful_run_count: 1, missing_run_count: 2 });
		const resumed = await call(["run", "--experiment", id, "--task", slow, "--no-trace"]);
		expect(resumed).toMatchObject({ code: 0, stdout: "3 runs\n" });
	});
});

describe("E80 what the server runs", () => {
	const prompt = ["--prompt", "capital@stable", "--connection", "stand-in"];
	beforeAll(async () => {
		const admin = asAdmin(server);
		const connection = { name: "stand-in", kind: "openai_compatible", base_url: provider.openai };
		await admin.data("POST", "/v1/model_connections", connection);
		await admin.data("POST", "/v1/model_prices", {
			...{ name: "stand-in", match: "prefix", pattern: "stand-in", provider: null },
			prices: { input: 1, output: 2 },
		});
		const version = promptVersion({
			...{ modelProvider: "OPENAI", modelName: "stand-in", parameters: { max_tokens: 50 } },
			messages: [{ role: "user", content: "Capital of {{country}}?" }],
		});
		const made = await spanward.prompts.create({ prompt: { name: "capital" }, version });
		await spanward.prompts.tag(made.id, { name: "stable" });
		await spanward.evaluators.create({
			name: "said",
			version: {
				...{ kind: "BUILT_IN", builtin: { key: "contains", parameters: { texts: ["You said"] } } },
			},
		});
	});

	test("a prompt runs over the dataset, with an evaluator of the server and one of a file", async () => {
		const args = ["run", "--dataset", "capitals", ...prompt, "--evaluator", "said"];
		const file = `${join(folder, "evaluators.ts")}:exactMatch`;
		const ran = await call([...args, "--evaluator", file, "--no-trace", "--require", "mean('contains') == 1"]);
		expect(ran, ran.stderr).toMatchObject({ code: 0 });
		expect(ran.stderr).toMatch(/^Experiment .*\ntasks: 3 of 3\n/s);
		const again = await call([...args, "--require", "mean('contains') < 1"]);
		expect(again.code, again.stderr).toBe(1);
	});

	test("a task is judged by an evaluator of the server", async () => {
		const task = join(folder, "task.ts");
		const ran = await call(["run", "--dataset", "capitals", "--task", task, "--evaluator", "said", "--no-trace"]);
		expect(ran).toMatchObject({ code: 0, stdout: "3 runs, contains 0\n" });
		const { experiment } = await runExperiment({
			...{ dataset: "capitals", task: () => "You said so", evaluators: ["server:said"], client: spanward },
			...{ trace: false, onProgress: () => undefined },
		});
		expect(experiment.scores).toMatchObject({ contains: { mean: 1, count: 3 } });
	});

	test("at the limit of costs it is not finished, and goes on with a higher one", async () => {
		const stopped = await call(["run", "--dataset", "capitals", ...prompt, "--max-cost", "0.00000001"]);
		expect(stopped.code, stopped.stderr).toBe(2);
		expect(stopped.stderr).toMatch(/What was recorded stays\..* is paused: .*\n$/s);
		const [, id = ""] = /--experiment (\S+) /.exec(stopped.stderr) ?? [];
		const resumed = await call(["run", "--experiment", id, "--max-cost", "1"]);
		expect(resumed, resumed.stderr).toMatchObject({ code: 0, stdout: "3 runs\n" });
	});

	test("python -m spanward.evaluate does the same", async () => {
		const args = ["run", "--dataset", "capitals", ...prompt, "--evaluator", "said", "--url", server.url];
		const { stdout } = await promisify(execFile)(PYTHON, ["-m", "spanward.evaluate", ...args], {
			env: { ...process.env, PYTHONPATH: OWN_CLIENT, SERVICE_API_KEY: memberKey },
		});
		expect(stdout).toBe("3 runs, contains 1\n");
		const unknown = await call(["run", "--dataset", "capitals", "--prompt", "capital", "--connection", "other"]);
		expect(unknown).toMatchObject({ code: 64, stderr: expect.stringContaining("Connections: stand-in.") });
	});
});
