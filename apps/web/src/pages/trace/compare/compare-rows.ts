import type { ContentDigests } from "@spanward/client";
import type { TraceSpan } from "../trace-span.ts";
import { spanInRow } from "../trace-tree.ts";
import type { Alignment } from "./align-traces.ts";
import { stepName } from "./match-spans.ts";

/** In which two spans can differ so that it counts. Times and costs differ from run to run. */
export type Aspect = "name" | "status" | "model" | "tokens" | "input" | "output" | "parameters" | "place";
export type RowState = "same" | "changed" | "left" | "right";

export interface ComparedRow {
	readonly left: TraceSpan | undefined;
	readonly right: TraceSpan | undefined;
	readonly state: RowState;
	readonly differs: readonly Aspect[];
}

export interface ComparedRows {
	readonly rows: readonly ComparedRow[];
	/** Numbers of rows that differ below each row. */
	readonly below: Int32Array;
	/** Rows that differ, in order. */
	readonly differences: readonly number[];
	readonly counts: Readonly<Record<RowState, number>>;
}

/** By span id; of what was read so far. */
export type DigestsById = ReadonlyMap<string, ContentDigests>;

export function compareRows(alignment: Alignment, leftDigests: DigestsById, rightDigests: DigestsById): ComparedRows {
	const rows: ComparedRow[] = [];
	const counts = { same: 0, changed: 0, left: 0, right: 0 };
	const differences: number[] = [];
	for (let at = 0; at < alignment.length; at++) {
		const [leftAt, rightAt] = [alignment.leftAt[at] ?? -1, alignment.rightAt[at] ?? -1];
		const left = spanInRow(alignment.left, leftAt);
		const right = spanInRow(alignment.right, rightAt);
		const differs =
			left && right
				? [
						...differencesOf(left, right),
						...contentDifferences(leftDigests.get(left.spanId), rightDigests.get(right.spanId)),
						...(alignment.isMoved[at] ? (["place"] as const) : []),
					]
				: [];
		const state = rightAt < 0 ? "left" : leftAt < 0 ? "right" : differs.length > 0 ? "changed" : "same";
		counts[state]++;
		if (state !== "same") differences.push(at);
		rows.push({ left, right, state, differs });
	}
	return { rows, below: countBelow(alignment, rows), differences, counts };
}

function differencesOf(left: TraceSpan, right: TraceSpan): Aspect[] {
	const differs: Aspect[] = [];
	if (stepName(left.name) !== stepName(right.name) || left.kind !== right.kind) differs.push("name");
	if (left.status !== right.status || left.state !== right.state) differs.push("status");
	if (left.model !== right.model) differs.push("model");
	if (tokensOf(left) !== tokensOf(right)) differs.push("tokens");
	return differs;
}

function tokensOf({ tokens }: TraceSpan): string {
	return tokens ? `${tokens.prompt} ${tokens.completion} ${tokens.total}` : "";
}

function contentDifferences(left: ContentDigests | undefined, right: ContentDigests | undefined): Aspect[] {
	if (!left || !right) return [];
	return (["input", "output", "parameters"] as const).filter((part) => left[part] !== right[part]);
}

function countBelow(alignment: Alignment, rows: readonly ComparedRow[]): Int32Array {
	const below = new Int32Array(rows.length);
	for (let at = rows.length - 1; at >= 0; at--) {
		const parent = alignment.parentAt[at] ?? -1;
		if (parent < 0) continue;
		below[parent] = (below[parent] ?? 0) + (below[at] ?? 0) + (rows[at]?.state === "same" ? 0 : 1);
	}
	return below;
}

/** A key of a row that stays while spans arrive. */
export function comparedKey({ left, right }: ComparedRow, at: number): string {
	return left || right
		? `${left?.spanId ?? ""}|${right?.spanId ?? ""}|${(left ?? right)?.startMicros}`
		: `missing ${at}`;
}

/** Rows that are shown: none below a collapsed one, and only what differs with what it is below, where that is asked for. */
export function shownRows(
	{ length, subtreeEnd }: Alignment,
	{ rows, below }: ComparedRows,
	collapsed: ReadonlySet<string>,
	onlyDifferences: boolean,
): Int32Array {
	const shown = new Int32Array(length);
	let count = 0;
	for (let at = 0; at < length; ) {
		const row = rows[at];
		if (row === undefined) break;
		const end = subtreeEnd[at] ?? length;
		if (onlyDifferences && row.state === "same" && below[at] === 0) {
			at = end;
			continue;
		}
		shown[count++] = at;
		at = collapsed.size > 0 && end > at + 1 && collapsed.has(comparedKey(row, at)) ? end : at + 1;
	}
	return shown.subarray(0, count);
}
