import type { Actor } from "#http/actor.ts";
import type { UploadedRow } from "./upload/uploaded-rows.ts";
import { linkTo, type SpanLink } from "./version-writer.ts";

/**
 * The spans that rows name, by stored id, among those that the actor sees; if several have the same id, the one stored
 * first. The actor enters their projects.
 */
export async function findLinkedSpans(
	actor: Pick<Actor, "traces" | "enter">,
	rows: readonly UploadedRow[],
): Promise<ReadonlyMap<string, SpanLink>> {
	const named = rows.flatMap(({ spanId }) => (spanId === undefined ? [] : spanId));
	if (named.length === 0) return new Map();
	const spans = await actor.traces.findEntitiesById("span", named);
	const newestFirst = spans.toSorted((a, b) => b.rowId - a.rowId);
	const linked = new Map(newestFirst.map((span) => [span.storedId, span]));
	for (const { projectId } of linked.values()) actor.enter(projectId, "viewer");
	return new Map(Array.from(linked, ([storedId, span]) => [storedId, linkTo(span)]));
}
