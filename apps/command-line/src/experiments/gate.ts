import { writeFile } from "node:fs/promises";
import type { ExperimentGate } from "@spanward/client";
import { EXIT, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { formatTable } from "../table.ts";

type Outcome = ExperimentGate["requirements"][number];

/** `spanward experiments gate`: exit code 1 unless the experiment passes. */
export async function gateExperiment(invocation: Invocation): Promise<number | undefined> {
	const { terminal } = invocation;
	const { experiments } = await invocation.connect();
	const id = invocation.argument(0);
	const requirements = invocation.values("require");
	if (requirements.length === 0) throw usageFailure("--require is missing.");
	const baseline = invocation.value("baseline");
	const options = {
		...(baseline === undefined ? {} : { baseline }),
		baselineOptional: invocation.has("baseline-optional"),
		allowIncomplete: invocation.has("allow-incomplete"),
	};
	const answer = await experiments.gate(id, requirements, options);
	for (const format of ["junit", "markdown"] as const) {
		const file = invocation.value(format);
		if (file !== undefined)
			await writeFile(file, await experiments.gateReport(id, requirements, { ...options, format }));
	}
	if (terminal.isJson) await terminal.printJson(answer);
	else await print(invocation, answer);
	const tag = invocation.value("tag-on-pass");
	if (answer.passed && tag !== undefined) {
		await experiments.tag(id, { name: tag });
		terminal.note(`The experiment now has the tag ${tag}.`);
	}
	return answer.passed ? undefined : EXIT.condition;
}

async function print({ terminal }: Invocation, answer: ExperimentGate): Promise<void> {
	const { passed, problems, requirements, regressions, url } = answer;
	const title = passed ? terminal.style("Gate passed", "green") : terminal.style("Gate not passed", "red");
	await terminal.print(`${title}: ${url}`);
	for (const { message } of problems) await terminal.print(terminal.oneLine(message));
	const outcomes = formatTable<Outcome>(
		terminal,
		[
			{
				title: "RESULT",
				value: ({ outcome }) => outcome,
				style: ({ outcome }) => (outcome === "failed" ? ["red"] : []),
			},
			{ title: "REQUIREMENT", value: ({ requirement }) => requirement, isText: true },
			{ title: "OF", value: ({ count }) => count, isNumber: true, rank: 2 },
			{ title: "", value: ({ message }) => message, isText: true, rank: 1 },
		],
		requirements,
	);
	for (const line of outcomes) await terminal.print(line);
	if (regressions.length === 0) return;
	const losses = formatTable<ExperimentGate["regressions"][number]>(
		terminal,
		[
			{ title: "LARGEST REGRESSIONS", value: ({ external_id: own, example_id: id }) => own ?? id, isText: true },
			{ title: "METRIC", value: ({ metric }) => metric, isText: true },
			{ title: "BEFORE", value: ({ baseline_value: value }) => Number(value.toPrecision(5)), isNumber: true },
			{ title: "NOW", value: ({ value }) => Number(value.toPrecision(5)), isNumber: true },
		],
		regressions,
	);
	for (const line of ["", ...losses]) await terminal.print(line);
}
