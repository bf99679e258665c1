import { z } from "zod";
import { sortParam } from "#http/query-params.ts";
import type { Session as SessionSchema } from "#resources/sessions/schemas.ts";
import { costText, counted } from "#resources/text-forms/budget.ts";
import { visibleLine } from "#resources/text-forms/untrusted.ts";
import type { Trace as TraceSchema } from "#resources/traces/schemas.ts";
import { cursor, endTime, limit, link, maxTokens, nextCursor, project, startTime, words } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { listed, type RestPage } from "./listed.ts";
import { TraceRow, toTraceRow, traceLines } from "./trace-rows.ts";

type Session = z.output<typeof SessionSchema>;
type Trace = z.output<typeof TraceSchema>;

const count = z.int();
const SessionRow = z.object({
	session_id: z.string(),
	user_id: z.string().nullable(),
	...{ start_time: z.string(), end_time: z.string() },
	...{ trace_count: count, error_count: count, token_count_total: count, total_cost: z.number().nullable() },
	...{ input: z.string().nullable().describe("The first."), output: z.string().nullable().describe("The last.") },
	link,
});

function toSessionRow(session: Session, address: string): z.output<typeof SessionRow> {
	const line = (value: string | null, characters: number) => (value === null ? null : visibleLine(value, characters));
	return {
		session_id: visibleLine(session.session_id, 1_000),
		user_id: line(session.user_id, 200),
		...{ start_time: session.start_time, end_time: session.end_time },
		...{ trace_count: session.trace_count, error_count: session.error_count },
		...{ token_count_total: session.token_count_total, total_cost: session.total_cost },
		...{ input: line(session.first_input, 160), output: line(session.last_output, 160) },
		link: address,
	};
}

function sessionLines(row: z.output<typeof SessionRow>): string {
	const facts = [
		row.start_time,
		counted(row.trace_count, "trace"),
		...(row.error_count > 0 ? [counted(row.error_count, "error")] : []),
		...(row.total_cost === null ? [] : [costText(row.total_cost)]),
	];
	const texts = [...(row.input ? [`\n  in: ${row.input}`] : []), ...(row.output ? [`\n  out: ${row.output}`] : [])];
	return `- ${row.session_id} ${facts.join(" · ")}${texts.join("")}`;
}

const listSessions = defineTool({
	name: "list_sessions",
	title: "List sessions",
	description:
		"Sessions of a project, which are conversations of several traces: the newest, the longest, the most expensive, those with errors.",
	access: "read",
	input: z.object({
		project,
		filter: z
			.string()
			.max(10_000)
			.optional()
			.describe("Words, or a condition on fields of sessions, as explain_filter tells."),
		words,
		errors_only: z.boolean().default(false).describe("Only those with a span in error."),
		...{ start_time: startTime, end_time: endTime },
		sort: sortParam([
			"start_time",
			"end_time",
			"trace_count",
			"error_count",
			"token_count_total",
			"total_cost",
		]).default("start_time"),
		order: z.enum(["desc", "asc"]).default("desc"),
		...{ limit, cursor, max_tokens: maxTokens },
	}),
	output: z.object({ sessions: z.array(SessionRow), next_cursor: nextCursor }),
	async run(args, { rest, links }) {
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			maxTokens: args.max_tokens,
			limit: args.limit,
			heading: "Sessions.",
			noun: ["session", "sessions"],
			read: (most) =>
				rest.get<RestPage<Session>>(`${path("v1", "projects", args.project)}/sessions`, {
					...{ limit: most, cursor: args.cursor, sort: args.sort, order: args.order, filter: args.filter },
					...{ start_time: args.start_time, end_time: args.end_time, q: args.words, include_traces: false },
					error: args.errors_only ? true : undefined,
				}),
			toRow: (session) => toSessionRow(session, links.session(session.project_id, session.id)),
			toText: sessionLines,
		});
		return { data: { sessions: rows, next_cursor: next }, text };
	},
});

const getSession = defineTool({
	name: "get_session",
	title: "Read a session",
	description:
		"One session and its traces in the order in which they happened, each with what went in and what came out.",
	access: "read",
	input: z.object({
		project,
		session_id: z.string().min(1).max(4_096).describe("The application's id of the session."),
		...{ limit, cursor, max_tokens: maxTokens },
	}),
	output: z.object({ session: SessionRow, traces: z.array(TraceRow), next_cursor: nextCursor }),
	async run(args, { rest, links }) {
		const { data } = await rest.get<{ data: Session }>(path("v1", "sessions", args.session_id), {
			project: args.project,
		});
		const row = toSessionRow(data, links.session(data.project_id, data.id));
		const {
			rows,
			nextCursor: next,
			text,
		} = await listed({
			// The session itself takes part of it.
			maxTokens: args.max_tokens - 400,
			limit: args.limit,
			heading: `A session of ${counted(row.trace_count, "trace")}, ${counted(row.error_count, "error")}.\nPage: ${row.link}`,
			noun: ["trace", "traces"],
			read: (most) =>
				rest.get<RestPage<Trace>>(`${path("v1", "projects", data.project_id)}/traces`, {
					...{ session_identifier: data.id, sort: "start_time", order: "asc", limit: most, cursor: args.cursor },
				}),
			toRow: (trace) => toTraceRow(trace, links.trace(trace.project_id, trace.trace_id)),
			toText: traceLines,
		});
		return { data: { session: row, traces: rows, next_cursor: next }, text };
	},
});

export const SESSION_TOOLS: readonly Tool[] = [listSessions, getSession];
