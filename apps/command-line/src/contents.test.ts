import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { text } from "../../server/src/test-app.ts";
import { openTestCommands, type TestCommands } from "./test-command.ts";

const TRACE = "1".repeat(32);
const SPAN = "1".repeat(16);
let commands: TestCommands;
beforeAll(async () => {
	commands = await openTestCommands();
	await commands.app.send([{ attributes: { "session.id": text("chat") } }]);
});
afterAll(() => commands[Symbol.asyncDispose]());

const call = (args: string, input?: string) => commands.call(args.split(" "), input === undefined ? {} : { input });
const file = async (name: string, contents: string): Promise<string> => {
	const path = join(commands.folder, name);
	await writeFile(path, contents);
	return path;
};

test("a span is annotated by arguments; many things by lines, of which broken and refused ones are named", async () => {
	expect((await call(`annotate span ${SPAN} --name quality --label bad --score -1.5 --explanation why`)).code).toBe(0);
	const lines = [
		{ trace_id: TRACE, name: "t", score: 1 },
		{ session_id: "chat", name: "s", label: "yes", annotator_kind: "CODE" },
		{ span_id: SPAN, name: "q" },
		{ span_id: "f".repeat(16), name: "q", score: 1 },
		{ name: "nothing" },
		{ span_id: SPAN, name: "q2", result: { score: 0.5 } },
	].map((line) => JSON.stringify(line));
	const { code, json, stderr } = await call("annotate --json", `${[...lines, "{broken"].join("\n")}\n`);
	expect({ code, json }).toEqual({ code: 1, json: [{ stored: expect.any(Number), failed: expect.any(Number) }] });
	expect(stderr).toMatch(/Line 4 is refused: .*f{16}/);
	expect(stderr).toMatch(/Line 5 has no span_id, trace_id or session_id\./);
	expect(stderr).toMatch(/Line 7 is no JSON: /);
	const annotations = await commands.app.get(`/v1/projects/default/span_annotations?span_ids=${SPAN}`);
	expect(annotations.json.data).toContainEqual(
		expect.objectContaining({
			name: "quality",
			annotator_kind: "HUMAN",
			result: { label: "bad", score: -1.5, explanation: "why" },
		}),
	);
	expect(annotations.json.data.map(({ name }: { name: string }) => name)).toContain("q2");
	expect((await call(`annotate span ${SPAN} --name quality`)).code).toBe(2);
	expect((await call(`annotate thing ${SPAN} --name quality --score 1`)).code).toBe(2);
	expect((await call(`annotate span ${"e".repeat(16)} --name quality --score 1`)).code).toBe(4);
});

test("a dataset is uploaded from lines or CSV, downloaded as it was, added to and replaced", async () => {
	const lines = `${JSON.stringify({ id: "a", input: { q: "1" }, output: { a: "2" }, metadata: {}, splits: ["test"] })}\n`;
	expect((await commands.call(["datasets", "upload", "sums", await file("sums.jsonl", lines)])).code).toBe(0);
	expect((await call("datasets download sums")).stdout).toBe(lines);
	expect((await commands.call(["datasets", "upload", "sums", await file("again.jsonl", lines)])).code).toBe(1);
	const more = await call("datasets upload sums - --append --json", '{"input": {"q": "2"}}\n');
	expect(more.json[0]).toMatchObject({ name: "sums", example_count: 2 });
	expect(await call("datasets upload sums - --append", '{"input": {"q": "3"}}\n{"output": 1}\n')).toMatchObject({
		code: 2,
		stderr: expect.stringMatching(/^Line 2 is no example/),
	});
	const csv = await file("sums.csv", "question,answer\n1+1,2\n");
	expect((await call(`datasets upload sums ${csv} --replace --input question --output answer`)).code).toBe(0);
	expect((await call("datasets show sums")).stdout).toMatch(
		/examples {2}1\n.*\{"question":"1\+1"\} {2}\{"answer":"2"\}/s,
	);
	expect((await call("datasets list")).stdout).toMatch(/^NAME .*\nsums {9}1 /);
	expect((await call("datasets download sums --format csv")).stdout).toContain("1+1");
	const steering = await file("steering.csv", "question\n\u001b]0;title\u0007\n");
	await call(`datasets upload steering ${steering} --input question`);
	const shown = await commands.call(["datasets", "download", "steering", "--format", "csv"], { terminal: 80 });
	expect(shown.stdout).toContain("\\u{1b}]0;title");
	expect(shown.stdout).not.toContain("\u001b");
	expect((await call("datasets show nope")).code).toBe(4);
});

