import { ApiError, type Project } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";

/** Something that a pasted id names. */
export interface Found {
	readonly kind: "trace" | "span" | "session";
	/** Id of the project. */
	readonly projectId: string;
	readonly projectName: string | undefined;
	readonly traceId?: string;
	readonly spanId?: string;
	readonly sessionId?: string;
}

/** An id is looked for in so many projects, the current one and the newest. */
const MOST_PROJECTS = 30;

export function idKind(text: string): "trace" | "span" | undefined {
	if (/^[0-9a-f]{32}$/i.test(text)) return "trace";
	return /^[0-9a-f]{16}$/i.test(text) ? "span" : undefined;
}

async function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
	try {
		return await request;
	} catch (error) {
		// 404: not there. 409: in several projects, so it is looked for by project.
		if (error instanceof ApiError && (error.status === 404 || error.status === 409 || error.status === 422))
			return undefined;
		throw error;
	}
}

async function findIn(project: Project, text: string, signal: AbortSignal): Promise<Found | undefined> {
	const path = { project_identifier: project.id };
	const found = { projectId: project.id, projectName: project.name };
	const id = text.toLowerCase();
	if (idKind(text) === "trace") {
		const trace = await unlessMissing(
			api.get("/v1/projects/{project_identifier}/traces/{trace_id}", {
				path: { ...path, trace_id: id },
				query: { limit: 1 },
				signal,
			}),
		);
		return trace ? { ...found, kind: "trace", traceId: id } : undefined;
	}
	const spans = await unlessMissing(
		api.get("/v1/projects/{project_identifier}/spans", {
			path,
			query: { span_id: [id], limit: 1, view: "summary" },
			signal,
		}),
	);
	const span = spans?.data[0];
	return span ? { ...found, kind: "span", traceId: span.context.trace_id, spanId: span.context.span_id } : undefined;
}

async function findSession(text: string, project: string | undefined, signal: AbortSignal): Promise<Found | undefined> {
	const path = { session_identifier: text };
	const inProject = project
		? await unlessMissing(api.get("/v1/sessions/{session_identifier}", { path, query: { project }, signal }))
		: undefined;
	const session = (inProject ?? (await unlessMissing(api.get("/v1/sessions/{session_identifier}", { path, signal }))))
		?.data;
	if (!session) return undefined;
	return { kind: "session", projectId: session.project_id, projectName: undefined, sessionId: session.session_id };
}

/** What the text names: a trace or span by its hex id, a session by its id. */
export function foundQuery(text: string, current: string | undefined, projects: readonly Project[]) {
	return queryOptions({
		queryKey: ["find-id", text, current, projects.length],
		queryFn: async ({ signal }) => {
			if (!idKind(text)) {
				const session = await findSession(text, current, signal);
				return session ? [session] : [];
			}
			const sorted = projects.toSorted((a, b) => Number(isCurrent(b, current)) - Number(isCurrent(a, current)));
			const [first, ...others] = sorted.slice(0, MOST_PROJECTS);
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
