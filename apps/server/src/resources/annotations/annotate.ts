import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { type Actor, HIDDEN } from "#http/actor.ts";
import { limitedSenderOf, type Principal, userOf } from "#http/principal.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { Entity } from "#storage/traces/entity.ts";
import { findAuthors, findWaitingAuthors, notOwn } from "./authors.ts";
import { countDocuments, positionFault } from "./documents.ts";
import { findTargetsByRow, mayArrive, resolveTargets, toWanted } from "./find-targets.ts";
import type { AnnotationKind } from "./kinds.ts";
import { changeable, mayReplaceOthers } from "./own-annotations.ts";
import type { NewAnnotation, NewNote } from "./schemas.ts";
import { assertRoom, upsertWaiting } from "./waiting-queries.ts";
import { type Authorship, chunksOf, keyOf, replaceAnnotations, type TargetedAnnotation } from "./write-annotations.ts";

/** The most ids that an error message names. */
const MAX_NAMED = 100;

export interface Batch {
	readonly kind: AnnotationKind;
	/** Where bare ids are looked for; undefined for everywhere. */
	readonly projectId: number | undefined;
	readonly items: readonly NewAnnotation[];
	readonly actor: Actor;
}

/**
 * Writes annotations whose targets all exist; if several have the same key, the last one wins.
 * @returns row numbers in the order of the batch
 * @throws UserError 404 naming targets that do not exist, 409 for ambiguous ids, 422 for positions beyond the documents,
 *   403 or 409 where an annotation would replace somebody else's
 */
export async function annotate(context: Context, batch: Batch): Promise<number[]> {
	const { kind, items } = batch;
	const entities = await enterTargets(batch);
	const missing = new Set(items.map((item) => item.targetId).filter((id) => !entities.has(id)));
	if (missing.size > 0) throw targetsMissing(kind, missing);
	const [fault] = (await findPositionFaults(batch, entities)).values();
	if (fault !== undefined) throw new UserError(422, "position_out_of_bounds", fault);

	await assertNoneIsOfOthers(context, batch, entities);

	const lasting = lastOfEach(items, (item) => keyOf(getEntity(entities, item).rowId, item));
	const ids = new Map<string, number>();
	for (const chunk of chunksOf([...lasting.values()])) {
		const placed = chunk.map((item) => ({ item, entity: getEntity(entities, item) }));
		const written = await batch.actor.change(async (transaction, author) => {
			const result = await writeChunk(transaction, context, { batch, author }, placed);
			if (result.gone.length > 0) throw targetsMissing(kind, new Set(result.gone.map((item) => item.targetId)));
			return result.written;
		});
		for (const [key, id] of written) ids.set(key, id);
	}
	return items.map((item) => {
		const id = ids.get(keyOf(getEntity(entities, item).rowId, item));
		if (id === undefined) throw new Error("an annotation that was written has no id");
		return id;
	});
}

/**
 * Writes the annotations whose target exists, and stores the others until their target arrives.
 * @throws UserError 404 for ids that no target can ever have, 409 for ambiguous ones, 429 when too many wait,
 *   403 or 409 where an annotation would replace somebody else's
 */
export async function annotateWhenArrived(context: Context, batch: Batch): Promise<void> {
	// Targets that arrive after these marks are looked at again, so none is missed between the lookup and the insert.
	const marks = await batch.actor.traces.readArrivals();
	const entities = await enterTargets(batch);
	const faults = await findPositionFaults(batch, entities);
	const isReady = (item: NewAnnotation) => entities.has(item.targetId) && !faults.has(item);
	const { kind } = batch;
	const targetOf = ({ targetId }: NewAnnotation) => entities.get(targetId)?.storedId ?? toWanted(kind.entity, targetId);
	const lasting = [...lastOfEach(batch.items, (item) => keyOf(targetOf(item), item)).values()];
	const missing = lasting.filter((item) => !isReady(item));
	const never = missing.filter((item) => !mayArrive(kind.entity, targetOf(item)));
	if (never.length > 0) throw targetsMissing(kind, new Set(never.map((item) => item.targetId)));
	if (missing.length > 0) {
		// Some of them may be missing only for their sender.
		batch.actor.noteDenied(HIDDEN);
		await assertRoom(context.db.read, missing.length);
	}
	await assertNoneIsOfOthers(context, batch, entities);
	const waiting = missing.map((item) => ({ targetId: String(targetOf(item)), item }));
	await assertNoneWaitsOfOthers(context, batch, waiting);
	let waits = false;
	try {
		for (const chunk of chunksOf(lasting)) {
			const ready = chunk.filter(isReady).map((item) => ({ item, entity: getEntity(entities, item) }));
			const isLate = await batch.actor.change(async (transaction, author) => {
				const { gone } = await writeChunk(transaction, context, { batch, author }, ready);
				const authorship = authorshipOf(author, context.now());
				const late = [...chunk.filter((item) => !isReady(item)), ...gone].map((item) => ({
					target: kind.target,
					targetId: String(targetOf(item)),
					sentTargetId: item.targetId.toLowerCase() === targetOf(item) ? null : item.targetId,
					projectId: batch.projectId ?? 0,
					item,
					authorship,
					limitedSender: limitedSenderOf(author),
					reason: faults.get(item) ?? null,
				}));
				const [foreign, ...more] = await upsertWaiting(transaction, late, { onlyOwn: true });
				if (foreign !== undefined) {
					if (!mayReplaceWaiting(batch, author)) throw notOwn(kind, foreign.item, roleIn(batch));
					if (batch.projectId !== undefined) batch.actor.enter(batch.projectId, "editor");
					await upsertWaiting(transaction, [foreign, ...more], { onlyOwn: false });
				}
				return late.length > 0;
			});
			waits ||= isLate;
		}
	} finally {
		if (waits) context.events.emit("annotations_wait", marks);
	}
}

