import { sql } from "kysely";
import { type Columns, types } from "#storage/clickhouse/row-binary.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
import { forgetContents } from "#storage/traces/clickhouse/mutate/forget.ts";
import { findRows, selectFinal } from "#storage/traces/clickhouse/read/query.ts";
import {
	HOURS,
	PROJECTS,
	SESSIONS,
	SPANS,
	type Table,
	TRACE_PLACES,
	TRACES,
} from "#storage/traces/clickhouse/tables.ts";
import { insertRows } from "#storage/traces/clickhouse/write/insert-rows.ts";
import type { RepairTools } from "./repair-tools.ts";

const NOTHING = { projects: [], keys: [], spans: 0, traces: 0 };
/** Rows that are deleted in one turn. */
const PAGE = 5_000;

interface OrphanedContent {
	readonly projectId: number;
	readonly startMicros: number;
	readonly id: number;
}

/** Deletes content that no span has, unless its batch may still store one. @returns whether it was there */
export async function repairContent(
	{ shard, db, turns }: RepairTools,
	{ projectId, startMicros, id }: OrphanedContent,
): Promise<boolean> {
	return await turns.take(NOTHING, async (turn) => {
		const params = { project: projectId, start: startMicros, id };
		const where = "project_id = {project:Int64} and start_micros = {start:Int64} and id = {id:Int64}";
		const [[content], [span]] = await Promise.all([
			selectFinal(shard, `select batch from span_contents where ${where}`, { batch: types.Integer }, params),
			selectFinal(shard, `select id from spans where ${where}`, { id: types.Integer }, params),
		]);
		if (content === undefined || span !== undefined) return false;
		const { rows: open } = await sql`select 1 from clickhouse_batches where id = ${content.batch}`.execute(db.read);
		if (open.length > 0) return false;
		const gone = { project_id: projectId, start_micros: startMicros, id };
		await forgetContents(shard, turn, [gone], `batch ${turn.batch} content`);
		return true;
	});
}

/** Gives ClickHouse the name of a project. @returns whether it lacked it */
export async function repairName({ shard, db, turns }: RepairTools, projectId: number): Promise<boolean> {
	const project = await findProject({ db }, projectId);
	if (project === undefined || (await nameOf(shard, projectId)) !== undefined) return false;
	return await turns.take({ ...NOTHING, projects: [project.name] }, async ({ batch, version, projects }) => {
		if (projects.get(project.name) !== projectId) return false;
		const row = { id: projectId, name: project.name, version, is_deleted: 0 };
		await insertRows(shard, PROJECTS, [row], `batch ${batch} name`);
		return true;
	});
}

/**
 * Makes the project anew of which spans are left, if its name is known: the metadata database has lost it. Else deletes
 * what is left of it. @returns whether there was something to do
 */
export async function repairProject(tools: RepairTools, projectId: number): Promise<boolean> {
	const { shard, metadata } = tools;
	if ((await findProject(tools, projectId)) !== undefined) return false;
	const name = await nameOf(shard, projectId);
	const [span] = await selectFinal(
		shard,
		"select id from spans where project_id = {project:Int64} limit 1",
		{ id: types.Integer },
		{ project: projectId },
	);
	if (name !== undefined && span !== undefined) {
		await metadata.addProjects([{ id: projectId, name }]);
		return true;
	}
	const deleted = [
		await forgetRows(tools, SPANS, projectId),
		await forgetAllContents(tools, projectId),
		await forgetRows(tools, TRACES, projectId),
		await forgetRows(tools, TRACE_PLACES, projectId),
		await forgetRows(tools, SESSIONS, projectId),
		await forgetRows(tools, HOURS, projectId),
	];
	if (name !== undefined)
		await tools.turns.take(NOTHING, ({ batch, version }) =>
			insertRows(shard, PROJECTS, [{ id: projectId, name: "", version, is_deleted: 1 }], `batch ${batch} name`),
		);
	return deleted.some((rows) => rows > 0);
}

async function findProject({ db }: Pick<RepairTools, "db">, projectId: number) {
	return await db.read.selectFrom("projects").select("name").where("id", "=", projectId).executeTakeFirst();
}

/** As ClickHouse has it. */
async function nameOf(shard: Shard, projectId: number): Promise<string | undefined> {
	const [row] = await findRows(shard, PROJECTS, { sql: "id = {id:Int64}", params: { id: projectId } });
	return row?.name;
}

/** Deletes all rows that a table has of a project, some in each turn. @returns how many */
async function forgetRows<Of extends Columns>(
	{ shard, turns }: RepairTools,
	table: Table<Of>,
	projectId: number,
): Promise<number> {
	for (let deleted = 0; ; ) {
		const last = await turns.take(NOTHING, async ({ batch, version }) => {
			const rows = await findRows(shard, table, ofProject(projectId), `limit ${PAGE}`);
			const gone = rows.map((row) => ({ ...row, version, is_deleted: 1 }));
			await insertRows(shard, table, gone, `batch ${batch} gone`);
			return rows.length;
		});
		deleted += last;
		if (last < PAGE) return deleted;
	}
}

/** As {@link forgetRows}, without reading the content. */
async function forgetAllContents({ shard, turns }: RepairTools, projectId: number): Promise<number> {
	const { sql: where, params } = ofProject(projectId);
	const key = { project_id: types.Integer, start_micros: types.Integer, id: types.Integer } as const;
	for (let deleted = 0; ; ) {
		const last = await turns.take(NOTHING, async (turn) => {
			const select = `select project_id, start_micros, id from span_contents where ${where} limit ${PAGE}`;
			const rows = await selectFinal(shard, select, key, params);
			await forgetContents(shard, turn, rows, `batch ${turn.batch}`);
			return rows.length;
		});
		deleted += last;
		if (last < PAGE) return deleted;
	}
}

function ofProject(projectId: number) {
	return { sql: "project_id = {project:Int64}", params: { project: projectId } };
}
