import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Context } from "#context.ts";
import { ambiguous } from "#http/ambiguous-id.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { MAX_SENT_ID, storedSpanId, storedTraceId } from "#storage/sent-ids.ts";
import { hexOf, listedBytes } from "#storage/sql-pieces.ts";
import { PLACE_ID_TYPES, type PlaceKind } from "./kinds.ts";

/** A span, trace or session that is stored. */
export interface Place {
	readonly rowId: number;
	/** Hex digits in lower case, or the application's session id. */
	readonly id: string;
	/** As it was sent. */
	readonly sentId: string;
	readonly projectId: number;
	/** Of a trace and its spans; null for sessions. */
	readonly traceRowId: number | null;
}

type Where = Pick<Context, "db" | "traces">;

/** Ids that one statement asks for, so that others read in between. */
const CHUNK = 2_000;

/** Places by row number, those that exist and are not being deleted; in a transaction, as it sees them. */
export async function findPlacesByRow(
	db: Kysely<Tables>,
	kind: PlaceKind,
	rowIds: readonly number[],
): Promise<readonly Place[]> {
	return await select(db, kind, rowIds, (ids) => sql`${sql.ref(`${kind}s.id`)} in ${listed(ids)}`);
}

/** Places with these ids, in one project or in all of them. An id may be in several. */
export async function findPlaces(
	{ db, traces }: Where,
	kind: PlaceKind,
	ids: readonly string[],
	projectId?: number,
): Promise<readonly Place[]> {
	const wanted = [...new Set(ids.map((id) => toWanted(kind, id)))];
	const rows = wanted.filter((id) => typeof id === "number");
	const texts = wanted.filter((id) => typeof id === "string");
	const found = [
		...(await findPlacesByRow(db.read, kind, rows)),
		...(await findPlacesByText({ db, traces }, kind, texts)),
	];
	return projectId === undefined ? found : found.filter((place) => place.projectId === projectId);
}

/**
 * The one place of each id that was sent; what is not there is absent.
 * @throws UserError 409 naming the global ids when an id is in several places
 */
export async function resolvePlaces(
	context: Where,
	kind: PlaceKind,
	ids: readonly string[],
	projectId?: number,
): Promise<ReadonlyMap<string, Place>> {
	const found = await findPlaces(context, kind, ids, projectId);
	const byId = Map.groupBy(found, (place) => place.id);
	const byRow = new Map(found.map((place) => [place.rowId, place]));
	const resolved = new Map<string, Place>();
	for (const id of new Set(ids)) {
		const wanted = toWanted(kind, id);
		const places = typeof wanted === "number" ? [byRow.get(wanted)] : (byId.get(wanted) ?? []);
		if (places.length > 1) throw ambiguous(kind, globalIdsOf(kind, byId.get(String(wanted)) ?? []));
		if (places[0] !== undefined) resolved.set(id, places[0]);
	}
	return resolved;
}

export function globalIdsOf(kind: PlaceKind, places: readonly Place[]): string[] {
	return places.map((place) => encodeGlobalId(PLACE_ID_TYPES[kind], place.rowId));
}

/** An id as it is looked up: the row number of a global id, else the id that the application made. */
export function toWanted(kind: PlaceKind, id: string): string | number {
	return decodeGlobalId(id, PLACE_ID_TYPES[kind]) ?? storedId(kind, id);
}

function storedId(kind: PlaceKind, id: string): string {
	if (kind === "session" || id === "" || id.length > MAX_SENT_ID) return id;
	return kind === "trace" ? storedTraceId(id) : storedSpanId(id);
}

/** Whether something with this id may come: row numbers are not used again, and ids of spans and traces are not longer. */
export function mayArrive(kind: PlaceKind, wanted: string | number): boolean {
	if (typeof wanted === "number") return false;
	switch (kind) {
		case "span":
			return /^[0-9a-f]{16}$/.test(wanted);
		case "trace":
			return /^[0-9a-f]{32}$/.test(wanted);
		case "session":
			return wanted !== "";
	}
}

async function findPlacesByText(
	{ db, traces }: Where,
	kind: PlaceKind,
	ids: readonly string[],
): Promise<readonly Place[]> {
	switch (kind) {
		case "span": {
			const rows: number[] = [];
			for (let start = 0; start < ids.length; start += CHUNK) {
				rows.push(...(await traces.findSpanRows(ids.slice(start, start + CHUNK))));
			}
			return await findPlacesByRow(db.read, kind, rows);
		}
		case "trace":
			return await select(
				db.read,
				kind,
				ids.filter((id) => mayArrive(kind, id)),
				(texts) => sql`traces.trace_id in ${listedBytes(texts)}`,
			);
		case "session":
			// The unique index starts with the project: ask for each one.
			return await select(
				db.read,
				kind,
				ids,
				(texts) => sql`project_id in (select id from projects) and session_id in ${listed(texts)}`,
			);
	}
}

const SELECTS: Readonly<Record<PlaceKind, RawBuilder<unknown>>> = {
	span: sql`select spans.id as row_id, ${hexOf(sql`spans.span_id`)} as id, sent_ids.text as sent_id, spans.project_id,
			spans.trace_row_id
		from spans join traces on traces.id = spans.trace_row_id and traces.project_id > 0
		left join sent_ids on sent_ids.trace_id = traces.trace_id and sent_ids.id = spans.span_id`,
	trace: sql`select traces.id as row_id, ${hexOf(sql`traces.trace_id`)} as id, sent_ids.text as sent_id, traces.project_id,
			traces.id as trace_row_id
		from traces
		left join sent_ids on sent_ids.trace_id = traces.trace_id and sent_ids.id = traces.trace_id`,
	session: sql`select sessions.id as row_id, sessions.session_id as id, null as sent_id, sessions.project_id,
			null as trace_row_id
		from sessions`,
};

interface PlaceRow {
	readonly row_id: number;
	readonly id: string;
	readonly sent_id: string | null;
	readonly project_id: number;
	readonly trace_row_id: number | null;
}

async function select<T extends string | number>(
	db: Kysely<Tables>,
	kind: PlaceKind,
	ids: readonly T[],
	where: (ids: readonly T[]) => RawBuilder<unknown>,
): Promise<readonly Place[]> {
	const places: Place[] = [];
	for (let start = 0; start < ids.length; start += CHUNK) {
		const chunk = ids.slice(start, start + CHUNK);
		// A trace whose project is negative is being deleted.
		const query = sql<PlaceRow>`${SELECTS[kind]} where ${where(chunk)} and ${sql.ref(`${kind}s.project_id`)} > 0`;
		for (const row of (await query.execute(db)).rows) {
			const { id, sent_id } = row;
			const place = { rowId: row.row_id, id, sentId: sent_id ?? id };
			places.push({ ...place, projectId: row.project_id, traceRowId: row.trace_row_id });
		}
	}
	return places;
}
