import type { Finding } from "#storage/traces/finding.ts";
import { Progress } from "../progress.ts";

/** The most problems that are shown; the rest is only counted. */
const MOST_SHOWN = 50;

/** Problems of a database: how many, and the first ones. */
interface Problems {
	readonly count: number;
	readonly shown: readonly string[];
}

/** The result of a check. */
export interface Checked extends Problems {
	/** The database in sentences, and its fields in JSON. */
	readonly name: string;
	readonly facts: Readonly<Record<string, string>>;
	/** Rows by table, for the tables that people know. */
	readonly rows: Readonly<Record<string, number>>;
	/** What was checked. */
	readonly parts: string;
}

/** Runs a check and shows its progress. @param known problems that are known already */
export async function collectProblems(
	findings: Iterable<Finding> | AsyncIterable<Finding>,
	known: readonly string[] = [],
): Promise<Problems> {
	using progress = new Progress();
	const shown = [...known];
	let count = known.length;
	let stage = "";
	for await (const { stage: next, wrong } of findings) {
		stage = next ?? stage;
		if (wrong !== undefined) {
			count += 1;
			if (shown.length < MOST_SHOWN) shown.push(wrong);
		}
		progress.show(`Checking ${stage}${count === 0 ? "" : `, ${count} wrong`}`);
	}
	return { count, shown };
}

/** The result with further problems. */
export function alsoWrong(checked: Checked, problems: readonly string[]): Checked {
	const shown = [...checked.shown, ...problems].slice(0, MOST_SHOWN);
	return { ...checked, count: checked.count + problems.length, shown };
}

/** The result of the checks of a metadata database and of the traces that are elsewhere. */
export function together(metadata: Checked, traces: Checked): Checked {
	return {
		name: `${metadata.name} with ${traces.name}`,
		facts: { ...metadata.facts, ...traces.facts },
		rows: { ...metadata.rows, ...traces.rows },
		count: metadata.count + traces.count,
		shown: [...metadata.shown, ...traces.shown].slice(0, MOST_SHOWN),
		parts: traces.parts,
	};
}
