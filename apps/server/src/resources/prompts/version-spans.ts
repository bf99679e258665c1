import { parseFilter } from "@spanward/filter-language";
import { VERSION_ATTRIBUTES } from "#storage/traces/content/attribute-values.ts";
import type { Caller, Keyset, SpanSummary, TraceReader } from "#storage/traces/trace-store.ts";

/** A position in a list that goes through several projects. */
export interface Place {
	readonly projectId: number;
	/** Absent at the beginning of the project. */
	readonly from?: Keyset;
}

/**
 * Spans that name this version, by project in the given order, the newest of each first.
 * @param query.rest where the list continues after the places
 * @returns with `next`, where the list continues; there may be more even if there are fewer than `limit`
 */
export async function listVersionSpans(
	traces: TraceReader,
	versionId: string,
	query: {
		readonly places: readonly Place[];
		readonly rest: Place | undefined;
		readonly limit: number;
		readonly caller: Caller;
	},
): Promise<{ items: SpanSummary[]; next: Place | undefined }> {
	// The text search lets an index narrow the spans for which the condition is evaluated.
	const filter = { text: versionId, ...conditionOf(versionId), caller: query.caller };
	const items: SpanSummary[] = [];
	for (const place of query.places) {
		const left = query.limit - items.length;
		if (left === 0) return { items, next: place };
		const page = await traces.listSpans({ ...filter, ...place, sort: "id", order: "desc", limit: left });
		items.push(...page.items);
		if (page.next !== undefined) return { items, next: { projectId: place.projectId, from: page.next } };
	}
	return { items, next: query.rest };
}

/** @param versionId a global id, which needs no escaping */
function conditionOf(versionId: string) {
	const isVersion = VERSION_ATTRIBUTES.map((name) => `attributes['${name}'] == '${versionId}'`);
	const { condition } = parseFilter("span", isVersion.join(" or "));
	return condition === undefined ? {} : { condition };
}
