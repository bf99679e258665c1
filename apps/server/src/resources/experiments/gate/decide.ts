import { EQUAL_WITHIN } from "../compare.ts";
import type { Measured, Measures, NoValue } from "./measures.ts";
import type { Requirement } from "./parse-requirement.ts";

/** What became of a requirement. */
export interface Outcome {
	readonly requirement: Requirement;
	/** Skipped: it needs the baseline, which may be absent. */
	readonly outcome: "passed" | "failed" | "skipped";
	readonly reason: NoValue | "not_met" | null;
	readonly value: number | null;
	readonly count: number | null;
	readonly interval: readonly [number, number] | null;
	/** A sentence for whoever reads the result. */
	readonly message: string;
}

/** Why a gate does not pass, whatever its requirements say. */
export interface GateProblem {
	readonly code: "incomplete" | "no_baseline";
	readonly message: string;
}

export async function decide(
	requirements: readonly Requirement[],
	measures: Measures,
	{ isBaselineOptional }: { isBaselineOptional: boolean },
): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	for (const requirement of requirements) {
		const measured = await measures.measure(requirement.quantity);
		outcomes.push(toOutcome(requirement, measured, isBaselineOptional));
	}
	return outcomes;
}

function toOutcome(requirement: Requirement, measured: Measured, isBaselineOptional: boolean): Outcome {
	const { operator, bound } = requirement;
	if ("reason" in measured) {
		const { reason, message } = measured;
		const outcome = reason === "no_baseline" && isBaselineOptional ? "skipped" : "failed";
		return { requirement, outcome, reason, value: null, count: null, interval: null, message };
	}
	const { value, count, interval, note } = measured;
	const isMet = meets(value, operator, bound);
	const message = `${shown(value)} is ${isMet ? "" : "not "}${operator} ${shown(bound)}.`;
	return {
		requirement,
		outcome: isMet ? "passed" : "failed",
		reason: isMet ? null : "not_met",
		...{ value, count, interval: interval ?? null },
		message: note === undefined ? message : `${message} ${note}`,
	};
}

/** Whether a value meets a bound. Values that differ by a rounding error are equal. */
function meets(value: number, operator: Requirement["operator"], bound: number): boolean {
	const difference = value - bound;
	const isEqual = Math.abs(difference) <= EQUAL_WITHIN;
	switch (operator) {
		case ">=":
			return isEqual || difference > 0;
		case "<=":
			return isEqual || difference < 0;
		case ">":
			return !isEqual && difference > 0;
		case "<":
			return !isEqual && difference < 0;
		case "==":
			return isEqual;
	}
}

/** A number with the digits that matter to people. */
export function shown(value: number): string {
	return String(Number(value.toPrecision(6)));
}

/** Why the experiment is not finished; undefined when it is. */
export function findIncomplete(
	requirements: readonly Requirement[],
	{ missingRuns, expectedRuns, totals, coverage }: Measures,
	isWorkedOn: boolean,
): GateProblem | undefined {
	const reasons: string[] = [];
	if (isWorkedOn) reasons.push("the server still works on it, or waits to go on");
	if (missingRuns > 0) reasons.push(`${missingRuns} of ${expectedRuns} runs are missing`);
	const metrics = new Set(requirements.flatMap(({ quantity }) => ("metric" in quantity ? [quantity.metric] : [])));
	for (const metric of metrics) {
		const of = coverage.get(metric);
		// People may look at some of the runs only.
		if (of === undefined || !of.isByPrograms || of.runs >= totals.runs.successful) continue;
		const missing = totals.runs.successful - of.runs;
		reasons.push(`${missing} of ${totals.runs.successful} runs have no evaluation "${metric}" yet`);
	}
	if (reasons.length === 0) return undefined;
	return { code: "incomplete", message: `The experiment is not finished: ${reasons.join("; ")}.` };
}
