import type { ReviewTarget } from "#storage/schema.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import type { Target } from "./targets.ts";

/**
 * What spans, and the root spans of traces, are called; by row number of the target. Sessions and runs have no name
 * but their ids. One query for all traces, and one for the spans of each project.
 */
export async function findTargetNames(
	traces: TraceReader,
	kind: ReviewTarget,
	targets: readonly Target[],
): Promise<ReadonlyMap<number, string>> {
	const names = new Map<number, string>();
	const entities = targets.filter((target) => "storedId" in target);
	if (kind === "trace" && entities.length > 0) {
		const found = await traces.findTracesByTraceIds(entities.map(({ storedId }) => storedId));
		for (const { id, rootName } of found) if (rootName !== null) names.set(id, rootName);
	}
	if (kind !== "span") return names;
	for (const [projectId, spans] of Map.groupBy(entities, (entity) => entity.projectId)) {
		const rowIds = spans.map(({ rowId }) => rowId);
		const { items } = await traces.listSpans({ projectId, rowIds, sort: "id", order: "asc", limit: rowIds.length });
		for (const { id, name } of items) names.set(id, name);
	}
	return names;
}