test("experiments are listed, shown and compared; a regression fails when that is asked for", async () => {
	await call("datasets upload compared -", '{"input": {"q": "1"}}\n{"input": {"q": "2"}}\n');
	const { json: datasets } = await call("datasets list --json");
	const datasetId = datasets.find(({ name }) => name === "compared").id;
	const made = await Promise.all(
		[1, 0].map(async (score, n) => {
			const { json } = await commands.app.call("POST", `/v1/datasets/${datasetId}/experiments`, { name: `e${n}` });
			const { data: examples } = (await commands.app.get(`/v1/datasets/${datasetId}/examples`)).json;
			for (const { node_id: example } of examples.examples) {
				const run = await commands.app.call("POST", `/v1/experiments/${json.data.id}/runs`, {
					...{ dataset_example_id: example, output: "x", repetition_number: 1 },
					...{ start_time: "2026-01-31T12:00:00Z", end_time: "2026-01-31T12:00:01Z" },
				});
				await commands.app.call("POST", "/v1/experiment_evaluations", {
					...{ experiment_run_id: run.json.data.id, name: "right", annotator_kind: "CODE", result: { score } },
					...{ start_time: "2026-01-31T12:00:00Z", end_time: "2026-01-31T12:00:01Z" },
				});
			}
			return String(json.data.id);
		}),
	);
	const [good = "", bad = ""] = made;
	expect((await call("experiments list --dataset compared --json")).json.map(({ id }) => id).sort()).toEqual(
		[...made].sort(),
	);
	expect((await call(`experiments show ${good}`)).stdout).toMatch(/name {6}e0\n.*right +1\.0000 .* 2\n$/s);
	const compared = await call(`experiments compare ${good} ${bad}`);
	expect(compared).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nright +e1 +1 +0 +0 +2 +0 +0\n/) });
	expect(await call(`experiments compare ${good} ${bad} --metric right --fail-on-regression`)).toMatchObject({
		code: 1,
		stderr: "Regressed: right of e1.\n",
	});
	expect((await call(`experiments compare ${bad} ${good} --metric right --fail-on-regression`)).code).toBe(0);
	expect((await call(`experiments compare ${bad} ${good} --metric wrong`)).code).toBe(2);
	const gate = (id: string, ...args: string[]) => commands.call(["experiments", "gate", id, ...args]);
	const junit = join(commands.folder, "gate.xml");
	const passed = await gate(good, "--require", "mean('right') == 1", "--junit", junit, "--tag-on-pass", "best");
	expect(passed).toMatchObject({ code: 0, stderr: "The experiment now has the tag best.\n" });
	expect(passed.stdout).toMatch(/^Gate passed: http.*\n.*\npassed +mean\('right'\) == 1 +2 +1 is == 1\.\n$/);
	expect(await readFile(junit, "utf8")).toContain('tests="1" failures="0"');
	const failed = await gate(bad, "--require", "delta('right') >= 0", "--baseline", "tag:best");
	expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/-1 is not >= 0\.\n.*right +1 +0\n$/s) });
	expect((await gate(bad)).code).toBe(2);
	expect((await gate(bad, "--require", "mena('right') > 0")).stderr).toContain("Did you mean mean?");
});

test("a prompt is pushed once, pulled as it was, tagged, and compared", async () => {
	const text = (said: string) => ({ type: "text", text: said });
	const version = (content: string | object[]) =>
		JSON.stringify({
			...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "MUSTACHE" },
			template: { type: "chat", messages: [{ role: "user", content }] },
			invocation_parameters: { type: "openai", openai: { temperature: 0 } },
		});
	const first = await call("prompts push greeting - --tag production --json", version("Hello {{name}}"));
	expect(first).toMatchObject({ code: 0, json: [{ is_new: true }] });
	const path = join(commands.folder, "greeting.json");
	expect((await call(`prompts pull greeting --tag production --output ${path}`)).code).toBe(0);
	expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject(JSON.parse(version([text("Hello {{name}}")])));
	const same = await call(`prompts push greeting ${path} --json`);
	expect(same.json).toEqual([{ id: first.json[0].id, is_new: false }]);
	expect((await call("prompts push greeting - --tag staging", version("Good day {{name}}"))).code).toBe(0);
	const { stdout } = await call("prompts diff greeting production staging");
	expect(stdout).toMatch(/^@@ user to user, changed\n-Hello \{\{name\}\}\n\+Good day \{\{name\}\}\n$/);
	expect((await call("prompts tag greeting production --version staging")).code).toBe(0);
	expect((await call("prompts diff greeting production")).stderr).toContain("They are the same.");
	expect((await call("prompts pull greeting --format text")).stdout).toBe("[user]\nGood day {{name}}\n");
	expect((await call("prompts pull greeting --format openai")).stdout).toContain('"content": "Good day {{name}}"');
	expect((await call("prompts pull greeting --tag nope")).code).toBe(4);
	expect((await call("prompts push greeting -", "[]")).code).toBe(2);
});

