import { types } from "#storage/clickhouse/row-binary.ts";
import {
	pageByScore,
	type RankedRow,
	type RowsWanted,
	type ScoreQuery,
	type ScoreRow,
	scoredBy,
} from "#storage/traces/lists/by-score.ts";
import type { ScannedPage } from "#storage/traces/lists/positions.ts";
import type { Keyset, Page } from "#storage/traces/trace-store.ts";
import type { Sources } from "../filter/world.ts";
import { inParts } from "./bounds.ts";
import { selectFinal } from "./query.ts";

/**
 * A page of a list that is sorted by score. The scores are in the metadata database.
 * @param list one page of those of the wanted rows that pass the filters
 */
export async function scanByScore<Row extends { readonly id: number }>(
	sources: Sources,
	target: "trace" | "span" | "session",
	query: ScoreQuery,
	after: Keyset | undefined,
	list: (wanted: RowsWanted) => Promise<Page<Row>>,
): Promise<ScannedPage<RankedRow<Row>>> {
	const scores = await scoresOf(sources, target, query);
	const reading = pageByScore<Row>(scores, query, after);
	let step = reading.next();
	while (!step.done) step = reading.next(await list(step.value));
	return step.value;
}

/** A trace has its own scores and those of its root span. */
async function scoresOf(
	{ shard, db }: Sources,
	target: "trace" | "span" | "session",
	query: ScoreQuery,
): Promise<ScoreRow[]> {
	const [projectId, name] = scoredBy(query);
	const rows = await db
		.selectFrom("annotations")
		.select(["target", "target_row_id", "trace_row_id", "score"])
		.where("project_id", "=", projectId)
		.where("target", "in", target === "trace" ? ["trace", "span"] : [target])
		.where("name", "=", name)
		.where("score", "is not", null)
		.orderBy("id")
		.execute();
	const onSpans = target === "trace" ? rows.filter((row) => row.target === "span") : [];
	const roots =
		onSpans.length === 0
			? []
			: await inParts([...new Set(onSpans.map((row) => row.target_row_id))], (spans) =>
					selectFinal(
						shard,
						"select root_span from traces where project_id = {project:Int64} and root_span in {spans:Array(Int64)}",
						{ root_span: types.Integer },
						{ project: projectId, spans },
					),
				);
	const isRoot = new Set(roots.map(({ root_span }) => root_span));
	return rows.flatMap((row) => {
		const id = target === "trace" ? row.trace_row_id : row.target_row_id;
		if (id === null || row.score === null) return [];
		if (target === "trace" && row.target === "span" && !isRoot.has(row.target_row_id)) return [];
		return [{ id, score: row.score }];
	});
}