/**
 * Writes a note, which replaces the one with the same identifier if there is one.
 * @returns its row number
 * @throws UserError 404 when the target does not exist, 403 or 409 where the note to replace is somebody else's
 */
export async function insertNote(
	context: Context,
	note: Omit<Batch, "items"> & { readonly note: NewNote },
): Promise<number> {
	const { targetId, note: explanation } = note.note;
	const identifier = note.note.identifier || `${note.kind.target}-note:${randomUUID()}`;
	const item: NewAnnotation = {
		targetId,
		documentPosition: -1,
		name: "note",
		identifier,
		annotatorKind: "HUMAN",
		label: null,
		score: null,
		explanation,
		metadata: "{}",
	};
	const batch = { ...note, items: [item] };
	const entity = (await enterTargets(batch)).get(targetId);
	if (entity === undefined) throw noteTargetMissing(note.kind, targetId);
	const { written } = await note.actor.change((transaction, author) =>
		writeChunk(transaction, context, { batch, author }, [{ item, entity }]),
	);
	const [id] = written.values();
	if (id === undefined) throw noteTargetMissing(note.kind, targetId);
	return id;
}

interface Resolved {
	readonly item: NewAnnotation;
	readonly entity: Entity;
}

/**
 * Looks the entities up again in the transaction: they may have been moved or deleted since the first lookup.
 * @throws UserError 403 or 409 where an annotation would replace somebody else's
 */
async function writeChunk(
	transaction: Transaction<Tables>,
	{ now }: Context,
	{ batch: { kind, actor }, author }: { readonly batch: Batch; readonly author: Principal },
	placed: readonly Resolved[],
): Promise<{ written: ReadonlyMap<string, number>; gone: readonly NewAnnotation[] }> {
	const rowIds = placed.map(({ entity }) => entity.rowId);
	const entities = await findTargetsByRow(actor.traces, kind.entity, rowIds, transaction);
	const authorship = authorshipOf(author, now());
	const annotations: TargetedAnnotation[] = [];
	const gone: NewAnnotation[] = [];
	for (const { item, entity } of placed) {
		const found = entities.get(entity.rowId);
		if (found === undefined) {
			gone.push(item);
			continue;
		}
		if (found.projectId !== entity.projectId) actor.enter(found.projectId);
		annotations.push({ target: kind.target, item, entity: found, authorship });
	}
	const written = await replaceAnnotations(transaction, actor, annotations);
	const foreign = placed.find(
		({ item, entity }) => entities.has(entity.rowId) && !written.has(keyOf(entity.rowId, item)),
	);
	if (foreign !== undefined) throw notOwn(kind, foreign.item, actor.rights.roleAt(foreign.entity.projectId));
	return { written, gone };
}

/** Must be checked before the first write, as a batch is written in several transactions. @throws UserError 403 or 409 */
async function assertNoneIsOfOthers(
	{ db }: Context,
	{ kind, items, actor }: Batch,
	entities: ReadonlyMap<string, Entity>,
): Promise<void> {
	const own = userOf(actor.principal)?.id;
	const keyed = items.flatMap((item) => {
		const entity = entities.get(item.targetId);
		return entity === undefined || mayReplaceOthers(actor.rights.roleAt(entity.projectId))
			? []
			: [{ rowId: entity.rowId, projectId: entity.projectId, item }];
	});
	const authors = await findAuthors(db.read, kind.target, keyed);
	for (const { rowId, projectId, item } of keyed) {
		const author = authors.get(keyOf(rowId, item));
		if (author !== undefined && author !== own) throw notOwn(kind, item, actor.rights.roleAt(projectId));
	}
}

