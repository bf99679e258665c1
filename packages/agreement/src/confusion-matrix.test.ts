import { describe, expect, test } from "vitest";
import { type AnswerPair, confusionByRaters, confusionMatrix, MAX_LABELS } from "./confusion-matrix.ts";
import { measureCalibration } from "./measure-calibration.ts";
import { measurePair } from "./measure-pair.ts";
import { runInOneGo } from "./steps.ts";
import { toItems } from "./testing/tables.ts";

describe("confusionMatrix", () => {
	test("the first has the rows; labels are those given, in their order, and then the others", () => {
		const pairs: AnswerPair[] = [
			["good", "good"],
			["good", "bad"],
			["good", "bad"],
			["unsure", "good"],
		];
		expect(confusionMatrix(pairs, ["good", "fair", "bad"])).toEqual({
			labels: ["good", "fair", "bad", "unsure"],
			counts: [
				[1, 0, 2, 0],
				[0, 0, 0, 0],
				[0, 0, 0, 0],
				[1, 0, 0, 0],
			],
			pairs: 4,
		});
	});

	test("without labels they ascend, numbers by size", () => {
		const { labels } = confusionMatrix([
			[10, 9],
			["b", "a"],
			[2, -1],
		]);
		expect(labels).toEqual([-1, 2, 9, 10, "a", "b"]);
	});

	test("refuses more labels than anybody reads", () => {
		const pairs = Array.from({ length: MAX_LABELS + 1 }, (_, label): AnswerPair => [label, label]);
		expect(confusionMatrix(pairs.slice(1)).labels).toHaveLength(MAX_LABELS);
		expect(() => confusionMatrix(pairs)).toThrow(/201 labels/);
	});
});

describe("confusionByRaters", () => {
	test("has a matrix for each two who answered an item both, all with the same labels", () => {
		const rows = [
			["good", "bad", null, null],
			["good", "good", null, null],
			[null, "bad", "good", null],
			[null, null, null, "fair"],
		];
		const turned = toItems(rows).map((item) => item.toReversed());
		const labels = ["bad", "good"];
		expect(runInOneGo(confusionByRaters(turned))).toEqual([
			{
				raters: ["A", "B"],
				matrix: {
					labels,
					counts: [
						[0, 0],
						[1, 1],
					],
					pairs: 2,
				},
			},
			{
				raters: ["B", "C"],
				matrix: {
					labels,
					counts: [
						[0, 1],
						[0, 0],
					],
					pairs: 1,
				},
			},
		]);
	});

	test("refuses a rater's second answer to an item", () => {
		const twice = { rater: "a", value: "good" };
		expect(() => runInOneGo(confusionByRaters([[twice, twice]]))).toThrow(/two answers of rater a/);
	});
});

describe("measurePair", () => {
	test("below 10 items there are too few", () => {
		const matrix = confusionMatrix(Array.from({ length: 9 }, (_, item): AnswerPair => [item % 2, 1]));
		const tooFew = { state: "too_few", pairs: 9 };
		expect(runInOneGo(measurePair(matrix))).toEqual({ percentAgreement: tooFew, cohensKappa: tooFew });
	});

	test("two who each gave one label, but not the same, are measured", () => {
		const matrix = confusionMatrix(Array.from({ length: 10 }, (): AnswerPair => ["good", "bad"]));
		expect(runInOneGo(measurePair(matrix, { resamples: 10 }))).toMatchObject({
			percentAgreement: { value: 0 },
			cohensKappa: { value: 0, interval: { low: 0, high: 0, resamples: 10 } },
		});
	});

	test("two who gave the same one label have no κ", () => {
		const matrix = confusionMatrix(Array.from({ length: 10 }, (): AnswerPair => ["good", "good"]));
		expect(runInOneGo(measurePair(matrix)).cohensKappa).toEqual({
			state: "undefined",
			reason: "one_category",
			pairs: 10,
		});
	});
});

describe("measureCalibration", () => {
	test("RV24 a judge with three labels against gold", () => {
		const said = { good: ["good", "good", "good", "bad"], bad: ["bad", "bad", "good"], fair: ["good", "bad", "bad"] };
		const pairs = Object.entries(said).flatMap(([gold, judged]) => judged.map((label): AnswerPair => [gold, label]));
		const { matrix, labels, percentAgreement, cohensKappa } = runInOneGo(
			measureCalibration(pairs, { labels: ["good", "fair", "bad", "unsure"] }),
		);
		expect(matrix.counts).toEqual([
			[3, 0, 1, 0],
			[1, 0, 2, 0],
			[1, 0, 2, 0],
			[0, 0, 0, 0],
		]);
		expect(labels).toEqual([
			{ label: "good", precision: 3 / 5, recall: 3 / 4, f1: 6 / 9, gold: 4, judged: 5 },
			{ label: "fair", precision: null, recall: 0, f1: 0, gold: 3, judged: 0 },
			{ label: "bad", precision: 2 / 5, recall: 2 / 3, f1: 4 / 8, gold: 3, judged: 5 },
			{ label: "unsure", precision: null, recall: null, f1: null, gold: 0, judged: 0 },
		]);
		expect(percentAgreement).toMatchObject({ state: "measured", value: 0.5, pairs: 10 });
		// By chance: (4 × 5 + 3 × 0 + 3 × 5) / 100.
		expect(cohensKappa).toMatchObject({ value: expect.closeTo((0.5 - 0.35) / (1 - 0.35), 12) });
	});
});
