import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { type CursorForm, decodeKeyset, encodeKeyset, pageOf } from "#http/cursors.ts";
import { setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import { getProject } from "../projects/queries.ts";
import { getTrace } from "../traces/queries.ts";
import { listActivity, toActivities } from "./activity.ts";
import { listKnownPeople } from "./assignees.ts";
import { findGroups, getGroup } from "./find-groups.ts";
import { detailGroup } from "./group-detail.ts";
import { findFigures } from "./group-figures.ts";
import { readOccurrenceFilter } from "./occurrence-filter.ts";
import { listOccurrences, toHex, toOccurrence } from "./occurrences.ts";
import {
	ErrorActivityPage,
	ErrorAssignees,
	ErrorGroup,
	ErrorGroupDetail,
	ErrorOccurrencePage,
	ErrorsOfTrace,
	noParams,
	OccurrencesQuery,
	OneErrorGroupQuery,
	PageQuery,
} from "./schemas.ts";
import { findSimilar } from "./similar-groups.ts";
import { toErrorGroup } from "./to-error-group.ts";
import { versionOf } from "./version-of.ts";

const params = z.object({ error_group_id: z.string() });
const tags = ["errors"];
const BY_TIME: CursorForm = { kind: "DATETIME" };

/** What there is to read about one group of errors, and which ones a trace has. */
export function errorGroupRoutes(app: App, { db, now }: Context): void {
	app.get(
		"/v1/error_groups/:error_group_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getErrorGroup",
				tags,
				summary: "Fetch a group of errors, with why its failures are together",
				params,
				querystring: OneErrorGroupQuery,
				response: { 200: z.object({ data: ErrorGroupDetail }) },
			},
		},
		async ({ actor, params, query }, reply) => {
			const row = await getGroup(db.read, actor, params.error_group_id);
			setEtag(reply, versionOf(row));
			const nowMicros = now();
			return { data: await detailGroup(db.read, row, readOccurrenceFilter(query, nowMicros), nowMicros) };
		},
	);

	app.get(
		"/v1/error_groups/:error_group_id/occurrences",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listErrorOccurrences",
				tags,
				summary: "Page through the failures of a group, newest first",
				params,
				querystring: OccurrencesQuery,
				response: { 200: ErrorOccurrencePage },
			},
		},
		async ({ actor, params, query }) => {
			const { id } = await getGroup(db.read, actor, params.error_group_id);
			const after = decodeKeyset(BY_TIME, query.cursor);
			const rows = await listOccurrences(db.read, id, readOccurrenceFilter(query, now()), {
				...{ order: "desc", limit: query.limit + 1, after },
			});
			const page = rows.slice(0, query.limit);
			const last = page.at(-1);
			const isMore = last !== undefined && rows.length > page.length;
			return {
				data: page.map(toOccurrence),
				next_cursor: isMore ? encodeKeyset(BY_TIME, { value: last.start_micros, id: last.id }) : null,
			};
		},
	);

	app.get(
		"/v1/error_groups/:error_group_id/similar",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listSimilarErrorGroups",
				tags,
				summary: "Groups that may be the same: of the same kind and type of error, in the same place",
				params,
				querystring: noParams,
				response: { 200: z.object({ data: z.array(ErrorGroup) }) },
			},
		},
		async ({ actor, params }) => {
			const group = await getGroup(db.read, actor, params.error_group_id);
			const ids = await findSimilar(db.read, group);
			const figures = await findFigures(db.read, ids, {});
			const rows = await findGroups(db.read, ids);
			return { data: rows.map((row) => toErrorGroup(row, figures(row.id), now())) };
		},
	);

	app.get(
		"/v1/error_groups/:error_group_id/activity",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listErrorActivity",
				tags,
				summary: "Page through what happened to a group of errors, newest first",
				params,
				querystring: PageQuery,
				response: { 200: ErrorActivityPage },
			},
		},
		async ({ actor, params, query }) => {
			const { id: groupId } = await getGroup(db.read, actor, params.error_group_id);
			const { data, next_cursor } = await pageOf(
				"ErrorActivity",
				query,
				(part) => listActivity(db.read, { ...part, groupId }),
				(row) => row,
			);
			return { data: await toActivities(db.read, data), next_cursor };
		},
	);

	app.get(
		"/v1/projects/:project_identifier/error_assignees",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listErrorAssignees",
				tags,
				summary: "People who have had to do with the errors of a project, to whom others can be assigned",
				params: z.object({ project_identifier: z.string() }),
				querystring: noParams,
				response: { 200: ErrorAssignees },
			},
		},
		async ({ actor, params }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const people = await listKnownPeople(db.read, project.id);
			return { data: people.map(({ id, username }) => ({ id: encodeGlobalId("User", id), username })) };
		},
	);

	app.get(
		"/v1/projects/:project_identifier/traces/:trace_id/errors",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listErrorsOfTrace",
				tags,
				summary: "The groups that the failures of a trace are in, by span",
				params: z.object({ project_identifier: z.string(), trace_id: z.string() }),
				querystring: noParams,
				response: { 200: ErrorsOfTrace },
			},
		},
		async ({ actor, params }) => {
			const project = await getProject(db.read, actor, params.project_identifier);
			const trace = await getTrace(actor.traces, params.trace_id, project.id);
			const { rows: failures } = await sql<{ span_id: Uint8Array; group_id: number }>`
				select span_id, group_id
				from error_occurrences
				where trace_row_id = ${trace.id} and project_id = ${project.id}
				order by start_micros, id`.execute(db.read);
			const ids = [...new Set(failures.map(({ group_id: id }) => id))];
			const groups = new Map((await findGroups(db.read, ids)).map((row) => [row.id, row]));
			const users = await countUsers(ids);
			return {
				data: failures.flatMap(({ span_id: spanId, group_id: id }) => {
					const group = groups.get(id);
					if (group === undefined) return [];
					const { title, state, total_count } = group;
					const shown = { title, state, total_count, user_count: users(id), first_seen: formatTime(group.first_seen) };
					return [{ span_id: toHex(spanId), error_group: { id: encodeGlobalId("ErrorGroup", id), ...shown } }];
				}),
			};
		},
	);

	async function countUsers(groupIds: readonly number[]): Promise<(groupId: number) => number> {
		const { rows } = await sql<{ group_id: number; count: number }>`
			select group_id, count(distinct user_id) as count
			from error_occurrences
			where group_id in ${listed(groupIds)}
			group by group_id`.execute(db.read);
		const byGroup = new Map(rows.map((row) => [row.group_id, row.count]));
		return (id) => byGroup.get(id) ?? 0;
	}
}