/** As {@link assertNoneIsOfOthers}, of annotations whose targets do not exist. @throws UserError 403 or 409 */
async function assertNoneWaitsOfOthers(
	{ db }: Context,
	batch: Batch,
	waiting: readonly { readonly targetId: string; readonly item: NewAnnotation }[],
): Promise<void> {
	const { kind, projectId, actor } = batch;
	if (mayReplaceWaiting(batch, actor.principal)) return;
	const own = userOf(actor.principal)?.id;
	const targetIds = waiting.map(({ targetId }) => targetId);
	const authors = await findWaitingAuthors(db.read, { target: kind.target, projectId: projectId ?? 0 }, targetIds);
	for (const { targetId, item } of waiting) {
		const author = authors.get(keyOf(targetId, item));
		if (author !== undefined && author !== own) throw notOwn(kind, item, roleIn(batch));
	}
}

/** What may go to any project is replaced by its writer and by admins only, as nobody knows whose project it will be. */
function mayReplaceWaiting(batch: Batch, principal: Principal): boolean {
	return batch.projectId === undefined ? changeable(principal) === "everybody" : mayReplaceOthers(roleIn(batch));
}

/** The role in the project that the request names. */
function roleIn({ projectId, actor }: Batch): ProjectRole | undefined {
	return projectId === undefined ? undefined : actor.rights.roleAt(projectId);
}

/**
 * The targets of a batch that exist, by the ids that were sent.
 * @throws UserError 403 `project_role_needed` where one is in a project in which the actor may not annotate, 409 for
 *   ambiguous ids
 */
async function enterTargets({ kind, items, projectId, actor }: Batch): Promise<ReadonlyMap<string, Entity>> {
	const ids = items.map((item) => item.targetId);
	const entities = await resolveTargets(actor.traces, kind.entity, ids, projectId);
	for (const home of new Set([...entities.values()].map((entity) => entity.projectId))) actor.enter(home);
	return entities;
}

function getEntity(entities: ReadonlyMap<string, Entity>, { targetId }: NewAnnotation): Entity {
	const entity = entities.get(targetId);
	if (entity === undefined) throw new Error("an annotation was taken for one whose target exists");
	return entity;
}

/** Why the document positions of annotations are invalid, by annotation. */
async function findPositionFaults(
	{ kind, items, actor }: Batch,
	entities: ReadonlyMap<string, Entity>,
): Promise<ReadonlyMap<NewAnnotation, string>> {
	const faults = new Map<NewAnnotation, string>();
	if (kind.target !== "document") return faults;
	const counts = await countDocuments(
		actor.traces,
		[...entities.values()].map((entity) => entity.rowId),
	);
	for (const item of items) {
		const entity = entities.get(item.targetId);
		if (entity === undefined) continue;
		const fault = positionFault(item.documentPosition, entity.id, counts.get(entity.rowId) ?? 0);
		if (fault !== undefined) faults.set(item, fault);
	}
	return faults;
}

function authorshipOf(principal: Principal, at: number): Authorship {
	return { source: principal.kind === "session" ? "APP" : "API", userId: userOf(principal)?.id ?? null, at };
}

function lastOfEach<T>(items: readonly T[], key: (item: T) => string): Map<string, T> {
	return new Map(items.map((item) => [key(item), item]));
}

function targetsMissing({ entity, plural }: AnnotationKind, ids: ReadonlySet<string>): UserError {
	const named = [...ids].slice(0, MAX_NAMED).map((id) => id.slice(0, 300));
	const rest = ids.size > named.length ? ` and ${ids.size - named.length} more` : "";
	return notFound(`${entity}_not_found`, `${plural} with IDs ${named.join(", ")}${rest} do not exist.`);
}

function noteTargetMissing({ target }: AnnotationKind, id: string): UserError {
	const cut = id.slice(0, 300);
	const message = {
		span: `Span with ID ${cut} not found`,
		document: `Span with ID ${cut} not found`,
		trace: `Trace with ID ${cut} not found`,
		session: `Session with session_id ${cut} not found`,
	}[target];
	return notFound(`${target}_not_found`, message);
}
