import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { type CursorForm, decodeKeyset, encodeKeyset } from "#http/cursors.ts";
import { joinTexts, parseFilter } from "#http/filter-param.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { type Principal, userOf } from "#http/principal.ts";
import { formatTime } from "#http/wire-times.ts";
import { backfilledFrom } from "#storage/traces/analytics/occurrence-reader.ts";
import { getProject } from "../projects/queries.ts";
import { findGroups } from "./find-groups.ts";
import { findFigures, findSparklines, spanOf } from "./group-figures.ts";
import { countStates, type GroupFilter, rankGroups } from "./list-groups.ts";
import { findMatching } from "./matching-spans.ts";
import { type OccurrenceFilter, readOccurrenceFilter } from "./occurrence-filter.ts";
import { ErrorGroupPage, ListErrorGroupsQuery } from "./schemas.ts";
import { toErrorGroup } from "./to-error-group.ts";

/** Of a project; what is new beyond them shares one for each kind and type. */
const MOST_GROUPS = 10_000;

type Query = z.output<typeof ListErrorGroupsQuery>;

/** The inbox of a project. */
export function errorGroupListRoutes(app: App, { config, db, now }: Context): void {
	app.get(
		"/v1/projects/:project_identifier/error_groups",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listErrorGroups",
				tags: ["errors"],
				summary: "Page through the groups of errors of a project",
				description:
					"Each failure counts once, however many spans above it failed with it, and those that are the same are one group. With times, and parameters about occurrences, only groups that have such an occurrence are listed, and only such are counted. Unknown parameters are refused.",
				params: z.object({ project_identifier: z.string() }),
				querystring: ListErrorGroupsQuery,
				response: { 200: ErrorGroupPage },
			},
		},
		async (request, reply) => {
			const { actor, params, principal, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const nowMicros = now();
			const asked = readOccurrenceFilter(query, nowMicros);
			const { occurrences, coveredMicros } = await withSpans(request, reply, project.id, asked);
			const filter: GroupFilter = { projectId: project.id, occurrences, ...ofGroups(query, principal) };
			const form: CursorForm = { kind: "FLOAT", sort: query.sort };
			const after = decodeKeyset(form, query.cursor);
			const ranked = await rankGroups(db.read, {
				...filter,
				...{ states: query.state ?? ["open"], sort: query.sort, limit: query.limit + 1 },
				...(after === undefined ? {} : { after }),
			});
			const page = ranked.slice(0, query.limit);
			const last = page.at(-1);
			const ids = page.map(({ id }) => id);
			const span = await spanOf(db.read, { projectId: project.id }, occurrences, nowMicros);
			const [rows, figures, sparklines, counts, size, backfilled] = await Promise.all([
				findGroups(db.read, ids),
				findFigures(db.read, ids, occurrences),
				query.include?.includes("sparkline") === true
					? findSparklines(db.read, ids, { filter: occurrences, span })
					: undefined,
				countStates(db.read, filter),
				countGroups(project.id),
				backfilledFrom(db.read),
			]);
			const covered = Math.max(coveredMicros ?? 0, backfilled ?? 0);
			const isPartial = covered > (asked.startMicros ?? 0);
			return {
				data: rows.map((row) => ({
					...toErrorGroup(row, figures(row.id), nowMicros),
					...(sparklines === undefined ? {} : { sparkline: [...sparklines(row.id)] }),
				})),
				next_cursor: last !== undefined && ranked.length > page.length ? encodeKeyset(form, last) : null,
				counts,
				start_time: formatTime(span.startMicros),
				end_time: formatTime(span.endMicros),
				is_partial: isPartial,
				covered_start_time: isPartial ? formatTime(covered) : null,
				is_enabled: config.SERVICE_ENABLE_ERROR_GROUPS,
				is_full: size >= MOST_GROUPS,
			};
		},
	);

	/** Asks the traces which spans fit `filter`, among those of occurrences that fit the rest. */
	async function withSpans(
		request: FastifyRequest & { readonly query: Query },
		reply: FastifyReply,
		projectId: number,
		occurrences: OccurrenceFilter,
	): Promise<{ readonly occurrences: OccurrenceFilter; readonly coveredMicros?: number }> {
		const { condition, text: words } = parseFilter("span", request.query.filter);
		const text = joinTexts(undefined, words);
		if (condition === undefined && text === undefined) return { occurrences };
		const { spanRowIds, ...rest } = await findMatching(db.read, request.actor.traces, {
			...{ projectId, occurrences, caller: askerOf(request, reply) },
			...(condition === undefined ? {} : { condition }),
			...(text === undefined ? {} : { text }),
			timeoutMs: config.SERVICE_ANALYTICS_TIMEOUT_SECONDS * 1_000,
		});
		return { occurrences: { ...occurrences, spanRowIds }, ...rest };
	}

	async function countGroups(projectId: number): Promise<number> {
		const { rows } = await sql<{ count: number }>`
			select count(*) as count from error_groups where project_id = ${projectId}`.execute(db.read);
		return rows[0]?.count ?? 0;
	}
}

function ofGroups({ error_kind: kinds, assignee, q }: Query, principal: Principal) {
	return {
		...(kinds === undefined ? {} : { kinds }),
		...(assignee === undefined ? {} : { assigneeId: readAssignee(assignee, principal) }),
		...(q === undefined ? {} : { text: q }),
	};
}

/** @throws UserError 422 for what is no id of a user */
function readAssignee(text: string, principal: Principal): number | null {
	if (text === "none") return null;
	const id = text === "me" ? userOf(principal)?.id : decodeGlobalId(text, "User");
	if (id !== undefined) return id;
	throw new UserError(
		422,
		"unknown_subject",
		"`assignee` is no id of a user; `me` is somebody while authentication is on.",
	);
}
