import type { Entity, EntityKind } from "#storage/traces/entity.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";

/**
 * The span that stands for each target, by row number of the target: a span itself, the root span of a trace, that of the
 * last trace of a session. Absent for sessions without traces.
 * @returns row numbers of spans
 */
export async function findSourceSpans(
	traces: TraceReader,
	kind: EntityKind,
	entities: readonly Entity[],
): Promise<ReadonlyMap<number, number>> {
	switch (kind) {
		case "span":
			return new Map(entities.map(({ rowId }) => [rowId, rowId]));
		case "trace": {
			const wanted = new Set(entities.map(({ rowId }) => rowId));
			const found = await traces.findTracesByTraceIds(entities.map(({ storedId }) => storedId));
			return new Map(found.filter(({ id }) => wanted.has(id)).map(({ id, rootSpanRowId }) => [id, rootSpanRowId]));
		}
		case "session":
			return await rootsOfLastTraces(traces, entities);
	}
}

/** One session at a time, as a session may have very many traces. */
async function rootsOfLastTraces(
	traces: TraceReader,
	sessions: readonly Entity[],
): Promise<ReadonlyMap<number, number>> {
	const roots = new Map<number, number>();
	for (const { projectId, rowId } of sessions) {
		const { items } = await traces.listTraces({
			...{ projectId, sessionRowIds: [rowId], withTexts: false },
			...{ sort: "start_time", order: "desc", limit: 1 },
		});
		const [last] = items;
		if (last !== undefined) roots.set(rowId, last.rootSpanRowId);
	}
	return roots;
}
