import type { Kysely } from "kysely";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import type { Tables } from "#storage/schema.ts";
import { selectFinal } from "../read/query.ts";
import type { Damage } from "./damage.ts";
import type { OpenBatches } from "./open-batches.ts";

/** Tables with rows of projects, and what a row is called. */
const TABLES = {
	spans: "spans",
	span_contents: "contents of spans",
	traces: "traces",
	trace_places: "places of traces",
	sessions: "sessions",
	hours: "totals by hour",
} as const;

interface Sources {
	readonly shard: Shard;
	/** The metadata tables. */
	readonly db: Kysely<Tables>;
	readonly batches: OpenBatches;
}

/** What is of projects that are no more, and projects whose names a lost metadata database could not be given again. */
export async function* wrongProjects(sources: Sources): AsyncGenerator<Damage> {
	if ((await findWrong(sources)).length === 0) return;
	await sources.batches.settle();
	yield* await findWrong(sources);
}

async function findWrong({ shard, db }: Sources): Promise<Damage[]> {
	const wrong: Damage[] = [];
	const used = new Map(await Promise.all(Object.keys(TABLES).map(async (table) => countsOf(shard, table))));
	const known = new Set((await db.selectFrom("projects").select("id").execute()).map(({ id }) => id));
	for (const [table, called] of Object.entries(TABLES))
		for (const { project_id, count } of used.get(table) ?? [])
			if (!known.has(project_id)) {
				const says = `${count} ${called} are of project ${project_id}, which is not there`;
				wrong.push({ kind: "project", projectId: project_id, says });
			}
	const rows = await selectFinal(shard, "select id from projects", { id: types.Integer });
	const named = new Set(rows.map(({ id }) => id));
	for (const { project_id } of used.get("traces") ?? [])
		if (known.has(project_id) && !named.has(project_id)) {
			const says = `ClickHouse does not know the name of project ${project_id}`;
			wrong.push({ kind: "name", projectId: project_id, says });
		}
	return wrong;
}

async function countsOf(shard: Shard, table: string) {
	const rows = await selectFinal(
		shard,
		`select project_id, count() as count from ${table} group by project_id order by project_id`,
		{ project_id: types.Integer, count: types.Count },
	);
	return [table, rows] as const;
}
