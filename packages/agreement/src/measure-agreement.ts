import { bootstrap } from "./bootstrap.ts";
import { CellCounter } from "./cells.ts";
import { cohenKappa } from "./cohen-kappa.ts";
import { fleissKappa, listComplete } from "./fleiss-kappa.ts";
import { krippendorffAlpha } from "./krippendorff-alpha.ts";
import { Measure } from "./measure.ts";
import type { BootstrapOptions, Estimate, Item, Level, Steps } from "./model.ts";
import { countAnswers, pairsOf } from "./pattern-pairs.ts";
import { findPatterns, ITEMS_A_STEP, type Patterns } from "./patterns.ts";
import { percentAgreement } from "./percent-agreement.ts";

export interface AgreementOptions extends BootstrapOptions {
	readonly level: Level;
	/** Numbers no further apart agree, for `percentAgreement`. 0 by default. */
	readonly tolerance?: number;
	/** How many answers an item has that counts for Fleiss' κ. By default the most that an item has. */
	readonly answersPerItem?: number;
}

export interface Agreement {
	/** Items with two answers or more; no statistic says anything of the others. */
	readonly items: number;
	/** Of these items. */
	readonly answers: number;
	/** Pairs of answers to the same item. */
	readonly pairs: number;
	/** From 0 to 1: see percent-agreement.ts. */
	readonly percentAgreement: Estimate;
	/** With exactly two raters of these items, and not at level `interval`: see cohen-kappa.ts. */
	readonly cohensKappa?: Estimate;
	/** Not at level `interval`, where there are no categories: see fleiss-kappa.ts. */
	readonly fleissKappa?: Estimate;
	/** See krippendorff-alpha.ts. */
	readonly krippendorffsAlpha: Estimate;
}

/**
 * How far raters agree, each statistic with a 95 % interval from resampling the items with two answers or more.
 *
 * @throws RangeError for a rater's second answer to an item, for what is no finite number at levels other than `nominal`,
 * for a tolerance below 0
 *
 * @example
 * const { krippendorffsAlpha } = runInOneGo(measureAgreement(items, { level: "nominal", seed: 7 }));
 */
export function* measureAgreement(items: readonly Item[], options: AgreementOptions): Steps<Agreement> {
	const { level, tolerance = 0 } = options;
	if (!(tolerance >= 0)) throw new RangeError(`tolerance is ${tolerance}, and has to be 0 or more`);
	const patterns = yield* findPatterns(items, level);
	yield;
	const answersOf = countAnswers(patterns);
	const answers = sumBy(patterns.counts, (pattern) => answersOf[pattern] ?? 0);
	const pairs = sumBy(patterns.counts, (pattern) => pairsOf(answersOf[pattern] ?? 0));
	const percent = new Measure(percentAgreement(patterns, tolerance), patterns.counts, pairs);
	yield;
	const alpha = new Measure(krippendorffAlpha(patterns, level), patterns.counts, pairs);
	yield;
	const most = answersOf.reduce((left, right) => Math.max(left, right), 2);
	const fleiss = level === "interval" ? undefined : measureFleiss(patterns, options.answersPerItem ?? most);
	yield;
	yield* bootstrap(patterns.counts, [percent, alpha, ...(fleiss === undefined ? [] : [fleiss])], options);
	const cohensKappa = level === "interval" ? undefined : yield* measureTwoRaters(items, options);
	return {
		items: patterns.counts.reduce((sum, count) => sum + count, 0),
		answers,
		pairs,
		percentAgreement: percent.estimate(),
		...(cohensKappa === undefined ? {} : { cohensKappa }),
		...(fleiss === undefined ? {} : { fleissKappa: fleiss.estimate() }),
		krippendorffsAlpha: alpha.estimate(),
	};
}

function measureFleiss(patterns: Patterns, answers: number): Measure {
	const complete = listComplete(patterns, answers);
	const items = complete.reduce((sum, pattern) => sum + (patterns.counts[pattern] ?? 0), 0);
	return new Measure(fleissKappa(patterns, answers), patterns.counts, items * pairsOf(answers));
}

/** Cohen's κ, unless more than two people answered items that others answered, too. */
function* measureTwoRaters(items: readonly Item[], options: BootstrapOptions): Steps<Estimate | undefined> {
	const cells = new CellCounter();
	let raters: readonly string[] | undefined;
	for (const [place, item] of items.entries()) {
		if (place % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
		const [left, right] = item;
		if (left === undefined || right === undefined) continue;
		raters ??= [left.rater, right.rater];
		const [first, second] = left.rater === raters[0] ? [left, right] : [right, left];
		if (item.length > 2 || first.rater !== raters[0] || second.rater !== raters[1]) return undefined;
		cells.add(first.value, second.value);
	}
	if (raters === undefined) return undefined;
	yield;
	const counted = cells.finish();
	const pairs = counted.counts.reduce((sum, count) => sum + count, 0);
	const measure = new Measure(cohenKappa(counted), counted.counts, pairs);
	yield* bootstrap(counted.counts, [measure], options);
	return measure.estimate();
}

function sumBy(counts: Uint32Array, valueAt: (pattern: number) => number): number {
	return counts.reduce((sum, count, pattern) => sum + count * valueAt(pattern), 0);
}
