import type { Project } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

/** What a pasted id identifies. */
export interface Found {
	readonly kind: "trace" | "span" | "session";
	readonly project: Project;
	readonly traceId?: string;
	readonly spanId?: string;
	readonly sessionId?: string;
}

/** In how many projects a hex id is searched, the current one and the newest; words are searched only in a few. */
const MOST_PROJECTS = 30;
const MOST_PROJECTS_FOR_WORDS = 5;

function idKind(text: string): "trace" | "span" | "session" {
	if (/^[0-9a-f]{32}$/i.test(text)) return "trace";
	return /^[0-9a-f]{16}$/i.test(text) ? "span" : "session";
}

/** Queries lists instead of single items, as a missing item is then an empty list and not an error. */
async function findIn(project: Project, text: string, signal: AbortSignal): Promise<Found | undefined> {
	const path = { project_identifier: project.id };
	const kind = idKind(text);
	const found = { kind, project };
	if (kind === "session") {
		const page = await api.get("/v1/projects/{project_identifier}/traces", {
			path,
			query: { session_identifier: [text], limit: 1 },
			signal,
		});
		const sessionId = page.data[0]?.session_id;
		if (sessionId) return { ...found, sessionId };
		// Spans that were created over REST may have any text as id.
		return (await findSpan(project, "span", text, signal)) ?? (await findSpan(project, "trace", text, signal));
	}
	return await findSpan(project, kind, text, signal);
}

async function findSpan(
	project: Project,
	kind: "trace" | "span",
	id: string,
	signal: AbortSignal,
): Promise<Found | undefined> {
	const page = await api.get("/v1/projects/{project_identifier}/spans", {
		path: { project_identifier: project.id },
		query: { ...(kind === "trace" ? { trace_id: [id] } : { span_id: [id] }), limit: 1, view: "summary" },
		signal,
	});
	const context = page.data[0]?.context;
	if (!context) return undefined;
	return { kind, project, traceId: context.trace_id, ...(kind === "span" ? { spanId: context.span_id } : {}) };
}

/** What the text identifies: a trace, a span or a session by its id. */
export function foundQuery(text: string, current: string | undefined, projects: readonly Project[]) {
	return queryOptions({
		queryKey: ["find-id", text, current, projects.length],
		queryFn: async ({ signal }) => {
			const most = idKind(text) === "session" ? MOST_PROJECTS_FOR_WORDS : MOST_PROJECTS;
			const sorted = projects.toSorted((a, b) => Number(isCurrent(b, current)) - Number(isCurrent(a, current)));
			const [first, ...others] = sorted.slice(0, most);
			const here = first && (await findIn(first, text, signal));
			if (here) return [here];
			const found = await Promise.all(others.map((project) => findIn(project, text, signal)));
			return found.filter((each) => each !== undefined);
		},
		retry: false,
	});
}

function isCurrent(project: Project, current: string | undefined): boolean {
	return project.name === current || project.id === current;
}
