import { exactPico } from "./cost-pico.ts";
import type { HourChange, HourRow } from "./hour-changes.ts";
import { addBlobTo, type Histogram, toBlob } from "./latency-histogram.ts";

/**
 * Whether the rows of an hour add up to what its spans and traces give. Rows that add up to nothing count as absent.
 * @param stored how a name of a model is stored
 */
export function hourIsRight(
	rows: readonly HourRow[],
	counted: readonly HourChange[],
	stored: (model: string) => string = (model) => model,
): boolean {
	const is = new Map<string, Sums>();
	for (const row of rows) {
		const sums = at(is, `${row.kind} ${row.model}`);
		const { trace_count, span_count, running_count, error_count, tokens_prompt, tokens_completion, tokens_total } = row;
		add(sums, [trace_count, span_count, running_count, error_count, tokens_prompt, tokens_completion, tokens_total]);
		sums.micro += row.cost_micro;
		sums.pico += row.cost_pico;
		addBlobTo(sums.latency, row.latency);
	}
	const should = new Map<string, Sums>();
	for (const { kind, model, traces, totals, latency } of counted) {
		const sums = at(should, `${kind} ${stored(model)}`);
		const { spans, running, errors, prompt, completion, total, costMicro, costPico } = totals;
		add(sums, [traces, spans, running, errors, prompt, completion, total]);
		sums.micro += costMicro;
		sums.pico += costPico;
		addBlobTo(sums.latency, toBlob(latency));
	}
	return [...new Set([...is.keys(), ...should.keys()])].every((key) => shown(is.get(key)) === shown(should.get(key)));
}

interface Sums {
	readonly counts: number[];
	micro: number;
	pico: number;
	readonly latency: Histogram;
}

function at(all: Map<string, Sums>, key: string): Sums {
	const known = all.get(key) ?? { counts: [0, 0, 0, 0, 0, 0, 0], micro: 0, pico: 0, latency: new Map() };
	all.set(key, known);
	return known;
}

function add({ counts }: Sums, more: readonly number[]): void {
	for (const [index, count] of more.entries()) counts[index] = (counts[index] ?? 0) + count;
}

function shown(sums: Sums | undefined): string {
	if (sums === undefined) return "nothing";
	const { counts, micro, pico, latency } = sums;
	const cost = exactPico({ micro, pico });
	const durations = Buffer.from(toBlob(latency)).toString("hex");
	return counts.every((count) => count === 0) && cost === 0n && latency.size === 0
		? "nothing"
		: `${counts.join(" ")} ${cost} ${durations}`;
}
