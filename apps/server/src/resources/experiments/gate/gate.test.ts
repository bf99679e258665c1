import type { Insertable } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import { evaluation, makeDataset, run, type TestDataset } from "../test-datasets.ts";

let server: TestApp;
let dataset: TestDataset;
/** Finished, with a score of {@link TWELVE} for each example. */
let twelve: string;
beforeAll(async () => {
	server = await openTestApp();
	dataset = await makeDataset(server.context, 12);
	twelve = await scored(TWELVE);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Result {
	readonly score?: number | null;
	readonly label?: string;
	readonly error?: string;
	readonly by?: "CODE" | "HUMAN";
}

interface TestRun {
	readonly output?: unknown;
	readonly error?: string;
	readonly ms?: number;
	readonly results?: Readonly<Record<string, Result | number>>;
}

/** An experiment with these runs: for each example one for each repetition. */
async function experiment(examples: readonly (readonly TestRun[])[], of = dataset): Promise<string> {
	const repetitions = Math.max(1, ...examples.map((runs) => runs.length));
	const made = await server.call("POST", `/v1/datasets/${of.id}/experiments`, { repetitions });
	const id: string = made.json.data.id;
	for (const [index, runs] of examples.entries()) {
		for (const [repetition, { output = "an answer", error = null, ms = 250, results = {} }] of runs.entries()) {
			const end_time = new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
			const body = run(of.exampleIds[index] ?? "", { repetition_number: repetition + 1, output, error, end_time });
			const { json } = await server.call("POST", `/v1/experiments/${id}/runs`, body);
			for (const [name, result] of Object.entries(results)) {
				const {
					error: failure,
					by: annotator_kind = "CODE",
					...outcome
				}: Result = typeof result === "number" ? { score: result } : result;
				const judged = failure === undefined ? { result: outcome } : { result: null, error: failure };
				const path = "/v1/experiment_evaluations";
				const { status, text } = await server.call(
					"POST",
					path,
					evaluation(json.data.id, name, { annotator_kind, ...judged }),
				);
				if (status !== 200) throw new Error(text);
			}
		}
	}
	return id;
}

function rowNumber(type: "Experiment" | "DatasetExample", id: string): number {
	return decodeGlobalId(id, type) ?? Number.NaN;
}

/** One run for each example, with this score of `f1`. */
function scored(scores: readonly number[], of?: TestDataset): Promise<string> {
	return experiment(
		scores.map((f1) => [{ results: { f1 } }]),
		of,
	);
}

async function gate(id: string, require: string | readonly string[], query: Record<string, string> = {}) {
	const search = new URLSearchParams([...[require].flat().map((one) => ["require", one]), ...Object.entries(query)]);
	return await server.get(`/v1/experiments/${id}/gate?${search}`);
}

/** The only outcome. */
async function outcome(id: string, require: string, query: Record<string, string> = {}) {
	const { status, json, text } = await gate(id, require, query);
	expect(status, text).toBe(200);
	return json.requirements[0];
}

const TWELVE = [0.5, 1, 0.75, 1, 1, 0.25, 1, 0.9, 0.8, 1, 0.6, 0.7] as const;

test("E77 requirements that hold pass, with value, number and interval", async () => {
	const id = twelve;
	const { json } = await gate(id, ["mean('f1') >= 0.79", "count('f1') == 12", "errors == 0", "missing == 0"]);
	expect(json).toMatchObject({
		passed: true,
		problems: [],
		experiment: { id, example_count: 12, successful_run_count: 12, failed_run_count: 0, missing_run_count: 0 },
		baseline: null,
		regressions: [],
	});
	const [mean, count, errors, missing] = json.requirements;
	expect(mean).toMatchObject({
		requirement: "mean('f1') >= 0.79",
		...{ outcome: "passed", reason: null, count: 12, message: "0.791667 is >= 0.79." },
	});
	expect(mean.value).toBeCloseTo(9.5 / 12, 12);
	const [low, high] = mean.confidence_interval;
	expect(low).toBeLessThan(mean.value);
	expect(high).toBeGreaterThan(mean.value);
	expect(await outcome(id, "lower('f1') > 0")).toMatchObject({ value: low, count: 12 });
	expect(await outcome(id, "min('f1') == 0.25")).toMatchObject({ outcome: "passed", count: 12 });
	expect([count, errors, missing]).toMatchObject([{ value: 12 }, { value: 0, count: 12 }, { value: 0, count: 12 }]);
	expect(new URL(json.url).pathname).toBe(`/datasets/${dataset.id}/compare`);
	expect(new URL(json.url).searchParams.getAll("experiment")).toEqual([id]);
});

test("E77 a requirement that does not hold fails the gate, and only that", async () => {
	const { json } = await gate(twelve, ["mean('f1') > 0.8", "mean('f1') < 0.8"]);
	expect(json.passed).toBe(false);
	expect(json.requirements).toMatchObject([
		{ outcome: "failed", reason: "not_met", message: "0.791667 is not > 0.8." },
		{ outcome: "passed" },
	]);
});

test("values that differ by a rounding error are equal", async () => {
	const id = await experiment([[0.1, 0.2, 0.3].map((f1) => ({ results: { f1 } }))]);
	for (const [require, wanted] of [
		["mean('f1') == 0.2", "passed"],
		["mean('f1') >= 0.2", "passed"],
		["mean('f1') <= 0.2", "passed"],
		["mean('f1') > 0.2", "failed"],
		["mean('f1') < 0.2", "failed"],
	] as const) {
		expect(await outcome(id, require)).toMatchObject({ outcome: wanted });
	}
});

test("E77 no value is a failure, with the reason", async () => {
	const id = await experiment([
		[{ results: { f1: 1, tone: { score: null, label: "kind" }, broken: { error: "no key" } } }],
	]);
	for (const [require, reason, message] of [
		["mean('tone') >= 0", "no_value", "No evaluation of this name has a score."],
		["share('f1', 'kind') <= 1", "no_value", "No evaluation of this name has a label."],
		["mean('broken') <= 1", "no_value", "No evaluation of this name has a score."],
		["lower('f1') >= 0", "too_few", "Only 1 example has a score: an interval takes 10."],
		["cost_usd <= 1", "no_value", "No cost is known: the runs have no traces, or their models no price."],
		["mean('f2') >= 0", "unknown_metric", "The experiment has no evaluation of this name. Did you mean f1?"],
		["count('zzz') <= 5", "unknown_metric", expect.stringContaining("There are: broken, f1, tone.")],
		["delta('f1') >= 0", "no_baseline", "There is no baseline to compare with."],
	]) {
		const found = await outcome(id, String(require), { allow_incomplete: "true" });
		expect(found).toMatchObject({ outcome: "failed", reason, message, value: null, count: null });
	}
	const empty = await experiment([]);
	expect(await outcome(empty, "mean('f1') >= 0")).toMatchObject({ message: "The experiment has no evaluations." });
	expect(await outcome(empty, "latency_p95_ms <= 1")).toMatchObject({ message: "The experiment has no runs." });
});

test("E77 a missing baseline fails, or is left out where it may be missing", async () => {
	const id = twelve;
	for (const baseline of ["tag:production", "RXhwZXJpbWVudDo5OTk5OTk="]) {
		const failed = await gate(id, ["delta('f1') >= 0", "errors == 0"], { baseline });
		expect(failed.json).toMatchObject({
			passed: false,
			problems: [{ code: "no_baseline" }],
			baseline: null,
			requirements: [{ outcome: "failed", reason: "no_baseline" }, { outcome: "passed" }],
		});
		const skipped = await gate(id, "delta('f1') >= 0", { baseline, baseline_optional: "true" });
		expect(skipped.json).toMatchObject({ passed: true, problems: [], requirements: [{ outcome: "skipped" }] });
	}
	// Of another dataset, it is no baseline either.
	const foreign = await scored([1], await makeDataset(server.context, 1));
	expect((await gate(id, "errors == 0", { baseline: foreign })).json).toMatchObject({
		problems: [{ code: "no_baseline" }],
	});
});

test("E77 an unfinished experiment fails unless it may be unfinished", async () => {
	const started = await scored([1, 1]);
	const { json } = await gate(started, "mean('f1') == 1");
	expect(json).toMatchObject({ passed: false, requirements: [{ outcome: "passed" }] });
	expect(json.problems).toEqual([
		{ code: "incomplete", message: "The experiment is not finished: 10 of 12 runs are missing." },
	]);
	expect((await gate(started, "mean('f1') == 1", { allow_incomplete: "true" })).json).toMatchObject({ passed: true });

	const small = await makeDataset(server.context, 2);
	const halfJudged = await experiment([[{ results: { f1: 1, seen: { score: 1, by: "HUMAN" } } }], [{}]], small);
	expect((await gate(halfJudged, "mean('f1') == 1")).json.problems).toMatchObject([
		{ message: 'The experiment is not finished: 1 of 2 runs have no evaluation "f1" yet.' },
	]);
	// People look at some of the runs only.
	expect((await gate(halfJudged, "mean('seen') == 1")).json).toMatchObject({ passed: true });
});

test("E77 an experiment that the server works on is not finished", async () => {
	const one = await makeDataset(server.context, 1);
	const id = await scored([1], one);
	const job: Insertable<Tables["experiment_jobs"]> = {
		...{ kind: "evaluate", name: "judging", dataset_id: null, dataset_version_id: null, state: "paused" },
		...{ reason: null, error: null, definition: "{}", max_cost_nanos: null, total_runs: 12, revision: 1 },
		...{ principal: "{}", user_id: null, created_at: 1, updated_at: 1 },
	};
	await server.context.db.write(async (transaction) => {
		const { id: jobId } = await transaction
			.insertInto("experiment_jobs")
			.values(job)
			.returning("id")
			.executeTakeFirstOrThrow();
		const of = { job_id: jobId, experiment_id: rowNumber("Experiment", id), position: 0 };
		await transaction.insertInto("experiment_job_experiments").values(of).execute();
	});
	expect((await gate(id, "mean('f1') > 0")).json).toMatchObject({ passed: false, problems: [{ code: "incomplete" }] });
});

test.each([
	["mena('x') > 1", 0, 4, ["mean"]],
	["mean(x) > 1", 5, 1, ["'x'"]],
])("E77 %s is answered 400 with the place and suggestions", async (text, position, length, suggestions) => {
	const headers = { accept: "application/problem+json" };
	const search = new URLSearchParams([
		["require", "errors == 0"],
		["require", text],
	]);
	const { status, json } = await server.get(`/v1/experiments/${twelve}/gate?${search}`, headers);
	expect(status).toBe(400);
	expect(json).toMatchObject({ code: "invalid_requirement", requirement: 1, position, length, suggestions });
});

test("refuses what is no gate", async () => {
	const id = twelve;
	expect((await gate(id, [])).status).toBe(422);
	expect((await gate(id, Array(51).fill("errors == 0"))).status).toBe(422);
	expect((await gate(id, "errors == 0", { baseline: id })).status).toBe(422);
	expect((await gate(id, "errors == 0", { baseline: "x" })).status).toBe(422);
	expect((await gate(id, "errors == 0", { format: "html" })).status).toBe(422);
	expect((await gate("RXhwZXJpbWVudDo5OTk5OTk=", "errors == 0")).status).toBe(404);
	expect((await gate(id, "mean('\0') > 0")).status).toBe(400);
	expect((await gate(id, Array(50).fill("errors == 0"), { allow_incomplete: "true" })).json.passed).toBe(true);
});

test("shares, counts, errors and latency are of examples and runs", async () => {
	const small = await makeDataset(server.context, 3);
	const polite: Result = { label: "polite" };
	const id = await experiment(
		[
			[
				{ ms: 100, results: { tone: polite } },
				{ ms: 200, results: { tone: { label: "rude" } } },
			],
			[
				{ ms: 300, results: { tone: polite } },
				{ ms: 400, results: { tone: { label: "unsure", score: null } } },
			],
			[
				{ ms: 1_000, error: "timeout" },
				{ ms: 600, results: { tone: { error: "bad answer" } } },
			],
		],
		small,
	);
	const values = async (require: string) => await outcome(id, require);
	expect(await values("share('tone', 'polite') == 0.5")).toMatchObject({ outcome: "passed", count: 2 });
	expect(await values("share('tone', 'plite') <= 0.1")).toMatchObject({
		outcome: "passed",
		message: "0 is <= 0.1. No evaluation has this label; there are: polite, rude, unsure.",
	});
	// E43: the abstention counts.
	expect(await values("count('tone') == 2")).toMatchObject({ outcome: "passed" });
	expect(await values("errors == 2")).toMatchObject({ outcome: "passed", count: 6 });
	expect((await values("latency_mean_ms > 0")).value).toBeCloseTo(2_600 / 6, 6);
	expect(await values("latency_p95_ms == 1000")).toMatchObject({ outcome: "passed", count: 6 });
});

test("the cost is that of the traces of the experiment's project", async () => {
	const id = await scored([1], await makeDataset(server.context, 1));
	const { project_name: project } = (await server.get(`/v1/experiments/${id}`)).json.data;
	const attributes = { "openinference.span.kind": text("LLM"), "llm.cost.total": { doubleValue: 0.5 } };
	await server.send([{ attributes }], project);
	expect(await outcome(id, "cost_usd <= 0.5")).toMatchObject({ outcome: "passed", value: 0.5 });
	expect(await outcome(id, "cost_usd < 0.5")).toMatchObject({ outcome: "failed" });
});

test("E43 an abstention is in no mean", async () => {
	const small = await makeDataset(server.context, 2);
	const id = await experiment(
		[[{ results: { judged: 0.5 } }], [{ results: { judged: { score: null, label: "unsure" } } }]],
		small,
	);
	expect(await outcome(id, "mean('judged') == 0.5")).toMatchObject({ outcome: "passed", count: 1 });
	expect(await outcome(id, "count('judged') == 2")).toMatchObject({ outcome: "passed" });
});

describe("against a baseline", () => {
	const BEFORE = [0.5, 0.9, 0.75, 1, 1, 0.25, 0.8, 0.9, 0.8, 0.7, 0.6, 0.7] as const;
	let id: string;
	let baseline: string;
	beforeAll(async () => {
		[id, baseline] = [twelve, await scored(BEFORE)];
		await server.call("POST", `/v1/experiments/${baseline}/tags`, { name: "production" });
	});

	test("E78 delta_lower against a tagged baseline is scipy's paired t interval", async () => {
		// scipy.stats.ttest_rel(TWELVE, BEFORE).confidence_interval(0.95)
		const [low, high] = [-0.013536968733063974, 0.11353696873306396];
		const found = await outcome(id, "delta_lower('f1') > -0.02", { baseline: "tag:production" });
		expect(found).toMatchObject({ outcome: "passed", count: 12 });
		expect(Math.abs(found.value - low)).toBeLessThan(1e-9);
		expect(Math.abs(found.confidence_interval[1] - high)).toBeLessThan(1e-9);
		const delta = await outcome(id, "delta('f1') > 0", { baseline });
		expect(delta.value).toBeCloseTo(0.6 / 12, 12);
		expect(delta.confidence_interval).toEqual(found.confidence_interval);
	});

	test("counts what is better and worse, by the direction of the metric", async () => {
		expect(await outcome(id, "improved('f1') == 3", { baseline })).toMatchObject({ outcome: "passed", count: 12 });
		expect(await outcome(baseline, "regressed('f1') == 3", { baseline: id })).toMatchObject({ outcome: "passed" });
		const definition = '{"type":"CONTINUOUS","optimization_direction":"MINIMIZE"}';
		const config = { name: "seconds", definition, created_at: 1, updated_at: 1 };
		await server.context.db.write((transaction) =>
			transaction.insertInto("annotation_configs").values(config).execute(),
		);
		const small = await makeDataset(server.context, 3);
		const seconds = (list: readonly number[]) =>
			experiment(
				list.map((value) => [{ results: { seconds: value } }]),
				small,
			);
		const [slow, fast] = [await seconds([3, 5, 1]), await seconds([1, 1, 2])];
		const { json } = await gate(fast, ["regressed('seconds') == 1", "improved('seconds') == 2"], { baseline: slow });
		expect(json).toMatchObject({
			passed: true,
			regressions: [{ metric: "seconds", external_id: "q3", value: 2, baseline_value: 1 }],
		});
	});

	test("the ten largest regressions come first, each with its page", async () => {
		const lower = TWELVE.map((score, index) => score - (index + 1) / 100);
		const worse = await scored(lower);
		const { json } = await gate(worse, "regressed('f1') == 0", { baseline: id });
		expect(json).toMatchObject({ passed: false, requirements: [{ value: 12 }] });
		expect(json.regressions.map((one: { external_id: string }) => one.external_id)).toEqual(
			[12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((number) => `q${number}`),
		);
		const page = new URL(json.regressions[0].url);
		expect(page.pathname).toBe(`/datasets/${dataset.id}/compare`);
		expect(page.searchParams.getAll("experiment")).toEqual([id, worse]);
		expect(page.searchParams.get("example")).toBe(dataset.exampleIds[11]);
		expect(page.searchParams.get("metric")).toBe("f1");
	});

	test("a tag may have come to the experiment itself", async () => {
		expect((await gate(baseline, "delta('f1') == 0", { baseline: "tag:production" })).json.passed).toBe(true);
	});

	test("a metric that only one of them has is no value", async () => {
		const other = await experiment(TWELVE.map((f2) => [{ results: { f2 } }]));
		expect(await outcome(other, "delta('f2') >= 0", { baseline })).toMatchObject({ reason: "no_value" });
		expect(await outcome(other, "regressed('f2') == 0", { baseline })).toMatchObject({ reason: "no_value" });
	});
});

describe("E79 whatever models wrote", () => {
	const HOSTILE = `]]>&<b onclick="x">'@admin #1 ![i](http://evil.example/x) \u0000\u0007\u001b[31m\ud800\uffff www.evil.example\n/close`;
	let id: string;
	let baseline: string;
	beforeAll(async () => {
		const small = await makeDataset(server.context, 3);
		const name = "quality <i>@admin</i> | #1";
		const outputs = [HOSTILE, "x".repeat(1_000_000), { nested: HOSTILE }];
		id = await experiment(
			outputs.map((output, index) => [
				{ output, ...(index === 1 ? { error: "]]> @admin" } : { results: { [name]: 0 } }) },
			]),
			small,
		);
		baseline = await experiment(
			outputs.map(() => [{ results: { [name]: 1 } }]),
			small,
		);
	});
	const REQUIRE = `mean("quality <i>@admin</i> | #1") >= 0.5`;

	test("Markdown has no HTML, nobody is mentioned and nothing is loaded", async () => {
		const { status, text, headers } = await gate(id, REQUIRE, { baseline, format: "markdown" });
		expect(status).toBe(200);
		expect(headers["content-type"]).toBe("text/markdown; charset=utf-8");
		expect(text).toMatch(/^## ❌ Gate not passed\n/);
		expect(text).not.toMatch(/[<>]|@\w|#\d|!\[|:\/\/evil/);
		expect(text).toContain("&lt;i&gt;");
		expect(text).toContain("[q1](");
		// What has no meaning in Markdown is as it was.
		expect(text.split("\n").filter((line) => line.startsWith("| ❌"))).toHaveLength(1);
	});

	test("Markdown of the largest gate fits a comment", async () => {
		const long = (index: number) => `mean('${"&".repeat(1_600)}${index}') >= ${index}`;
		const { text } = await gate(
			id,
			Array.from({ length: 50 }, (_, index) => long(index)),
			{ baseline, format: "markdown" },
		);
		expect(text.length).toBeLessThanOrEqual(60_000);
		expect(text.includes("more requirements have no room here.")).toBe(true);
	});

	test("JUnit has only characters of XML, each escaped, and fails where the gate does", async () => {
		const { status, text, headers } = await gate(id, [REQUIRE, "errors == 0"], { baseline, format: "junit" });
		expect(status).toBe(200);
		expect(headers["content-type"]).toBe("application/xml; charset=utf-8");
		// https://www.w3.org/TR/xml/#charsets
		expect(text).toMatch(/^[\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
		expect(text).toContain('<testsuites name="');
		expect(text).toContain('tests="2" failures="2" errors="0" skipped="0">');
		expect(text).toContain('tests="3" failures="3" errors="0" skipped="0">');
		expect(text).toContain("]]&gt;&amp;&lt;b onclick=&quot;x&quot;&gt;&apos;@admin");
		expect(text.length).toBeLessThan(20_000);
		const passing = await gate(id, "errors == 1", { baseline, format: "junit" });
		expect(passing.text).not.toContain("<failure");
		expect(passing.text).toContain('tests="3" failures="0" errors="0" skipped="3">');
	});

	test("a report has at most 1,000 cases", async () => {
		const many = await makeDataset(server.context, 1_001);
		const made = await server.call("POST", `/v1/datasets/${many.id}/experiments`, {});
		const experimentId: string = made.json.data.id;
		const failed = many.exampleIds.map((example) => ({
			experiment_id: rowNumber("Experiment", experimentId),
			example_id: rowNumber("DatasetExample", example),
			...{ repetition_number: 1, output: "null", error: "no answer", trace_id: null },
			...{ start_micros: 1, end_micros: 2, user_id: null },
		}));
		await server.context.db.write((transaction) => transaction.insertInto("experiment_runs").values(failed).execute());
		const { text } = await gate(experimentId, "errors == 0", { format: "junit" });
		expect(text.match(/<testcase /g)).toHaveLength(1_000);
		expect(text).toContain("More examples failed or have become worse");
	});
});
