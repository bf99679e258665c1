import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import {
	type AnswerPair,
	confusionByRaters,
	type Estimate,
	type Level,
	MIN_PAIRS,
	measureAgreement,
	measureCalibration,
	measurePair,
	runInOneGo,
} from "@spanward/agreement";
import { beforeAll, expect, test } from "vitest";
import {
	COHEN_1960,
	FLEISS_EXAMPLE,
	KRIPPENDORFF_2011,
	type Row,
	randomTable,
	toItems,
} from "../packages/agreement/src/testing/tables.ts";
import { PYTHON } from "./python-clients.ts";

const LEVELS: readonly Level[] = ["nominal", "ordinal", "interval"];
/** Intervals are not compared. */
const OPTIONS = { resamples: 0 };

const RANDOM_TABLES = [2, 3, 9].flatMap((raters) =>
	[1, 2, 5].flatMap((values) =>
		[0, 0.2, 0.6].map((holes): [string, Row[]] => [
			`${raters} raters, ${values} values, ${holes * 100} % missing`,
			randomTable(raters * values, { items: 80, raters, values, holes }),
		]),
	),
);

const CONTINUOUS = { items: 80, raters: 4, values: 100, holes: 0.3, isContinuous: true };

const WITH_CATEGORIES: readonly (readonly [name: string, rows: readonly Row[]])[] = [
	["Krippendorff (2011)", KRIPPENDORFF_2011],
	["the example of Fleiss' κ", FLEISS_EXAMPLE],
	["Cohen (1960)", COHEN_1960],
	...RANDOM_TABLES,
];

const TABLES: typeof WITH_CATEGORIES = [
	...WITH_CATEGORIES,
	["numbers with decimals", randomTable(1, CONTINUOUS)],
	["numbers far from 0", randomTable(2, CONTINUOUS).map((row) => row.map((value) => value && value + 1e6))],
];

const LABELS = ["bad", "fair", "good", "nobody's"];

const CALIBRATIONS: readonly (readonly AnswerPair[])[] = [2, 3, 1].map((values, seed) =>
	randomTable(seed, { items: 90, raters: 2, values, holes: 0 }).map(
		([gold, judged]): AnswerPair => [LABELS[gold ?? 0] ?? "", LABELS[judged ?? 0] ?? ""],
	),
);

interface PythonValues {
	readonly tables: readonly {
		readonly alpha: Readonly<Record<Level, number | null>>;
		readonly fleiss: number | null;
		readonly pairs: readonly { raters: string[]; items: number; agreement: number; kappa: number | null }[];
	}[];
	readonly calibrations: readonly {
		readonly matrix: number[][];
		readonly kappa: number | null;
		readonly scores: (number | null)[][];
	}[];
}

let python: PythonValues;

beforeAll(async () => {
	const script = spawn(PYTHON, [`${import.meta.dirname}/python/agreement_values.py`], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	const calibrations = CALIBRATIONS.map((pairs) => ({
		gold: pairs.map(([gold]) => gold),
		judged: pairs.map(([, judged]) => judged),
		labels: LABELS,
	}));
	script.stdin.end(JSON.stringify({ tables: TABLES.map(([, rows]) => rows), calibrations }));
	python = JSON.parse(await text(script.stdout)) as PythonValues;
});

function expectEqual(estimate: Estimate | undefined, value: number | null | undefined): void {
	if ((estimate?.pairs ?? 0) < MIN_PAIRS) expect(estimate?.state).toBe("too_few");
	else if (value === null) expect(estimate?.state).toBe("undefined");
	else expect(estimate).toMatchObject({ state: "measured", value: expect.closeTo(value ?? Number.NaN, 9) });
}

test.each(TABLES.map(([name, rows], place) => [name, rows, place] as const))(
	"RV11 α and Fleiss' κ are those of krippendorff and statsmodels: %s",
	(_, rows, place) => {
		const values = python.tables[place];
		const measure = (level: Level) => runInOneGo(measureAgreement(toItems(rows), { level, ...OPTIONS }));
		for (const level of LEVELS) expectEqual(measure(level).krippendorffsAlpha, values?.alpha[level]);
		expectEqual(measure("nominal").fleissKappa, values?.fleiss);
	},
);

test.each(WITH_CATEGORIES.map(([name, rows], place) => [name, rows, place] as const))(
	"RV11 Cohen's κ and the share that agrees are those of scikit-learn, for each two raters: %s",
	(_, rows, place) => {
		const compared = new Map(python.tables[place]?.pairs.map((pair) => [pair.raters.join(), pair]));
		const pairs = runInOneGo(confusionByRaters(toItems(rows)));
		expect(pairs.map(({ raters }) => raters.join()).sort()).toEqual([...compared.keys()].sort());
		for (const { raters, matrix } of pairs) {
			const values = compared.get(raters.join());
			const { percentAgreement, cohensKappa } = runInOneGo(measurePair(matrix, OPTIONS));
			expect(matrix.pairs).toBe(values?.items);
			expectEqual(percentAgreement, values?.agreement);
			expectEqual(cohensKappa, values?.kappa);
		}
		const [only, ...others] = compared.values();
		if (others.length > 0) return;
		const { cohensKappa } = runInOneGo(measureAgreement(toItems(rows), { level: "nominal", ...OPTIONS }));
		expectEqual(cohensKappa, only?.kappa);
	},
);

test.each(CALIBRATIONS.map((pairs, place) => [new Set(pairs.flat()).size, pairs, place] as const))(
	"RV11 matrix, κ, precision, recall and F1 of a calibration with %d labels are those of scikit-learn",
	(_, pairs, place) => {
		const values = python.calibrations[place];
		const { matrix, cohensKappa, labels } = runInOneGo(measureCalibration(pairs, { labels: LABELS, ...OPTIONS }));
		expect(matrix.counts).toEqual(values?.matrix);
		expectEqual(cohensKappa, values?.kappa);
		for (const [label, { precision, recall, f1, gold }] of labels.entries()) {
			const wanted = values?.scores[label]?.map((value) => (value === null ? null : expect.closeTo(value, 9)));
			expect([precision, recall, f1, gold]).toEqual(wanted);
		}
	},
);
