import { shown } from "./decide.ts";
import { EXCERPT } from "./gate-queries.ts";
import type { ExampleCase, GateResult } from "./read-gate.ts";
import { xmlText } from "./xml-text.ts";

const NAME = 500;
const TEXT = 1_000;
/** Of the failures and regressions of one example. */
const MOST_REASONS = 5;

interface Case {
	readonly name: string;
	readonly outcome: "passed" | "failed" | "skipped";
	readonly type: string;
	/** One line. */
	readonly message: string;
	readonly body?: readonly string[];
}

/**
 * The result of a gate as a test report: a case for each requirement, and one for each example that failed or has become
 * worse. It has failures only if the gate did not pass, as many services look at nothing else.
 */
export function toJunit({ answer, examples, hasMoreExamples }: GateResult): string {
	const { passed, problems, experiment, baseline, requirements, url } = answer;
	const requirementCases = [
		...problems.map(({ code, message }): Case => ({ name: code, outcome: "failed", type: code, message })),
		...requirements.map(
			({ requirement, outcome, reason, message }): Case => ({
				...{ name: requirement, outcome, message },
				type: reason ?? "passed",
			}),
		),
	];
	const exampleCases = examples.map((example) => toCase(example, passed ? "skipped" : "failed"));
	const properties = [
		["url", url],
		["experiment", experiment.id],
		...(baseline === null ? [] : [["baseline", baseline.id]]),
		...(hasMoreExamples ? [["left_out", "More examples failed or have become worse than are listed here."]] : []),
	];
	const suites = [
		suite(`Gate of ${experiment.name}`, "requirements", requirementCases, properties),
		...(exampleCases.length === 0 ? [] : [suite(`Examples of ${experiment.name}`, "examples", exampleCases, [])]),
	];
	const counts = countsOf([...requirementCases, ...exampleCases]);
	return `${[
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites name="${xmlText(experiment.name, NAME)}" ${counts}>`,
		...suites,
		"</testsuites>",
	].join("\n")}\n`;
}

function toCase({ id, externalId, url, regressions, failures, excerpt }: ExampleCase, outcome: Case["outcome"]): Case {
	const reasons = [
		...regressions.map(({ metric, value, baseline }) => `${metric}: ${shown(baseline)} before, ${shown(value)} now`),
		...failures.map(
			({ repetition, name, error }) => `repetition ${repetition}${name === null ? "" : `, ${name}`}: ${error}`,
		),
	];
	return {
		name: externalId === null ? `example ${id}` : `example ${externalId} (${id})`,
		outcome,
		type: regressions.length > 0 ? "regressed" : "failed",
		message: reasons.slice(0, MOST_REASONS).join("; "),
		body: [
			url,
			...reasons.slice(0, MOST_REASONS),
			...(reasons.length > MOST_REASONS ? [`and ${reasons.length - MOST_REASONS} more`] : []),
			...(excerpt === undefined
				? []
				: [
						`input: ${excerptText(excerpt.input)}`,
						`expected: ${excerptText(excerpt.output)}`,
						...excerpt.runs.map(({ repetition, output }) => `output ${repetition}: ${excerptText(output)}`),
					]),
		],
	};
}

function suite(
	name: string,
	classname: string,
	cases: readonly Case[],
	properties: readonly (readonly string[])[],
): string {
	return [
		`<testsuite name="${xmlText(name, NAME)}" ${countsOf(cases)}>`,
		...(properties.length === 0
			? []
			: [
					"<properties>",
					...properties.map(
						([key = "", value = ""]) => `<property name="${xmlText(key, NAME)}" value="${xmlText(value, TEXT)}"/>`,
					),
					"</properties>",
				]),
		...cases.map((one) => caseElement(classname, one)),
		"</testsuite>",
	].join("\n");
}

function caseElement(classname: string, { name, outcome, type, message, body = [] }: Case): string {
	const start = `<testcase classname="${classname}" name="${xmlText(name, NAME)}"`;
	if (outcome === "passed") return `${start}><system-out>${xmlText(message, TEXT)}</system-out></testcase>`;
	const said = `message="${xmlText(message, TEXT)}"`;
	if (outcome === "skipped") return `${start}><skipped ${said}/></testcase>`;
	const text = body.map((line) => xmlText(line, TEXT)).join("\n");
	return `${start}><failure type="${type}" ${said}>${text}</failure></testcase>`;
}

function countsOf(cases: readonly Case[]): string {
	const count = (wanted: Case["outcome"]) => cases.filter(({ outcome }) => outcome === wanted).length;
	return `tests="${cases.length}" failures="${count("failed")}" errors="0" skipped="${count("skipped")}"`;
}

/** The beginning of some JSON; of a whole text, what it says. */
function excerptText(json: string): string {
	if (json.length >= EXCERPT) return `${json}…`;
	const value: unknown = JSON.parse(json);
	return typeof value === "string" ? value : json;
}
