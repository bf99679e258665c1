import { describe, expect, test } from "vitest";
import { quantile } from "./measure.ts";
import { type AgreementOptions, measureAgreement } from "./measure-agreement.ts";
import type { Estimate, Item, Level } from "./model.ts";
import { Random } from "./random.ts";
import { runInOneGo, runInSlices } from "./steps.ts";
import { COHEN_1960, FLEISS_EXAMPLE, KRIPPENDORFF_2011, type Row, randomTable, toItems } from "./testing/tables.ts";

const LEVELS: readonly Level[] = ["nominal", "ordinal", "interval"];

function measure(items: readonly Item[], options: Partial<AgreementOptions> = {}) {
	return runInOneGo(measureAgreement(items, { level: "nominal", resamples: 0, ...options }));
}

function measured(estimate: Estimate | undefined): number {
	return estimate?.state === "measured" ? estimate.value : Number.NaN;
}

function alphaOf(rows: readonly Row[], level: Level): number {
	return measured(measure(toItems(rows), { level }).krippendorffsAlpha);
}

describe("published examples", () => {
	test.each([
		["nominal", 0.743],
		["ordinal", 0.815],
		["interval", 0.849],
	] as const)("Krippendorff's (2011), %s: α is %d", (level, alpha) => {
		expect(alphaOf(KRIPPENDORFF_2011, level)).toBeCloseTo(alpha, 3);
	});

	test("an example of Fleiss' κ: 0.210", () => {
		expect(measured(measure(toItems(FLEISS_EXAMPLE)).fleissKappa)).toBeCloseTo(0.21, 3);
	});

	test("Cohen's (1960): κ is 0.492, and 70 % agree", () => {
		const { cohensKappa, percentAgreement } = measure(toItems(COHEN_1960));
		expect(measured(cohensKappa)).toBeCloseTo(0.492, 3);
		expect(measured(percentAgreement)).toBeCloseTo(0.7, 12);
	});
});

