import type { Transaction } from "kysely";
import { ambiguous } from "#http/ambiguous-id.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import type { Entity, EntityKind } from "#storage/traces/entity.ts";
import { storedId } from "#storage/traces/sent-ids/sent-ids.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { ENTITY_ID_TYPES } from "./kinds.ts";

/** Entities by global ids or the application's ids, in one project or in all. Several projects may have the same id. */
export async function findTargets(
	traces: TraceReader,
	kind: EntityKind,
	ids: readonly string[],
	projectId?: number,
): Promise<readonly Entity[]> {
	const wanted = [...new Set(ids.map((id) => toWanted(kind, id)))];
	const rowIds = wanted.filter((id) => typeof id === "number");
	const texts = wanted.filter((id) => typeof id === "string");
	const found = [...(await traces.findEntities(kind, rowIds)), ...(await traces.findEntitiesById(kind, texts))];
	return projectId === undefined ? found : found.filter((entity) => entity.projectId === projectId);
}

/** The existing entities with these row numbers; `transaction` as in `TraceReader.findEntities`. */
export async function findTargetsByRow(
	traces: TraceReader,
	kind: EntityKind,
	rowIds: readonly number[],
	transaction?: Transaction<Tables>,
): Promise<ReadonlyMap<number, Entity>> {
	const found = await traces.findEntities(kind, [...new Set(rowIds)], transaction);
	return new Map(found.map((entity) => [entity.rowId, entity]));
}

/**
 * The entity of each id that was sent; ids without an entity are absent.
 * @throws UserError 409 naming the global ids when an id is in several projects
 */
export async function resolveTargets(
	traces: TraceReader,
	kind: EntityKind,
	ids: readonly string[],
	projectId?: number,
): Promise<ReadonlyMap<string, Entity>> {
	const found = await findTargets(traces, kind, ids, projectId);
	const byId = Map.groupBy(found, (entity) => entity.storedId);
	const byRow = new Map(found.map((entity) => [entity.rowId, entity]));
	const resolved = new Map<string, Entity>();
	for (const id of new Set(ids)) {
		const wanted = toWanted(kind, id);
		const entities = typeof wanted === "number" ? [byRow.get(wanted)] : (byId.get(wanted) ?? []);
		if (entities.length > 1) throw ambiguous(kind, globalIdsOf(kind, byId.get(String(wanted)) ?? []));
		if (entities[0] !== undefined) resolved.set(id, entities[0]);
	}
	return resolved;
}

export function globalIdsOf(kind: EntityKind, entities: readonly Entity[]): string[] {
	return entities.map((entity) => encodeGlobalId(ENTITY_ID_TYPES[kind], entity.rowId));
}

/** The key for looking an id up: the row number of a global id, else the stored form of the application's id. */
export function toWanted(kind: EntityKind, id: string): string | number {
	return decodeGlobalId(id, ENTITY_ID_TYPES[kind]) ?? storedId(kind, id);
}

/** Whether an entity with this id can still arrive: row numbers are never reused, and not every text is a span id. */
export function mayArrive(kind: EntityKind, wanted: string | number): boolean {
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
