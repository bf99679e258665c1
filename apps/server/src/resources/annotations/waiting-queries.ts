import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { countThatFits } from "#http/page-size.ts";
import { isLimited, type LimitedSender, limitedSenderOf, userOf } from "#http/principal.ts";
import { isSeenProject } from "#http/seen-homes.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { AnnotationTarget, Tables } from "#storage/schema.ts";
import { kindOf } from "./kinds.ts";
import { MAX_PAGE_BYTES, TEXT_BYTES } from "./list-annotations.ts";
import type { NewAnnotation, WaitingAnnotation } from "./schemas.ts";
import { toContent } from "./to-annotation.ts";
import { type Authorship, contentColumns, keyOf } from "./write-annotations.ts";

/** In the whole database. */
const MAX_WAITING = 100_000;

/** Who looks at waiting annotations. */
type Viewer = Pick<Actor, "rights" | "principal">;

export type WaitingRow = Selectable<Tables["waiting_annotations"]>;

/** An annotation whose target does not exist yet. */
export interface LateAnnotation {
	readonly target: AnnotationTarget;
	/** Hex digits in lower case, or the application's session id. */
	readonly targetId: string;
	/** The id as it was sent, if it differs from `targetId`. */
	readonly sentTargetId: string | null;
	/** 0 for any project. */
	readonly projectId: number;
	readonly item: NewAnnotation;
	readonly authorship: Authorship;
	/** The key or program that wrote it. */
	readonly limitedSender: LimitedSender | undefined;
	/** Why it waits although its target exists. */
	readonly reason: string | null;
}

/**
 * Condition that somebody sees a waiting annotation: as its project, or where it has none that exists, as its author.
 * Who sees all projects sees all.
 */
function isSeen({ rights, principal }: Viewer): RawBuilder<boolean> {
	if (rights.projects === "all") return sql<boolean>`true`;
	const sender = isLimited(principal) ? limitedSenderOf(principal) : undefined;
	const own =
		sender === undefined
			? sql<boolean>`coalesce(user_id = ${userOf(principal)?.id ?? null}, false)`
			: "grantId" in sender
				? sql<boolean>`coalesce(oauth2_grant_id = ${sender.grantId}, false)`
				: sql<boolean>`coalesce(api_key_id = ${sender.keyId}, false)`;
	return sql<boolean>`case when project_id in (select id from projects)
		then ${isSeenProject("waiting_annotations.project_id", rights)} else ${own} end`;
}

/** Waiting annotations that are seen, with the newest first, from `fromId` downwards; fewer when their texts are long. */
export async function listWaiting(
	db: Kysely<Tables>,
	viewer: Viewer,
	{ limit, fromId }: { limit: number; fromId: number | undefined },
): Promise<{ readonly items: readonly WaitingRow[]; readonly nextId: number | undefined }> {
	const all = db
		.selectFrom("waiting_annotations")
		.select(["id", TEXT_BYTES.as("bytes")])
		.where(isSeen(viewer));
	const query = fromId === undefined ? all : all.where("id", "<=", fromId);
	const found = await query
		.orderBy("id", "desc")
		.limit(limit + 1)
		.execute();
	const count = countThatFits(found.slice(0, limit), MAX_PAGE_BYTES);
	const rows = await findWaitingByIds(
		db,
		found.slice(0, count).map((row) => row.id),
	);
	return { items: rows.toSorted((a, b) => b.id - a.id), nextId: found[count]?.id };
}

export async function findWaiting(
	db: Kysely<Tables>,
	viewer: Viewer & Pick<Actor, "noteHidden">,
	id: number,
): Promise<WaitingRow | undefined> {
	const found = await db
		.selectFrom("waiting_annotations")
		.selectAll()
		.select(isSeen(viewer).as("is_seen"))
		.where("id", "=", id)
		.executeTakeFirst();
	if (found === undefined) return undefined;
	const { is_seen: sees, ...row } = found;
	if (sees) return row;
	if (row.project_id !== 0) viewer.noteHidden(row.project_id);
	return undefined;
}

/** The rows with these ids that still wait. */
export async function findWaitingByIds(db: Kysely<Tables>, ids: readonly number[]): Promise<WaitingRow[]> {
	return await db.selectFrom("waiting_annotations").selectAll().where("id", "in", listed(ids)).execute();
}