test("AG19 what programs read of each list has these fields", async () => {
	const fields = async (args: string) => Object.keys((await call(`${args} --json`)).json[0] ?? {}).sort();
	const experiments = await fields("experiments list");
	expect({
		projects: await fields("projects list"),
		traces: await fields("traces list"),
		spans: await fields("spans list"),
		sessions: await fields("sessions list"),
		datasets: await fields("datasets list"),
		experiments,
		prompts: await fields("prompts list"),
		whoami: await fields("whoami"),
	}).toMatchInlineSnapshot(`
		{
		  "datasets": [
		    "created_at",
		    "description",
		    "example_count",
		    "id",
		    "metadata",
		    "name",
		    "updated_at",
		  ],
		  "experiments": [
		    "average_latency_ms",
		    "created_at",
		    "dataset_id",
		    "dataset_version_id",
		    "description",
		    "error_rate",
		    "example_count",
		    "failed_run_count",
		    "id",
		    "metadata",
		    "missing_run_count",
		    "name",
		    "project_name",
		    "repetitions",
		    "scores",
		    "successful_run_count",
		    "tags",
		    "task",
		    "total_cost",
		    "total_tokens",
		    "updated_at",
		    "user_id",
		  ],
		  "projects": [
		    "activity",
		    "created_at",
		    "description",
		    "id",
		    "name",
		    "updated_at",
		  ],
		  "prompts": [
		    "created_at",
		    "description",
		    "id",
		    "latest_version",
		    "metadata",
		    "name",
		    "source_prompt_id",
		    "tags",
		    "updated_at",
		    "version_count",
		  ],
		  "sessions": [
		    "end_time",
		    "error_count",
		    "first_input",
		    "id",
		    "last_output",
		    "latency_ms",
		    "project_id",
		    "running_count",
		    "session_id",
		    "span_count",
		    "start_time",
		    "state",
		    "token_count_completion",
		    "token_count_prompt",
		    "token_count_total",
		    "total_cost",
		    "trace_count",
		    "traces",
		    "user_id",
		  ],
		  "spans": [
		    "attributes",
		    "context",
		    "cumulative_cost",
		    "cumulative_error_count",
		    "cumulative_token_count_completion",
		    "cumulative_token_count_prompt",
		    "cumulative_token_count_total",
		    "end_time",
		    "events",
		    "id",
		    "latency_ms",
		    "model",
		    "name",
		    "parent_id",
		    "provider",
		    "session_id",
		    "span_kind",
		    "start_time",
		    "state",
		    "status_code",
		    "status_message",
		    "token_count_completion",
		    "token_count_prompt",
		    "token_count_total",
		    "tokens_are_aggregate",
		    "total_cost",
		    "user_id",
		  ],
		  "traces": [
		    "end_time",
		    "error_count",
		    "first_input",
		    "id",
		    "last_output",
		    "latency_ms",
		    "project_id",
		    "root_name",
		    "root_span_id",
		    "root_span_kind",
		    "root_status_code",
		    "running_count",
		    "session_id",
		    "span_count",
		    "spans",
		    "start_time",
		    "state",
		    "token_count_completion",
		    "token_count_prompt",
		    "token_count_total",
		    "total_cost",
		    "trace_id",
		    "user_id",
		  ],
		  "whoami": [
		    "credential",
		    "email",
		    "expires_at",
		    "permissions",
		    "profile",
		    "projects",
		    "role",
		    "url",
		    "username",
		    "version",
		  ],
		}
	`);
});
