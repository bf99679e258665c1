import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { chunksOf } from "#base/chunks.ts";
import { either } from "../either.ts";
import { listed } from "../listed.ts";
import type { Tables } from "../schema.ts";
import { hexOf, listedBytes } from "../sql-pieces.ts";
import type { Entity, EntityKind } from "./entity.ts";

/** Ids per statement, so that other reads get their turn. */
const CHUNK = 2_000;
const TRACE_ID = /^[0-9a-f]{32}$/;

/** Uses only statements that SQLite and PostgreSQL share. */
export async function findEntities(
	db: Kysely<Tables>,
	kind: EntityKind,
	rowIds: readonly number[],
): Promise<readonly Entity[]> {
	const found = await select(db, kind, rowIds, (ids) => sql`${sql.ref(`${kind}s.id`)} in ${listed(ids)}`);
	return inOrderOf(rowIds, found);
}

/** What was found by row numbers, in the order in which these were asked for. */
export function inOrderOf<Found extends { readonly rowId: number }>(
	rowIds: readonly number[],
	found: readonly Found[],
): readonly Found[] {
	const places = new Map(rowIds.map((rowId, place) => [rowId, place]));
	const placeOf = ({ rowId }: Found) => places.get(rowId) ?? rowIds.length;
	return found.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Traces or sessions by their stored ids. */
export async function findEntitiesById(
	db: Kysely<Tables>,
	kind: "trace" | "session",
	ids: readonly string[],
): Promise<readonly Entity[]> {
	if (kind === "trace") {
		const hexes = ids.filter((id) => TRACE_ID.test(id));
		return await select(db, kind, hexes, (texts) => sql`traces.trace_id in ${listedBytes(texts)}`);
	}
	// The unique index starts with the project, so search each project.
	const inAnyProject = sql`project_id in (select id from projects)`;
	return await select(db, kind, ids, (texts) => sql`${inAnyProject} and session_id in ${listed(texts)}`);
}

/**
 * Those of these spans that exist. None is deleted before the transaction ends: PostgreSQL has no foreign key to spans,
 * but whoever deletes a span locks its trace first.
 */
export async function holdSpans(
	transaction: Transaction<Tables>,
	spanRowIds: readonly number[],
): Promise<ReadonlySet<number>> {
	if (spanRowIds.length === 0) return new Set();
	const { rows } = await sql<{ id: number }>`
		select spans.id as id from spans
		join traces on traces.id = spans.trace_row_id
		where spans.id in ${listed(spanRowIds)}
		${either({ sqlite: sql``, postgres: sql`for key share of traces` })}`.execute(transaction);
	return new Set(rows.map(({ id }) => id));
}

/** The ids for one statement each. */
export function idChunks<T>(ids: readonly T[]): Iterable<readonly T[]> {
	return chunksOf(ids, CHUNK);
}

const SELECTS: Readonly<Record<EntityKind, RawBuilder<unknown>>> = {
	span: sql`select spans.id as row_id, ${hexOf(sql`spans.span_id`)} as id, spans.project_id, spans.trace_row_id,
			${hexOf(sql`traces.trace_id`)} as trace_id
		from spans join traces on traces.id = spans.trace_row_id and traces.project_id > 0`,
	trace: sql`select traces.id as row_id, ${hexOf(sql`traces.trace_id`)} as id, traces.project_id,
			traces.id as trace_row_id, ${hexOf(sql`traces.trace_id`)} as trace_id
		from traces`,
	session: sql`select sessions.id as row_id, sessions.session_id as id, sessions.project_id,
			null as trace_row_id, null as trace_id
		from sessions`,
};

interface EntityRow {
	readonly row_id: number;
	readonly id: string;
	readonly project_id: number;
	readonly trace_row_id: number | null;
	readonly trace_id: string | null;
}

async function select<T extends string | number>(
	db: Kysely<Tables>,
	kind: EntityKind,
	ids: readonly T[],
	where: (ids: readonly T[]) => RawBuilder<unknown>,
): Promise<readonly Entity[]> {
	const entities: Entity[] = [];
	for (const chunk of idChunks(ids)) {
		// A trace whose project is negative is being deleted.
		const query = sql<EntityRow>`${SELECTS[kind]} where ${where(chunk)} and ${sql.ref(`${kind}s.project_id`)} > 0`;
		for (const { row_id, id, project_id, trace_row_id, trace_id } of (await query.execute(db)).rows) {
			const ids = { id, storedId: id, traceId: trace_id };
			entities.push({ rowId: row_id, ...ids, projectId: project_id, traceRowId: trace_row_id });
		}
	}
	return entities;
}
