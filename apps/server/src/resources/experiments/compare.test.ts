import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { confidenceInterval } from "./confidence-interval.ts";
import { evaluation, makeDataset, run, type TestDataset } from "./test-datasets.ts";

let server: TestApp;
let dataset: TestDataset;
beforeAll(async () => {
	server = await openTestApp();
	dataset = await makeDataset(server.context, 4, { name: "train", examples: 2 });
});
afterAll(() => server[Symbol.asyncDispose]());

/** An experiment with scores of a metric: for each example one for each repetition; undefined for no run. */
async function scored(metric: string, scores: readonly (readonly number[] | undefined)[], body: object = {}) {
	const repetitions = Math.max(...scores.map((list) => list?.length ?? 1));
	const made = await server.call("POST", `/v1/datasets/${dataset.id}/experiments`, { repetitions, ...body });
	const id: string = made.json.data.id;
	for (const [index, list] of scores.entries()) {
		for (const [repetition, score] of (list ?? []).entries()) {
			const body = run(dataset.exampleIds[index] ?? "", { repetition_number: repetition + 1, output: score });
			const { json } = await server.call("POST", `/v1/experiments/${id}/runs`, body);
			await server.call("POST", "/v1/experiment_evaluations", evaluation(json.data.id, metric, { result: { score } }));
		}
	}
	return id;
}

