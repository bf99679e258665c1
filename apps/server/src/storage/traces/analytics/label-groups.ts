import type { LabelGroup, TraceRows } from "./analytics-query.ts";
import type { AnnotationReader } from "./annotation-reader.ts";
import type { AnalyticsPlan } from "./plan.ts";
import type { RowGroup } from "./tally.ts";

/** Row numbers of what the annotations of a row are on; without those that it has none of. */
export type Labelled = Readonly<Partial<Record<TraceRows, number>>>;

/** The labels of a row as groups of it. */
export type LabelsOf = (row: Labelled, by: LabelGroup) => RowGroup;

/** Reads the labels that a question groups rows by. */
export async function readLabels(
	reader: AnnotationReader,
	{ query }: AnalyticsPlan,
	rows: readonly Labelled[],
): Promise<LabelsOf> {
	const labels = new Map<LabelGroup, ReadonlyMap<number, readonly string[]>>();
	for (const by of query.groupBy) {
		if (by.type !== "label") continue;
		const ids = new Set(rows.flatMap((row) => row[by.on] ?? []));
		const found = ids.size === 0 ? [] : await reader.annotationsOf({ of: by.on, names: [by.name] }, [...ids]);
		const byRow = new Map<number, string[]>();
		for (const { target_row_id: id, label } of found) {
			const known = byRow.get(id) ?? [];
			if (label !== null && !known.includes(label)) byRow.set(id, [...known, label]);
		}
		labels.set(by, byRow);
	}
	return (row, by) => labels.get(by)?.get(row[by.on] ?? 0) ?? null;
}
