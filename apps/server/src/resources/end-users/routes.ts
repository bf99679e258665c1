import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { joinTexts, parseFilter, warningsOf } from "#http/filter-param.ts";
import { formatTime } from "#http/wire-times.ts";
import type { AnalyticsQuestions } from "../analytics/ask-analytics.ts";
import { DAY_MICROS, rangeOf } from "../analytics/asked-range.ts";
import { getProject } from "../projects/queries.ts";
import { decodeCursor, encodeCursor } from "./cursors.ts";
import { countOpenErrorGroups } from "./open-error-groups.ts";
import { EndUsers, type FoundUser } from "./queries.ts";
import { type EndUser, EndUserAnswer, EndUserPage, EndUserQuery, EndUsersQuery } from "./schemas.ts";

const RANGE_MICROS = 30 * DAY_MICROS;

/** The users of what is traced: who they are, what they do and what it costs. */
export function endUserRoutes(app: App, context: Context, questions: AnalyticsQuestions): void {
	const { db, config, now } = context;
	const timeoutMs = config.SERVICE_ANALYTICS_TIMEOUT_SECONDS * 1_000;

	app.get(
		"/v1/projects/:project_identifier/end_users",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "listProjectEndUsers",
				tags: ["end users"],
				summary: "Page through the users of a project's traces",
				description:
					"Those with a trace in the range. All pages are about the traces that the first one knew, so that nobody is missing or listed twice while spans arrive.",
				params: z.object({ project_identifier: z.string() }),
				querystring: EndUsersQuery,
				response: { 200: EndUserPage },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const parsed = parseFilter("trace", query.filter);
			const { sort, order, limit } = query;
			const cursor = decodeCursor(`${sort} ${order}`, query.cursor);
			const { startMicros, endMicros } = cursor ?? rangeOf(query, now(), RANGE_MICROS);
			const users = new EndUsers(questions, actor.traces, askerOf(request, reply));
			const found = await users.list({
				...{ projectId: project.id, startMicros, endMicros, condition: parsed.condition, timeoutMs },
				...{ sort, order, limit, lastRow: cursor?.lastRow, after: cursor?.after },
				text: joinTexts(undefined, parsed.text),
				part: query.q === "" ? undefined : query.q,
			});
			const { next: after, lastRow } = found;
			const shown = { projectId: project.id, startMicros, endMicros };
			const open = await countOpenErrorGroups(
				db.read,
				shown,
				found.users.map(({ userId }) => userId),
			);
			return {
				data: found.users.map((user) => toEndUser(user, open)),
				next_cursor:
					after === undefined ? null : encodeCursor(`${sort} ${order}`, { startMicros, endMicros, lastRow, after }),
				traces_without_user: found.tracesWithoutUser,
				...readingOf(found.coveredMicros),
				...warningsOf(parsed),
			};
		},
	);

	app.get(
		"/v1/projects/:project_identifier/end_users/:user_id",
		{
			config: { access: "read", home: "project" },
			schema: {
				operationId: "getProjectEndUser",
				tags: ["end users"],
				summary: "Fetch a user of a project's traces",
				params: z.object({ project_identifier: z.string(), user_id: z.string() }),
				querystring: EndUserQuery,
				response: { 200: EndUserAnswer },
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const project = await getProject(db.read, actor, params.project_identifier);
			const { condition, text } = parseFilter("trace", query.filter);
			const users = new EndUsers(questions, actor.traces, askerOf(request, reply));
			const asked = {
				...{ projectId: project.id, condition, text: joinTexts(undefined, text), timeoutMs },
				...rangeOf(query, now(), RANGE_MICROS),
			};
			const found = await users.find(asked, params.user_id);
			if (found === undefined) throw new UserError(404, "not_found", "The project has no traces of this user.");
			const open = await countOpenErrorGroups(db.read, asked, [found.userId]);
			return { data: toEndUser(found, open), ...readingOf(found.coveredMicros) };
		},
	);
}

function readingOf(coveredMicros: number | undefined) {
	return {
		is_partial: coveredMicros !== undefined,
		covered_start_time: coveredMicros === undefined ? null : formatTime(coveredMicros),
	};
}

function toEndUser(
	{ userId, firstMicros, figures, scores }: FoundUser,
	open: ReadonlyMap<string, number>,
): z.output<typeof EndUser> {
	const { last_seen: lastMicros } = figures;
	return {
		user_id: userId,
		first_seen: formatTime(firstMicros ?? lastMicros ?? 0),
		last_seen: lastMicros === null ? null : formatTime(lastMicros),
		session_count: figures.sessions ?? 0,
		trace_count: figures.traces ?? 0,
		error_count: figures.errors ?? 0,
		failed_count: figures.failed ?? 0,
		tokens_prompt: figures.tokens_prompt ?? 0,
		tokens_completion: figures.tokens_completion ?? 0,
		tokens_total: figures.tokens_total ?? 0,
		cost_total: figures.cost_total ?? 0,
		latency_p95: figures.latency_p95,
		scores: scores.map(({ name, average, count }) => ({ name, average, count })),
		error_groups_open: open.get(userId) ?? 0,
	};
}