async function compare(ids: readonly string[], query = "") {
	const experiments = ids.map((id) => `experiment_id=${encodeURIComponent(id)}`).join("&");
	return await server.get(`/v1/datasets/${dataset.id}/experiments/compare?${experiments}${query}`);
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
function exampleIds(json: any): string[] {
	return json.data.map((row: { example: { id: string } }) => row.example.id);
}

test("each example shows its runs in every experiment, their means and the difference to the base", async () => {
	const base = await scored("f1", [[0.5, 1], [1], [1], undefined]);
	const other = await scored("f1", [[0.25, 0.25], [1], undefined, undefined]);
	const { status, json, text } = await compare([base, other]);
	expect(status, text).toBe(200);
	expect(exampleIds(json)).toEqual(dataset.exampleIds);
	const [first, second, third, fourth] = json.data;
	expect(first.example).toMatchObject({ input: { n: 1 }, output: { square: 1 } });
	expect(first.experiments).toMatchObject([
		{
			experiment_id: base,
			runs: [
				{ repetition_number: 1, output: 0.5, latency_ms: 250, evaluations: [{ name: "f1", score: 0.5 }] },
				{ repetition_number: 2, output: 1 },
			],
			scores: { f1: { mean: 0.75, count: 2 } },
			deltas: { f1: 0 },
		},
		{ experiment_id: other, scores: { f1: { mean: 0.25, count: 2 } }, deltas: { f1: -0.5 } },
	]);
	expect(second.experiments[1].deltas).toEqual({ f1: 0 });
	expect(third.experiments[1]).toEqual({ experiment_id: other, runs: [], scores: {}, deltas: {} });
	expect(fourth.experiments.map(({ runs }: { runs: unknown[] }) => runs)).toEqual([[], []]);
});

test("the summary shows each metric over all examples", async () => {
	const base = await scored("f1", [[1], [0], [0.5], [1]]);
	const other = await scored("f1", [[0], [1], [0.5], undefined]);
	const { json } = await compare([base, other], "&limit=1");
	expect(json.data).toHaveLength(1);
	expect(json.summary).toEqual([
		{
			experiment_id: base,
			metrics: {
				f1: expect.objectContaining({ mean: 0.625, count: 4, improved: 0, regressed: 0, equal: 4, missing: 0 }),
			},
		},
		{
			experiment_id: other,
			metrics: {
				f1: {
					mean: 0.5,
					count: 3,
					standard_error: expect.closeTo(Math.sqrt(0.25 / 3), 12),
					confidence_interval: null,
					improved: 1,
					regressed: 1,
					equal: 1,
					missing: 1,
				},
			},
		},
	]);
});

test("sorted by regression, the largest loss comes first, and each page continues the previous one", async () => {
	const base = await scored("f1", [[1], [0], [0.75], undefined]);
	const other = await scored("f1", [[0.9], [1], [0.25], [0]]);
	const [a = "", b = "", c = "", d = ""] = dataset.exampleIds;
	expect(exampleIds((await compare([base, other], "&sort=regression&metric=f1")).json)).toEqual([c, a, b, d]);
	const seen: string[] = [];
	let cursor: string | null = "";
	do {
		const { json } = await compare([base, other], `&sort=regression&limit=1&cursor=${encodeURIComponent(cursor)}`);
		seen.push(...exampleIds(json));
		cursor = json.next_cursor;
	} while (cursor !== null && seen.length < 10);
	expect(seen).toEqual([c, a, b, d]);
});

test("a metric to be minimized regresses where it rises", async () => {
	await server.context.db.write((transaction) =>
		transaction
			.insertInto("annotation_configs")
			.values({
				name: "seconds",
				definition: '{"type":"CONTINUOUS","optimization_direction":"MINIMIZE"}',
				created_at: 1,
				updated_at: 1,
			})
			.execute(),
	);
	const base = await scored("seconds", [[1], [1], [1], [1]]);
	const other = await scored("seconds", [[0.5], [3], [2], [1]]);
	const [a = "", b = "", c = "", d = ""] = dataset.exampleIds;
	const { json } = await compare([base, other], "&sort=regression&metric=seconds");
	expect(exampleIds(json)).toEqual([b, c, d, a]);
	expect(json.summary[1].metrics.seconds).toMatchObject({ improved: 1, regressed: 2, equal: 1 });
});

test("with several experiments, the largest loss decides the order", async () => {
	const base = await scored("f1", [[1], [1], [1], [1]]);
	const one = await scored("f1", [[0.5], [1], [1], [1]]);
	const two = await scored("f1", [[1], [0.1], [1], [2]]);
	const [a = "", b = "", c = "", d = ""] = dataset.exampleIds;
	expect(exampleIds((await compare([base, one, two], "&sort=regression")).json)).toEqual([b, a, c, d]);
});

test("examples that only some of the experiments have are included", async () => {
	const base = await scored("f1", [[1], [1]], { splits: ["train"] });
	const other = await scored("f1", [[1], [1], [1], [1]]);
	for (const sort of ["example", "regression"]) {
		const { json } = await compare([base, other], `&sort=${sort}`);
		expect(exampleIds(json)).toEqual(dataset.exampleIds);
		expect(json.summary[1].metrics.f1).toMatchObject({ equal: 2, missing: 2 });
	}
	const first = await compare([base, other], "&limit=3");
	expect(exampleIds((await compare([base, other], `&cursor=${first.json.next_cursor}`)).json)).toEqual(
		dataset.exampleIds.slice(3),
	);
});

test("repetitions that add up in another order are equal", async () => {
	const base = await scored("f1", [[0.1, 0.2, 0.3], undefined, undefined, undefined]);
	const other = await scored("f1", [[0.3, 0.2, 0.1], undefined, undefined, undefined]);
	expect((await compare([base, other])).json.summary[1].metrics.f1).toMatchObject({
		equal: 1,
		improved: 0,
		regressed: 0,
	});
});

test("refuses what cannot be compared", async () => {
	const one = await scored("f1", [[1], undefined, undefined, undefined]);
	const foreign = await makeDataset(server.context, 1);
	const of = (await server.call("POST", `/v1/datasets/${foreign.id}/experiments`, {})).json.data.id;
	expect((await compare([])).status).toBe(422);
	expect((await compare([one, one])).status).toBe(422);
	expect((await compare([one, of])).status).toBe(404);
	expect((await compare(["x"])).status).toBe(422);
	expect((await compare([one, one, one, one, one, one])).status).toBe(422);
	expect((await compare([one], "&sort=regression&cursor=x")).status).toBe(422);
	expect((await compare([one], "&cursor=x")).status).toBe(422);
	expect((await compare([one])).json.summary[0].metrics.f1.confidence_interval).toBeNull();
});

test("the names of metrics are any text", async () => {
	const one = await scored("__proto__", [[1], undefined, undefined, undefined]);
	const two = await scored("__proto__", [[0], undefined, undefined, undefined]);
	const { text } = await compare([one, two]);
	expect(text).toContain('"deltas":{"__proto__":-1}');
	expect((await server.get(`/v1/experiments/${one}`)).text).toContain('"scores":{"__proto__":{"mean":1');
});

/** The totals that the database computes from scores of examples. */
function totalsOf(scores: readonly number[]) {
	const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
	const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
	return {
		mean,
		count: scores.length,
		standardError: scores.length < 2 ? null : Math.sqrt(squares / (scores.length - 1) / scores.length),
		lowest: Math.min(...scores),
		highest: Math.max(...scores),
		isBinary: scores.every((score) => score === 0 || score === 1),
	};
}

const repeated = (count: number, of: (index: number) => number) =>
	Array.from({ length: count }, (_, index) => of(index));

test("the summary's interval stays within the scores, and is the same each time", async () => {
	const large = await makeDataset(server.context, 12);
	const made = await server.call("POST", `/v1/datasets/${large.id}/experiments`, {});
	for (const [index, example] of large.exampleIds.entries()) {
		const { json } = await server.call("POST", `/v1/experiments/${made.json.data.id}/runs`, run(example));
		const scores = { passed: index === 0 ? 0 : 1, f1: index === 0 ? 0.1 : 0.9 + index / 120 };
		for (const [name, score] of Object.entries(scores))
			await server.call("POST", "/v1/experiment_evaluations", evaluation(json.data.id, name, { result: { score } }));
	}
	const url = `/v1/datasets/${large.id}/experiments/compare?experiment_id=${made.json.data.id}`;
	const { metrics } = (await server.get(url)).json.summary[0];
	expect(metrics.passed.confidence_interval).toEqual([expect.closeTo(0.646_12, 5), expect.closeTo(0.985_13, 5)]);
	const [low, high] = metrics.f1.confidence_interval;
	expect(low).toBeGreaterThan(0.1);
	expect(low).toBeLessThan(metrics.f1.mean);
	expect(high).toBeGreaterThan(metrics.f1.mean);
	expect(high).toBeLessThanOrEqual(0.9 + 11 / 120);
	expect((await server.get(url)).json.summary[0].metrics).toEqual(metrics);
});

// Wilson's interval as R's prop.test without correction gives it.
test.each([
	[0, 10, 0, 0.277_53],
	[10, 10, 0.722_47, 1],
	[5, 10, 0.236_59, 0.763_41],
	[80, 100, 0.711_17, 0.866_63],
])("of %d of %d the interval is Wilson's", (ones, count, low, high) => {
	const scores = repeated(count, (index) => (index < ones ? 1 : 0));
	expect(confidenceInterval(totalsOf(scores), scores)).toEqual([expect.closeTo(low, 5), expect.closeTo(high, 5)]);
});

test.each([
	["nine", repeated(9, (index) => index / 10)],
	["one", [0.5]],
])("%s examples are too few for an interval", (_, scores) => {
	expect(confidenceInterval(totalsOf(scores), scores)).toBeUndefined();
});

test("of equal scores the interval is their value", () => {
	const scores = repeated(10, () => 0.75);
	expect(confidenceInterval(totalsOf(scores), scores)).toEqual([0.75, 0.75]);
});

test.each([10, 40, 250, 251, 2_000])(
	"of %d scores between 0 and 1 the interval is as wide as theory says, and within the scores",
	(count) => {
		// Evenly spread: the mean is 0.5, its error √(1/12n).
		const spread = repeated(count, (index) => (index + 0.5) / count);
		const [low = 0, high = 0] = confidenceInterval(totalsOf(spread), spread) ?? [];
		const half = 1.96 * Math.sqrt(1 / 12 / count);
		expect(low).toBeGreaterThan(0.5 - 1.25 * half);
		expect(low).toBeLessThan(0.5 - 0.75 * half);
		expect(high).toBeGreaterThan(0.5 + 0.75 * half);
		expect(high).toBeLessThan(0.5 + 1.25 * half);
		const skewed = repeated(count, (index) => (index === 0 ? 0.001 : 1));
		const [from = 0, to = 0] = confidenceInterval(totalsOf(skewed), skewed) ?? [];
		expect(from).toBeGreaterThanOrEqual(0.001);
		expect(to).toBeLessThanOrEqual(1);
		expect(confidenceInterval(totalsOf(skewed.toReversed()), skewed.toReversed())).toEqual([from, to]);
	},
);
