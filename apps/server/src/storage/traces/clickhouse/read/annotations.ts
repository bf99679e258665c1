import { types } from "#storage/clickhouse/row-binary.ts";
import { listed } from "#storage/listed.ts";
import type { Range } from "#storage/traces/analytics/analytics-query.ts";
import type { AnalyticsLists } from "#storage/traces/analytics/analyze-lists.ts";
import {
	type AnnotatedRow,
	type AnnotationChoice,
	type AnnotationReader,
	MOST_ANNOTATIONS,
	TARGET_OF,
} from "#storage/traces/analytics/annotation-reader.ts";
import type { Keyset } from "#storage/traces/trace-store.ts";
import type { Sources } from "../filter/world.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { selectFinal } from "./query.ts";

/** Annotations of the metadata database, with the starts that the traces have. */
export function annotationsOf(sources: Sources, sessions: AnalyticsLists["sessions"]): AnnotationReader {
	return {
		annotated: async (choice, range) => {
			const found = await chosen(sources, choice)
				.select("target_row_id as id")
				.where("project_id", "=", choice.projectId)
				.limit(MOST_ANNOTATIONS + 1)
				.execute();
			if (found.length > MOST_ANNOTATIONS) return undefined;
			const ids = [...new Set(found.map(({ id }) => id))];
			return choice.of === "sessions"
				? await startsOfSessions(sessions, choice, ids, range)
				: await startsOf(sources, choice, ids, range);
		},
		annotationsOf: async (choice, rowIds) =>
			rowIds.length === 0
				? []
				: await chosen(sources, choice)
						.select(["target_row_id", "name", "identifier", "annotator_kind", "label", "score"])
						.where("target_row_id", "in", listed(rowIds))
						.execute(),
	};
}

function chosen({ db }: Sources, { of, names, annotatorKinds }: Omit<AnnotationChoice, "projectId">) {
	let asked = db.selectFrom("annotations").where("target", "=", TARGET_OF[of]).where("document_position", "=", -1);
	if (names !== undefined) asked = asked.where("name", "in", names);
	if (annotatorKinds !== undefined) asked = asked.where("annotator_kind", "in", annotatorKinds);
	return asked;
}

const PLACE = { id: types.Integer, start_micros: types.Integer } as const;

async function startsOf(
	{ shard }: Sources,
	{ of, projectId }: AnnotationChoice,
	ids: readonly number[],
	range: Range,
): Promise<readonly AnnotatedRow[]> {
	return await inParts(ids, async (part) => {
		const where = new Conditions().addEqual("project_id", "Int64", projectId).addIn("id", "Int64", part);
		where.addTimeRange("start_micros", range);
		return await selectFinal(shard, `select id, start_micros from ${of} where ${where.sql}`, PLACE, where.params);
	});
}

/** A session starts with the first of its traces, which lie on all shards. */
async function startsOfSessions(
	list: AnalyticsLists["sessions"],
	{ projectId }: AnnotationChoice,
	ids: readonly number[],
	range: Range,
): Promise<readonly AnnotatedRow[]> {
	const rows: AnnotatedRow[] = [];
	if (ids.length === 0) return rows;
	for (let from: Keyset | undefined; ; ) {
		const page = await list({
			...range,
			...{ projectId, rowIds: ids, sort: "start_time", order: "desc", limit: 2_000 },
			...(from === undefined ? {} : { from }),
		});
		rows.push(...page.items.map(({ id, start }) => ({ id, start_micros: start.micros })));
		from = page.next;
		if (from === undefined) return rows;
	}
}
