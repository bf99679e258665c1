import type { z } from "zod";
import type { EntityKind } from "#storage/traces/entity.ts";
import type { ReadableTraces } from "#storage/traces/trace-store.ts";
import type { SelectionBody } from "../selections/schemas.ts";
import { toSelection } from "../selections/selection.ts";
import type { StoredSelection } from "./bulk-runs.ts";

interface Asked {
	readonly kind: EntityKind;
	readonly selection: z.output<typeof SelectionBody>;
}

/**
 * The selection of a run, which the start closes: what comes later is not selected.
 * @param now microseconds since 1970
 * @throws UserError as `toSelection`
 */
export async function readSelection(
	traces: ReadableTraces,
	projectId: number,
	{ kind, selection }: Asked,
	now: number,
): Promise<z.output<typeof StoredSelection>> {
	const byIds = "ids" in selection;
	const { rowIds, filters } = await toSelection(traces, projectId, kind, {
		ids: byIds ? selection.ids : undefined,
		filters: byIds ? {} : selection.filter,
	});
	if (rowIds !== undefined) return { rowIds: [...rowIds] };
	const lastRow = (await traces.readArrivals())[kind];
	const end_time = Math.min(filters?.end_time ?? Number.MAX_SAFE_INTEGER, now + 1);
	return { filters: { ...filters, end_time }, lastRow };
}