export async function countWaiting(db: Kysely<Tables>): Promise<number> {
	const { count } = await db
		.selectFrom("waiting_annotations")
		.select((row) => row.fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	return count;
}

/** @throws UserError 429 when fewer than `count` more may wait */
export async function assertRoom(db: Kysely<Tables>, count: number): Promise<void> {
	if ((await countWaiting(db)) + count <= MAX_WAITING) return;
	throw new UserError(
		429,
		"too_many_waiting",
		`More than ${MAX_WAITING} annotations would be waiting for their target: see GET /v1/waiting_annotations, and delete those whose target will not arrive.`,
		{ retryAfter: 60 },
	);
}

/**
 * Inserts waiting annotations, and replaces those with the same key; with `onlyOwn`, only the author's own. The keys
 * of `annotations` have to be distinct.
 * @throws UserError 429 when too many would wait
 * @returns those that were not written, as somebody else's waits under the same key
 */
export async function upsertWaiting(
	transaction: Transaction<Tables>,
	annotations: readonly LateAnnotation[],
	{ onlyOwn }: { readonly onlyOwn: boolean },
): Promise<readonly LateAnnotation[]> {
	if (annotations.length === 0) return [];
	const written = await transaction
		.insertInto("waiting_annotations")
		.values(annotations.map(toRow))
		.onConflict((conflict) => {
			const update = conflict
				.columns(["target_id", "target", "project_id", "document_position", "name", "identifier"])
				.doUpdateSet((row) => ({
					annotator_kind: row.ref("excluded.annotator_kind"),
					label: row.ref("excluded.label"),
					score: row.ref("excluded.score"),
					explanation: row.ref("excluded.explanation"),
					metadata: row.ref("excluded.metadata"),
					source: row.ref("excluded.source"),
					user_id: row.ref("excluded.user_id"),
					api_key_id: row.ref("excluded.api_key_id"),
					oauth2_grant_id: row.ref("excluded.oauth2_grant_id"),
					reason: row.ref("excluded.reason"),
					created_at: row.ref("excluded.created_at"),
				}));
			return onlyOwn
				? update.where(sql<boolean>`waiting_annotations.user_id is not distinct from excluded.user_id`)
				: update;
		})
		.returning(["target", "target_id", "project_id", "document_position", "name", "identifier"])
		.execute();
	await assertRoom(transaction, 0);
	const keys = new Set(
		written.map((row) =>
			waitingKeyOf(row.target_id, row.project_id, { ...row, documentPosition: row.document_position }),
		),
	);
	return annotations.filter(({ targetId, projectId, item }) => !keys.has(waitingKeyOf(targetId, projectId, item)));
}

function waitingKeyOf(targetId: string, projectId: number, item: Parameters<typeof keyOf>[1]): string {
	return `${projectId} ${keyOf(targetId, item)}`;
}

function toRow(annotation: LateAnnotation): Insertable<Tables["waiting_annotations"]> {
	const { item, authorship } = annotation;
	return {
		target: annotation.target,
		target_id: annotation.targetId,
		sent_target_id: annotation.sentTargetId,
		document_position: item.documentPosition,
		project_id: annotation.projectId,
		...contentColumns(item, authorship),
		...limitedSenderColumns(annotation.limitedSender),
		reason: annotation.reason,
		created_at: authorship.at,
	};
}

function limitedSenderColumns(sender: LimitedSender | undefined) {
	return {
		api_key_id: sender !== undefined && "keyId" in sender ? sender.keyId : null,
		oauth2_grant_id: sender !== undefined && "grantId" in sender ? sender.grantId : null,
	};
}

/** The projects that rows name, as far as they exist. */
export async function findProjectsOf(db: Kysely<Tables>, rows: readonly WaitingRow[]): Promise<ReadonlySet<number>> {
	const ids = [...new Set(rows.map((row) => row.project_id))];
	const found = await db.selectFrom("projects").select("id").where("id", "in", listed(ids)).execute();
	return new Set(found.map((project) => project.id));
}

/** The wire form of a row; `projects` are those that exist. */
export function toWaitingAnnotation(
	row: WaitingRow,
	projects: ReadonlySet<number>,
): z.output<typeof WaitingAnnotation> {
	const isOfDeleted = row.project_id !== 0 && !projects.has(row.project_id);
	return {
		id: encodeGlobalId("WaitingAnnotation", row.id),
		target: row.target,
		target_id: row.sent_target_id ?? row.target_id,
		document_position: row.document_position === -1 ? null : row.document_position,
		project_id: row.project_id === 0 ? null : encodeGlobalId("Project", row.project_id),
		name: row.name,
		...toContent(row),
		identifier: row.identifier,
		created_at: formatTime(row.created_at),
		reason: isOfDeleted
			? "Its project was deleted."
			: (row.reason ?? `Its ${kindOf(row.target).entity} has not arrived.`),
	};
}
