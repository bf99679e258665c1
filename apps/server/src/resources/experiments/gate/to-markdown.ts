import { shown } from "./decide.ts";
import type { Gate } from "./gate-schemas.ts";
import { markdownText, markdownUrl } from "./markdown-text.ts";
import type { GateResult } from "./read-gate.ts";

/** GitHub takes comments of 65,536 characters, and a build may add a line of its own. */
export const MOST_MARKDOWN = 60_000;
/** For what is said in place of lines that have no room. */
const ROOM_FOR_REST = 200;

const NAME = 120;
const REQUIREMENT = 300;
const MESSAGE = 600;

const MARKS = { passed: "✅", failed: "❌", skipped: "⏭️" } as const;

/** The result of a gate as a comment. */
export function toMarkdown({ answer }: Pick<GateResult, "answer">): string {
	const { passed, problems, url, experiment, baseline, requirements, regressions } = answer;
	const title = `## ${passed ? "✅ Gate passed" : "❌ Gate not passed"}`;
	const link = `[${markdownText(experiment.name, NAME)}](${markdownUrl(url)})`;
	const against = baseline === null ? "" : `, compared with ${markdownText(baseline.name, NAME)}`;
	const head = [
		title,
		"",
		`Experiment ${link}${against}: ${experiment.example_count} examples, ${runsOf(experiment)}.`,
		...problems.flatMap(({ message }) => ["", `**${markdownText(message, MESSAGE)}**`]),
		...["", "| | Requirement | Value | 95 % interval | Of | |", "|---|---|---|---|---|---|"],
	];
	const rows = requirements.map(
		({ requirement, outcome, value, confidence_interval: interval, count, message }) =>
			`| ${MARKS[outcome]} | ${markdownText(requirement, REQUIREMENT)} | ${value === null ? "–" : shown(value)} | ` +
			`${interval === null ? "" : `${shown(interval[0])} to ${shown(interval[1])}`} | ${count ?? ""} | ` +
			`${outcome === "passed" ? "" : markdownText(message, MESSAGE)} |`,
	);
	const losses = regressions.map(
		({ metric, example_id: id, external_id: externalId, value, baseline_value: before, url: page }) =>
			`| [${markdownText(externalId ?? id, NAME)}](${markdownUrl(page)}) | ${markdownText(metric, NAME)} | ${shown(before)} | ${shown(value)} |`,
	);
	const lossesHead = ["", "Largest regressions:", "", "| Example | Metric | Before | Now |", "|---|---|---|---|"];
	const table = withinRoom(rows, MOST_MARKDOWN - lengthOf(head) - ROOM_FOR_REST, "requirements");
	const room = MOST_MARKDOWN - lengthOf([...head, ...table, ...lossesHead]) - ROOM_FOR_REST;
	const tail = losses.length === 0 || room <= 0 ? [] : [...lossesHead, ...withinRoom(losses, room, "regressions")];
	return [...head, ...table, ...tail, ""].join("\n");
}

function runsOf(experiment: Gate["experiment"]): string {
	const { successful_run_count: done, failed_run_count: failed, missing_run_count: missing } = experiment;
	return [`${done} runs`, failed > 0 && `${failed} failed`, missing > 0 && `${missing} missing`]
		.filter(Boolean)
		.join(", ");
}

function lengthOf(lines: readonly string[]): number {
	return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** As many lines as have room, and how many had none. */
function withinRoom(lines: readonly string[], room: number, what: string): string[] {
	const kept: string[] = [];
	let left = room;
	for (const line of lines) {
		left -= line.length + 1;
		if (left < 0) return [...kept, "", `${lines.length - kept.length} more ${what} have no room here.`];
		kept.push(line);
	}
	return kept;
}