describe("what is measured", () => {
	test("items with one answer say nothing, and count for nothing", () => {
		const rows = randomTable(1, { items: 30, raters: 3, values: 3, holes: 0.3 });
		const alone: Row[] = Array.from({ length: 20 }, () => [null, 9, null]);
		expect(measure(toItems([...alone, ...rows]))).toEqual(measure(toItems(rows)));
	});

	test("counts items, answers and pairs", () => {
		expect(measure(toItems([[1, 1, 1], [1, null, 2], [1, null, null], []]))).toMatchObject({
			items: 2,
			answers: 5,
			pairs: 4,
		});
	});

	test("below 10 pairs there are too few, with how many there are", () => {
		const nine = toItems(Array.from({ length: 9 }, (_, place) => [place % 2, 1]));
		const tooFew = { state: "too_few", pairs: 9 };
		expect(measure(nine)).toMatchObject({
			percentAgreement: tooFew,
			cohensKappa: tooFew,
			fleissKappa: tooFew,
			krippendorffsAlpha: tooFew,
		});
		expect(measure([...nine, ...toItems([[0, 1]])]).krippendorffsAlpha).toMatchObject({ state: "measured", pairs: 10 });
		expect(measure([]).percentAgreement).toEqual({ state: "too_few", pairs: 0 });
	});

	test("RV11 with one category only, what corrects for chance is undefined, and all agree", () => {
		const { percentAgreement, ...others } = measure(toItems(Array.from({ length: 12 }, () => [4, 4])), {
			resamples: 50,
		});
		const undefinedEstimate = { state: "undefined", reason: "one_category", pairs: 12 };
		expect(others).toMatchObject({
			cohensKappa: undefinedEstimate,
			fleissKappa: undefinedEstimate,
			krippendorffsAlpha: undefinedEstimate,
		});
		const interval = { low: 1, high: 1, resamples: 50 };
		expect(percentAgreement).toEqual({ state: "measured", value: 1, interval, pairs: 12 });
	});

	test.each(LEVELS)("a category that only an item with one answer has does not define α: %s", (level) => {
		const rows: Row[] = [...Array.from({ length: 12 }, () => [4, 4]), [5, null]];
		expect(measure(toItems(rows), { level }).krippendorffsAlpha.state).toBe("undefined");
	});

	test("resamples in which a statistic is undefined are left out of its interval, and not counted", () => {
		const rows: Row[] = [...Array.from({ length: 11 }, () => [1, 1]), [2, 2]];
		const { krippendorffsAlpha } = measure(toItems(rows), { resamples: 1_000 });
		if (krippendorffsAlpha.state !== "measured") throw new Error(krippendorffsAlpha.state);
		expect(krippendorffsAlpha).toMatchObject({ value: 1, interval: { low: 1, high: 1 } });
		// (11/12)¹² of the resamples have nothing but ones.
		expect(krippendorffsAlpha.interval?.resamples).toBeGreaterThan(600);
		expect(krippendorffsAlpha.interval?.resamples).toBeLessThan(700);
	});

	test("Cohen's κ is of exactly two raters, whichever answered first; numbers with a level have no κ", () => {
		const rows = randomTable(2, { items: 30, raters: 2, values: 3, holes: 0 });
		const items = toItems(rows);
		const turned = items.map((item, place) => (place % 2 === 0 ? item : item.toReversed()));
		expect(measure(turned)).toEqual(measure(items));
		expect(measure([...items, ...toItems([[null, 1, 1]])])).not.toHaveProperty("cohensKappa");
		expect(Object.keys(measure(items, { level: "interval" }))).not.toEqual(
			expect.arrayContaining([expect.stringMatching(/kappa/i)]),
		);
	});

	test("Fleiss' κ is of the items with the most answers, or as many as are asked for", () => {
		const rows = randomTable(3, { items: 60, raters: 4, values: 3, holes: 0.3 });
		const withAnswers = (count: number) => rows.filter((row) => row.filter((value) => value !== null).length === count);
		expect(measure(toItems(rows)).fleissKappa).toEqual(measure(toItems(withAnswers(4))).fleissKappa);
		const ofThree = measure(toItems(rows), { answersPerItem: 3 }).fleissKappa;
		expect(ofThree).toEqual(measure(toItems(withAnswers(3))).fleissKappa);
		expect(ofThree).toMatchObject({ state: "measured", pairs: 3 * withAnswers(3).length });
	});

	test("numbers within the tolerance agree", () => {
		const rows: Row[] = Array.from({ length: 10 }, (_, place) => [place, place + (place < 5 ? 0.5 : 0.75)]);
		const agreeing = (tolerance: number) =>
			measured(measure(toItems(rows), { level: "interval", tolerance }).percentAgreement);
		expect([agreeing(0), agreeing(0.5), agreeing(0.75)]).toEqual([0, 0.5, 1]);
	});

	test.each([
		[
			"a rater's second answer",
			[
				{ rater: "a", value: 1 },
				{ rater: "a", value: 1 },
			],
			{},
			/two answers of rater a/,
		],
		["a label at level ordinal", [{ rater: "a", value: "good" }], { level: "ordinal" }, /not a finite number: good/],
		["infinity at level interval", [{ rater: "a", value: 1 / 0 }], { level: "interval" }, /not a finite number: Inf/],
		["a tolerance below 0", [], { tolerance: -1 }, /tolerance is -1/],
		["a tolerance that is no number", [], { tolerance: Number.NaN }, /tolerance is NaN/],
	] as const)("refuses %s", (_, item, options, message) => {
		expect(() => measure([item], options)).toThrow(message);
	});
});

