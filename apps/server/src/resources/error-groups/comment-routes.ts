import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf } from "#http/cursors.ts";
import { assertIfMatch, setEtag } from "#http/etag.ts";
import { userOf } from "#http/principal.ts";
import {
	assertAuthor,
	assertMayDelete,
	deleteComment,
	getComment,
	insertComment,
	listComments,
	toComment,
	updateComment,
} from "./comments.ts";
import { getGroup } from "./find-groups.ts";
import { CommentBody, ErrorCommentPage, noParams, OneErrorComment, PageQuery } from "./schemas.ts";

const ofGroup = z.object({ error_group_id: z.string() });
const params = z.object({ comment_id: z.string() });
const tags = ["errors"];

/** What people say about a group of errors. */
export function errorCommentRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/error_groups/:error_group_id/comments",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listErrorComments",
				tags,
				summary: "Page through the comments on a group of errors, oldest first",
				params: ofGroup,
				querystring: PageQuery,
				response: { 200: ErrorCommentPage },
			},
		},
		async ({ actor, params, principal, query }) => {
			const { id: groupId } = await getGroup(db.read, actor, params.error_group_id);
			return await pageOf(
				"ErrorComment",
				query,
				(part) => listComments(db.read, { ...part, groupId }),
				(row) => toComment(row, principal),
			);
		},
	);

	app.post(
		"/v1/error_groups/:error_group_id/comments",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "createErrorComment",
				tags,
				summary: "Comment on a group of errors",
				params: ofGroup,
				querystring: noParams,
				body: CommentBody,
				response: { 201: OneErrorComment },
			},
		},
		async ({ actor, body, params, principal }, reply) => {
			const row = await actor.change(async (transaction) => {
				const group = await getGroup(transaction, actor, params.error_group_id);
				const userId = userOf(principal)?.id ?? null;
				return await insertComment(transaction, { groupId: group.id, userId, text: body.text, now: now() });
			});
			reply.code(201);
			setEtag(reply, row);
			return { data: toComment(row, principal) };
		},
	);

	app.patch(
		"/v1/error_comments/:comment_id",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "updateErrorComment",
				tags,
				summary: "Change a comment of one's own",
				params,
				querystring: noParams,
				body: CommentBody,
				response: { 200: OneErrorComment },
			},
		},
		async (request, reply) => {
			const { actor, body, params, principal } = request;
			const row = await actor.change(async (transaction, current) => {
				const before = await getComment(transaction, actor, params.comment_id);
				assertAuthor(current, before);
				assertIfMatch(request, before);
				return await updateComment(transaction, before, body.text, now());
			});
			setEtag(reply, row);
			return { data: toComment(row, principal) };
		},
	);

	app.delete(
		"/v1/error_comments/:comment_id",
		{
			config: { access: "write", home: "project" },
			schema: {
				operationId: "deleteErrorComment",
				tags,
				summary: "Delete a comment of one's own, or any as an admin",
				params,
				querystring: noParams,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			await actor.change(async (transaction, current) => {
				const before = await getComment(transaction, actor, params.comment_id);
				assertMayDelete(current, before);
				assertIfMatch(request, before);
				await deleteComment(transaction, before.id);
			});
			return reply.code(204).send(null);
		},
	);
}
