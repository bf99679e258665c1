import type { Shard } from "#storage/clickhouse/shard.ts";
import type { SpanContent } from "#storage/traces/trace-store.ts";
import { CONTENTS } from "../tables.ts";
import { findRows } from "./query.ts";

/** Contents that are read at once, so that no answer is too large. */
const MOST_AT_ONCE = 200;

/** The content of spans, without their log records, by row number. */
export async function readContents(
	shard: Shard,
	spans: readonly { readonly project_id: number; readonly id: number; readonly start_micros: number }[],
): Promise<Map<number, SpanContent>> {
	const contents = new Map<number, SpanContent>();
	for (let at = 0; at < spans.length; at += MOST_AT_ONCE) {
		const part = spans.slice(at, at + MOST_AT_ONCE);
		const rows = await findRows(shard, CONTENTS, {
			sql: "project_id in {projects:Array(Int64)} and start_micros in {starts:Array(Int64)} and id in {ids:Array(Int64)}",
			params: {
				projects: [...new Set(part.map(({ project_id }) => project_id))],
				starts: [...new Set(part.map(({ start_micros }) => start_micros))],
				ids: part.map(({ id }) => id),
			},
		});
		for (const row of rows)
			contents.set(row.id, {
				span: new Uint8Array(row.span),
				scope: new Uint8Array(row.scope),
				scopeSchemaUrl: row.scope_schema_url,
				resource: new Uint8Array(row.resource),
				resourceSchemaUrl: row.resource_schema_url,
				logs: [],
			});
	}
	return contents;
}
