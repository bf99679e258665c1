import { stripVTControlCharacters } from "node:util";
import type { Step } from "#access/sign-in/steps.ts";
import { printable } from "../printable.ts";

/** A step of this process, or one that a server reported. */
export type ReportStep = Omit<Step, "name"> & { readonly name: string };

/** A group of steps in the report. */
export interface Section {
	readonly title: string;
	readonly steps: readonly ReportStep[];
	/** Whether facts are shown for successful steps, too. */
	readonly showsFacts?: boolean;
}

const OUTCOMES = { ok: "ok", warning: "warning", failed: "FAILED", skipped: "-" } as const;
const COLOURS = { ok: 32, warning: 33, failed: 31, skipped: 90 } as const;
const OUTCOME_WIDTH = 8;
const NAME_WIDTH = 11;
const INDENT = " ".repeat(2 + OUTCOME_WIDTH + NAME_WIDTH);
const MAX_FACT = 300;

export function hasFailed(sections: readonly Section[]): boolean {
	return sections.some(({ steps }) => steps.some(({ outcome }) => outcome === "failed"));
}

/** The report as text: a line for each step, with advice below. */
export function toText(sections: readonly Section[], inColour: boolean): string {
	const all = sections.flatMap(({ steps }) => steps);
	const count = (outcome: Step["outcome"]) => all.filter((step) => step.outcome === outcome).length;
	const summary = `${count("ok")} ok, ${count("warning")} ${count("warning") === 1 ? "warning" : "warnings"}, ${count("failed")} failed`;
	return `${sections.map((section) => sectionText(section, inColour)).join("\n")}\n${summary}\n`;
}

/** The report as JSON. */
export function toJson(sections: readonly Section[]): string {
	const report = { ok: !hasFailed(sections), sections: sections.map(({ title, steps }) => ({ title, steps })) };
	return `${JSON.stringify(report, null, "\t")}\n`;
}

function sectionText({ title, steps, showsFacts = false }: Section, inColour: boolean): string {
	const lines = steps.flatMap((step) => {
		const isWrong = step.outcome === "warning" || step.outcome === "failed";
		return [
			`  ${outcomeText(step.outcome, inColour)}${step.name.padEnd(NAME_WIDTH)}${shown(step.text)}`,
			...(step.settings.length > 0 && isWrong ? [`${INDENT}change: ${step.settings.map(shown).join(", ")}`] : []),
			...(showsFacts || isWrong ? step.facts : []).map(
				({ name, value }) => `${INDENT}${shown(name)}: ${shortened(shown(value))}`,
			),
		];
	});
	return `${[shown(title), ...lines].join("\n")}\n`;
}

function outcomeText(outcome: Step["outcome"], inColour: boolean): string {
	const padded = OUTCOMES[outcome].padEnd(OUTCOME_WIDTH);
	return inColour ? `\u001b[${COLOURS[outcome]}m${padded}\u001b[39m` : padded;
}

/** Escapes control characters, as texts of a provider or directory must not affect the terminal. */
function shown(text: string): string {
	return printable(stripVTControlCharacters(text));
}

function shortened(text: string): string {
	return text.length > MAX_FACT ? `${text.slice(0, MAX_FACT)}…` : text;
}