describe("properties of random tables", () => {
	const SHAPES = [
		{ items: 40, raters: 2, values: 3, holes: 0.2 },
		{ items: 40, raters: 5, values: 4, holes: 0.4 },
		{ items: 40, raters: 9, values: 7, holes: 0.6 },
		{ items: 40, raters: 3, values: 1, holes: 0.2, isContinuous: true },
	];
	const TABLES = SHAPES.map((shape, seed) => randomTable(seed, shape));
	const mapped = (rows: readonly Row[], map: (value: number) => number) =>
		rows.map((row) => row.map((value) => (value === null ? null : map(value))));

	test("it does not matter who said what, nor in which order items come", () => {
		for (const rows of TABLES) {
			const turned = rows.toReversed().map((row, place) => [...row.slice(place % 3), ...row.slice(0, place % 3)]);
			for (const level of LEVELS) expect(alphaOf(turned, level)).toBeCloseTo(alphaOf(rows, level), 12);
			const { fleissKappa, percentAgreement } = measure(toItems(turned));
			expect(measured(fleissKappa)).toBeCloseTo(measured(measure(toItems(rows)).fleissKappa), 12);
			expect(percentAgreement).toEqual(measure(toItems(rows)).percentAgreement);
		}
	});

	test("names do not matter at level nominal, only their order at ordinal, neither unit nor origin at interval", () => {
		for (const rows of TABLES) {
			expect(
				alphaOf(
					mapped(rows, (value) => Math.cos(value)),
					"nominal",
				),
			).toBeCloseTo(alphaOf(rows, "nominal"), 12);
			expect(
				alphaOf(
					mapped(rows, (value) => 2 ** value),
					"ordinal",
				),
			).toBeCloseTo(alphaOf(rows, "ordinal"), 12);
			expect(
				alphaOf(
					mapped(rows, (value) => 1e6 - value / 8),
					"interval",
				),
			).toBeCloseTo(alphaOf(rows, "interval"), 9);
			expect(
				alphaOf(
					mapped(rows, (value) => value * 1e300),
					"interval",
				),
			).toBeCloseTo(alphaOf(rows, "interval"), 9);
		}
	});

	test("whoever agrees on everything has 1", () => {
		const rows = randomTable(4, { items: 30, raters: 1, values: 4, holes: 0 }).map(([value = 0]) => [
			value,
			value,
			value,
		]);
		for (const level of LEVELS) expect(alphaOf(rows, level)).toBe(1);
		expect(measured(measure(toItems(rows)).fleissKappa)).toBe(1);
	});

	test("with two raters and no holes, nominal α is Fleiss' κ but for the size of the sample", () => {
		const rows = randomTable(5, { items: 50, raters: 2, values: 3, holes: 0 });
		const kappa = measured(measure(toItems(rows)).fleissKappa);
		expect(alphaOf(rows, "nominal")).toBeCloseTo(1 - (1 - kappa) * (1 - 1 / 100), 12);
	});
});

describe("intervals", () => {
	test("are the same for the same seed, however the steps are run, and others for another", async () => {
		const items = toItems(randomTable(6, { items: 20_000, raters: 3, values: 3, holes: 0.1 }));
		const options = { level: "ordinal", seed: 5, resamples: 400 } as const;
		const agreement = measure(items, options);
		let pauses = 0;
		const sliced = await runInSlices(measureAgreement(items, options), async () => {
			pauses++;
		});
		expect(sliced).toEqual(agreement);
		expect(pauses).toBeGreaterThan(5);
		expect(measure(items, { ...options, seed: 6 })).not.toEqual(agreement);
	});

	test("a pause that rejects ends the work", async () => {
		const items = toItems(randomTable(6, { items: 6_000, raters: 2, values: 3, holes: 0 }));
		const steps = measureAgreement(items, { level: "nominal" });
		const refuse = () => Promise.reject(new Error("nobody waits for it"));
		await expect(runInSlices(steps, refuse)).rejects.toThrow("nobody waits for it");
	});

	// Few patterns are drawn by binomial variates, many item by item.
	test.each([
		["few patterns", { items: 150, raters: 2, values: 2, holes: 0 }],
		["many patterns", { items: 60, raters: 4, values: 5, holes: 0.3 }],
		["numbers", { items: 60, raters: 3, values: 1, holes: 0.1, isContinuous: true }],
	])("are those of resampled items: %s", (_, shape) => {
		const items = toItems(randomTable(7, shape));
		const level = shape.values === 1 ? "interval" : "ordinal";
		const { krippendorffsAlpha } = measure(items, { level, resamples: 2_000 });
		if (krippendorffsAlpha.state !== "measured") throw new Error(krippendorffsAlpha.state);
		const { low, high } = resampleItems(items, level, 2_000);
		// The standard error of the difference of two such ends is about a fiftieth of the interval.
		const near = (high - low) / 20;
		expect(Math.abs((krippendorffsAlpha.interval?.low ?? 9) - low)).toBeLessThan(near);
		expect(Math.abs((krippendorffsAlpha.interval?.high ?? 9) - high)).toBeLessThan(near);
	});

	function resampleItems(items: readonly Item[], level: Level, resamples: number) {
		const answered = items.filter((item) => item.length > 1);
		const random = new Random(99);
		const draw = () => answered[Math.floor(random.fraction() * answered.length)] ?? [];
		const values = Float64Array.from({ length: resamples }, () =>
			measured(measure(answered.map(draw), { level }).krippendorffsAlpha),
		).sort();
		return { low: quantile(values, 0.025), high: quantile(values, 0.975) };
	}

	test("quantiles are between the two nearest values", () => {
		expect([0, 0.25, 0.5, 1].map((share) => quantile(Float64Array.of(1, 2, 4), share))).toEqual([1, 1.5, 2, 4]);
	});
});
