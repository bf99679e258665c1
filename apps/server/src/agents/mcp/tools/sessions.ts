import { z } from "zod";
import { sortParam } from "#http/query-params.ts";
import type { Session as SessionSchema } from "#resources/sessions/schemas.ts";
import { byteLength, costText, counted } from "#resources/text-forms/budget.ts";
import { visibleLine } from "#resources/text-forms/untrusted.ts";
import type { Trace as TraceSchema } from "#resources/traces/schemas.ts";
import { endTime, link, nextCursor, project, startTime, words } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, type Tool } from "../tool.ts";
import { defineListTool, listed, PAGING, type RestPage } from "./listed.ts";
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

const listSessions = defineListTool({
	name: "list_sessions",
	title: "List sessions",
	description:
		"Sessions of a project, which are conversations of several traces: the newest, the longest, the most expensive, those with errors.",
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
	}),
	...{ member: "sessions", row: SessionRow, noun: ["session", "sessions"] },
	heading: () => "Sessions.",
	read: ({ project: of, errors_only, ...asked }, page, { rest }) =>
		rest.get<RestPage<Session>>(`${path("v1", "projects", of)}/sessions`, {
			...{ ...page, sort: asked.sort, order: asked.order, filter: asked.filter },
			...{ start_time: asked.start_time, end_time: asked.end_time, q: asked.words, include_traces: false },
			error: errors_only ? true : undefined,
		}),
	toRow: (session: Session, links) => toSessionRow(session, links.session(session.project_id, session.id)),
	toText: sessionLines,
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
		...PAGING,
	}),
	output: z.object({ session: SessionRow, traces: z.array(TraceRow), next_cursor: nextCursor }),
	async run(args, call) {
		const { rest, links, part } = call;
		const { data } = await rest.get<{ data: Session }>(path("v1", "sessions", args.session_id), {
			project: args.project,
		});
		const row = toSessionRow(data, links.session(data.project_id, data.id));
		const heading = `A session of ${counted(row.trace_count, "trace")}, ${counted(row.error_count, "error")}.\nPage: ${row.link}`;
		const traces = await part("traces", () =>
			listed(call, args, {
				...{ heading, noun: ["trace", "traces"], otherBytes: byteLength(JSON.stringify(row)) },
				read: (page) =>
					rest.get<RestPage<Trace>>(`${path("v1", "projects", data.project_id)}/traces`, {
						...{ session_identifier: data.id, sort: "start_time", order: "asc", ...page },
					}),
				toRow: (trace) => toTraceRow(trace, links.trace(trace.project_id, trace.trace_id)),
				toText: traceLines,
			}),
		);
		return {
			data: { session: row, traces: traces?.rows ?? [], next_cursor: traces?.nextCursor ?? null },
			text: traces?.text ?? heading,
		};
	},
});

export const SESSION_TOOLS: readonly Tool[] = [listSessions, getSession];
