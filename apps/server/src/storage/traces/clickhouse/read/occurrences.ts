import { sql } from "kysely";
import { types } from "#storage/clickhouse/row-binary.ts";
import { listed } from "#storage/listed.ts";
import { backfilledFrom, bySpan, type OccurrenceReader } from "#storage/traces/analytics/occurrence-reader.ts";
import type { Sources } from "../filter/world.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { selectFinal } from "./query.ts";

/** Traces that wait, which are looked at one by one; with more, errors are behind. */
const MOST_WAITING = 1_000;
const FOUND = { id: types.Integer } as const;

/** Occurrences of the metadata database. */
export function occurrencesOf({ db, shard }: Sources): OccurrenceReader {
	return {
		list: async (projectId, { startMicros, endMicros }, { limit, before }) =>
			await db
				.selectFrom("error_occurrences as failed")
				.innerJoin("error_groups as own", "own.id", "failed.group_id")
				.select(["failed.id", "failed.span_row_id", "failed.start_micros", "failed.group_id", "failed.tool"])
				.select(["own.fingerprint as error_group", "failed.kind as error_kind"])
				.where("failed.project_id", "=", projectId)
				.where("failed.start_micros", ">=", startMicros)
				.where("failed.start_micros", "<", endMicros)
				.where(
					before === undefined
						? sql<boolean>`true`
						: sql<boolean>`(failed.start_micros < ${before.value}
							or (failed.start_micros = ${before.value} and failed.id < ${before.id}))`,
				)
				.orderBy("failed.start_micros", "desc")
				.orderBy("failed.id", "desc")
				.limit(limit)
				.execute(),
		groupsOf: async (spanRowIds) =>
			bySpan(
				await db
					.selectFrom("error_occurrences as failed")
					.innerJoin("error_groups as own", "own.id", "failed.group_id")
					.select(["failed.span_row_id", "own.fingerprint as error_group"])
					.where("failed.span_row_id", "in", listed(spanRowIds))
					.execute(),
			),
		notedFrom: () => backfilledFrom(db),
		isBehind: async (projectIds, { startMicros, endMicros }) => {
			const waiting = await db
				.selectFrom("error_backlog")
				.select("trace_row_id")
				.limit(MOST_WAITING + 1)
				.execute();
			if (waiting.length > MOST_WAITING) return true;
			const ids = waiting.map(({ trace_row_id }) => trace_row_id);
			const found = await inParts(ids, async (part) => {
				const where = new Conditions().addIn("project_id", "Int64", projectIds).addIn("id", "Int64", part);
				where.add(`start_micros < ${where.bind("Int64", endMicros)}`);
				where.add(`end_micros >= ${where.bind("Int64", startMicros)}`);
				return await selectFinal(shard, `select id from traces where ${where.sql}`, FOUND, where.params);
			});
			return found.length > 0;
		},
	};
}
