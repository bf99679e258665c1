import { type Kysely, sql } from "kysely";
import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { Entity, EntityKind } from "#storage/traces/entity.ts";
import { idChunks, inOrderOf } from "#storage/traces/find-entities.ts";
import type { Dependents } from "#storage/traces/trace-store.ts";
import type { Sources } from "../filter/world.ts";
import { inParts } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { type Asked, selectFinal } from "./query.ts";

const COLUMNS = {
	row_id: types.Integer,
	id: types.Text,
	project_id: types.Integer,
	trace_row_id: types.Nullable(types.Integer),
	trace_id: types.Nullable(types.Text),
} as const;

const SELECTS: Readonly<Record<EntityKind, string>> = {
	span: `select spans.id as row_id, lower(hex(spans.span_id)) as id, spans.project_id as project_id,
		toNullable(spans.trace_row_id) as trace_row_id, toNullable(lower(hex(spans.trace_id))) as trace_id from spans`,
	trace: `select traces.id as row_id, lower(hex(traces.trace_id)) as id, traces.project_id as project_id,
		toNullable(traces.id) as trace_row_id, toNullable(lower(hex(traces.trace_id))) as trace_id from traces`,
	session: `select sessions.id as row_id, sessions.session_id as id, sessions.project_id as project_id,
		cast(null as Nullable(Int64)) as trace_row_id, cast(null as Nullable(String)) as trace_id from sessions`,
};

export async function findEntities(
	shard: ShardReader,
	kind: EntityKind,
	rowIds: readonly number[],
): Promise<readonly Entity[]> {
	const found = await select(shard, kind, rowIds, (where, ids) => {
		where.addIn(`${kind}s.id`, "Int64", ids);
		return { most: new Set(ids).size };
	});
	return inOrderOf(rowIds, found);
}

export async function findEntitiesById(
	shard: ShardReader,
	kind: EntityKind,
	ids: readonly string[],
): Promise<readonly Entity[]> {
	return await select(shard, kind, ids, (where, texts) => {
		if (kind === "session") where.addIn("sessions.session_id", "String", texts);
		else where.addInHex(`${kind}s.${kind}_id`, kind === "span" ? 8 : 16, texts.filter(isLowerHex));
		return kind === "trace" ? { traceIds: () => texts } : {};
	});
}

/** Which of these spans exist. */
export async function existingSpans(shard: ShardReader, rowIds: readonly number[]): Promise<ReadonlySet<number>> {
	const found = await findEntities(shard, "span", rowIds);
	return new Set(found.map(({ rowId }) => rowId));
}

export async function countDependents(
	{ shard, db }: Sources,
	kind: EntityKind,
	rowIds: readonly number[],
): Promise<Dependents> {
	let annotations = 0;
	let logRecords = 0;
	for (const ids of idChunks(rowIds)) {
		const traceIds = kind === "session" ? await tracesOfSessions(shard, ids) : [];
		annotations += await countAnnotations(db, `${kind}_row_id`, ids);
		for (const part of idChunks(traceIds)) annotations += await countAnnotations(db, "trace_row_id", part);
		logRecords += await countLogRecords(shard, kind, ids);
	}
	return { annotations, logRecords };
}

async function countAnnotations(
	db: Kysely<Tables>,
	column: "span_row_id" | "trace_row_id" | "session_row_id",
	ids: readonly number[],
): Promise<number> {
	const { count } = await db
		.selectFrom("annotations")
		.select(sql<number>`count(*)`.as("count"))
		.where(column, "in", listed(ids))
		.executeTakeFirstOrThrow();
	return Number(count);
}

async function tracesOfSessions(shard: ShardReader, sessionRowIds: readonly number[]): Promise<number[]> {
	const rows = await inParts(sessionRowIds, (ids) =>
		selectFinal(
			shard,
			"select id from traces where session_row_id in {ids:Array(Int64)}",
			{ id: types.Integer },
			{ ids },
		),
	);
	return rows.map(({ id }) => id);
}

const LOG_RECORDS: Readonly<Record<EntityKind, string>> = {
	span: "(project_id, trace_id, span_id) in (select project_id, trace_id, span_id from spans where id in {ids:Array(Int64)})",
	trace: "(project_id, trace_id) in (select project_id, trace_id from traces where id in {ids:Array(Int64)})",
	session:
		"(project_id, trace_id) in (select project_id, trace_id from traces where session_row_id in {ids:Array(Int64)})",
};

async function countLogRecords(shard: ShardReader, kind: EntityKind, ids: readonly number[]): Promise<number> {
	const rows = await selectFinal(
		shard,
		`select count() as count from log_records where ${LOG_RECORDS[kind]}`,
		{ count: types.Count },
		{ ids },
	);
	return rows.reduce((sum, { count }) => sum + count, 0);
}

async function select<T extends string | number>(
	shard: ShardReader,
	kind: EntityKind,
	ids: readonly T[],
	narrow: (where: Conditions, ids: readonly T[]) => Asked,
): Promise<readonly Entity[]> {
	const rows = await inParts(ids, async (part) => {
		const where = new Conditions();
		const asked = narrow(where, part);
		return await selectFinal(shard, `${SELECTS[kind]} where ${where.sql}`, COLUMNS, where.params, asked);
	});
	return rows.map(({ row_id, id, project_id, trace_row_id, trace_id }) => ({
		...{ rowId: row_id, id, storedId: id, traceId: trace_id },
		...{ projectId: project_id, traceRowId: trace_row_id },
	}));
}

function isLowerHex(id: string): boolean {
	return /^[0-9a-f]+$/.test(id);
}
