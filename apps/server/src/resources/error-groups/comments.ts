import { type Kysely, sql, type Transaction } from "kysely";
import type { z } from "zod";
import { mayCall } from "#access/auth/may-call.ts";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { type Principal, userOf } from "#http/principal.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import type { ErrorComment } from "./schemas.ts";
import { toPerson } from "./to-error-group.ts";

/** Of a group. */
const MOST_COMMENTS = 1_000;

/** Comments with the names of their authors. */
function comments(db: Kysely<Tables>) {
	return db
		.selectFrom("error_comments")
		.innerJoin("error_groups", "error_groups.id", "error_comments.group_id")
		.leftJoin("users", "users.id", "error_comments.user_id")
		.selectAll("error_comments")
		.select(["error_groups.project_id", "users.username"]);
}

export type CommentRow = Awaited<ReturnType<ReturnType<typeof comments>["executeTakeFirstOrThrow"]>>;

interface CommentPart {
	readonly groupId: number;
	readonly fromId: number | undefined;
	readonly limit: number;
}

/** Comments on a group with the oldest first, from `fromId` upwards. */
export async function listComments(db: Kysely<Tables>, { groupId, fromId, limit }: CommentPart): Promise<CommentRow[]> {
	return await comments(db)
		.where("error_comments.group_id", "=", groupId)
		.where("error_comments.id", ">=", fromId ?? 0)
		.orderBy("error_comments.id")
		.limit(limit)
		.execute();
}

/** The comment of a global id, in a project that the actor sees and enters. @throws UserError 404, 403 */
export async function getComment(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	identifier: string,
): Promise<CommentRow> {
	const id = decodeGlobalId(identifier, "ErrorComment");
	const row = id === undefined ? undefined : await comments(db).where("error_comments.id", "=", id).executeTakeFirst();
	if (row !== undefined && enterSeen(actor, row.project_id)) return row;
	throw notFound("error_comment_not_found", "There is no comment with this id");
}

/** @throws UserError 409 `too_many_comments` */
export async function insertComment(
	transaction: Transaction<Tables>,
	comment: { readonly groupId: number; readonly userId: number | null; readonly text: string; readonly now: number },
): Promise<CommentRow> {
	const { groupId, userId, text, now } = comment;
	const { count } = await transaction
		.selectFrom("error_comments")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where("group_id", "=", groupId)
		.executeTakeFirstOrThrow();
	if (count >= MOST_COMMENTS)
		throw new UserError(409, "too_many_comments", `A group has at most ${MOST_COMMENTS} comments: delete some.`);
	const { id } = await transaction
		.insertInto("error_comments")
		.values({ group_id: groupId, user_id: userId, text, created_at: now, updated_at: now })
		.returning("id")
		.executeTakeFirstOrThrow();
	return await comments(transaction).where("error_comments.id", "=", id).executeTakeFirstOrThrow();
}

export async function updateComment(
	transaction: Transaction<Tables>,
	{ id, updated_at: before }: CommentRow,
	text: string,
	now: number,
): Promise<CommentRow> {
	await transaction
		.updateTable("error_comments")
		.set({ text, updated_at: Math.max(now, before + 1) })
		.where("id", "=", id)
		.execute();
	return await comments(transaction).where("error_comments.id", "=", id).executeTakeFirstOrThrow();
}

export async function deleteComment(transaction: Transaction<Tables>, id: number): Promise<void> {
	await sql`delete from error_comments where id = ${id}`.execute(transaction);
}

/** Whether the principal wrote it; everybody did, while authentication is off. */
function isOwn(principal: Principal, { user_id: author }: Pick<CommentRow, "user_id">): boolean {
	const user = userOf(principal);
	return user === undefined || user.id === author;
}

/** @throws UserError 403 `not_own_comment` */
export function assertAuthor(principal: Principal, comment: CommentRow): void {
	if (!isOwn(principal, comment)) throw new UserError(403, "not_own_comment", "Only its author changes a comment.");
}

/** @throws UserError 403 `not_own_comment` */
export function assertMayDelete(principal: Principal, comment: CommentRow): void {
	if (isOwn(principal, comment) || mayCall(principal, "admin")) return;
	throw new UserError(403, "not_own_comment", "Only its author and admins delete a comment.");
}

export function toComment(row: CommentRow, principal: Principal): z.output<typeof ErrorComment> {
	return {
		id: encodeGlobalId("ErrorComment", row.id),
		error_group_id: encodeGlobalId("ErrorGroup", row.group_id),
		author: toPerson(row.user_id, row.username),
		is_own: isOwn(principal, row),
		text: row.text,
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}
