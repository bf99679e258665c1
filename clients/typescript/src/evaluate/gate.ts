import { writeFile } from "node:fs/promises";
import type { ExperimentGate } from "../generated/api.ts";
import type { GateOptions } from "../resources/experiments.ts";
import type { Spanward } from "../spanward.ts";
import type { GateArguments } from "./arguments.ts";
import { EXIT } from "./exit.ts";
import { type Io, oneLine } from "./io.ts";

const WORDS = { passed: "ok", failed: "FAILED", skipped: "skipped" } as const;

/** Asks whether an experiment passes, writes the reports, and sets the tag. @returns the exit code */
export async function gate(
	client: Spanward,
	experimentId: string,
	{ stdout, stderr }: Pick<Io, "stdout" | "stderr">,
	given: GateArguments,
): Promise<number> {
	const options: GateOptions = {
		...(given.baseline === undefined ? {} : { baseline: given.baseline }),
		baselineOptional: given.isBaselineOptional,
		allowIncomplete: given.mayBeIncomplete,
	};
	const answer = await client.experiments.gate(experimentId, given.requirements, options);
	for (const format of ["junit", "markdown"] as const) {
		const file = given[format];
		if (file === undefined) continue;
		await writeFile(
			file,
			await client.experiments.gateReport(experimentId, given.requirements, { ...options, format }),
		);
	}
	stdout.write(given.isJson ? `${JSON.stringify(answer)}\n` : `${describe(answer).join("\n")}\n`);
	if (answer.passed && given.tagOnPass !== undefined) {
		await client.experiments.tag(experimentId, { name: given.tagOnPass });
		stderr.write(`The experiment now has the tag ${given.tagOnPass}.\n`);
	}
	return exitCodeOf(answer);
}

function exitCodeOf({ passed, problems, requirements }: ExperimentGate): number {
	if (passed) return EXIT.passed;
	const isFailed =
		problems.some(({ code }) => code !== "incomplete") || requirements.some(({ outcome }) => outcome === "failed");
	return isFailed ? EXIT.notPassed : EXIT.notFinished;
}

/** The result in lines for people. */
function describe({ passed, problems, requirements, regressions, url }: ExperimentGate): string[] {
	const width = Math.max(...requirements.map(({ requirement }) => oneLine(requirement).length));
	return [
		`${passed ? "Gate passed" : "Gate not passed"}: ${url}`,
		...problems.map(({ message }) => `  ${oneLine(message)}`),
		...requirements.map(({ requirement, outcome, message }) =>
			`  ${WORDS[outcome].padEnd(8)} ${oneLine(requirement).padEnd(width)}  ${oneLine(message)}`.trimEnd(),
		),
		...(regressions.length === 0 ? [] : ["Largest regressions:"]),
		...regressions.map(
			({ metric, example_id: id, external_id: externalId, value, baseline_value: before, url: page }) => {
				const [was, is] = [before, value].map((score) => Number(score.toPrecision(6)));
				return `  ${oneLine(externalId ?? id)}: ${oneLine(metric)} ${was} before, ${is} now: ${page}`;
			},
		),
	];
}
