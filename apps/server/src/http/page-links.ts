import type { FastifyRequest } from "fastify";
import type { Config } from "#base/config.ts";

/** Addresses of pages of the web app, for those who asked over another way. */
export interface PageLinks {
	project(projectId: string): string;
	trace(projectId: string, traceId: string, spanId?: string): string;
	session(projectId: string, sessionId: string): string;
	dataset(datasetId: string): string;
	experiments(datasetId: string): string;
	/** Experiments beside each other, the first of them as the base. */
	comparison(
		datasetId: string,
		experimentIds: readonly string[],
		opened?: { exampleId: string; metric?: string },
	): string;
	prompt(promptId: string): string;
}

type Settings = Pick<Config, "SERVICE_ROOT_URL" | "SERVICE_HOST_ROOT_PATH">;
type Reached = Pick<FastifyRequest, "protocol" | "host">;

/** The address of this server without a slash at its end: `SERVICE_ROOT_URL`, or that at which the request arrived. */
export function rootAddress(config: Settings, { protocol, host }: Reached): string {
	return (config.SERVICE_ROOT_URL ?? `${protocol}://${host}${config.SERVICE_HOST_ROOT_PATH}`).replace(/\/+$/, "");
}

export function pageLinks(config: Settings, request: Reached): PageLinks {
	const root = rootAddress(config, request);
	const page = (...parts: readonly string[]) => `${root}/${parts.map(encodeURIComponent).join("/")}`;
	return {
		project: (project) => page("p", project, "traces"),
		trace: (project, trace, span) =>
			`${page("p", project, "traces", trace)}${span === undefined ? "" : `?span=${encodeURIComponent(span)}`}`,
		session: (project, session) => page("p", project, "sessions", session),
		dataset: (dataset) => page("datasets", dataset),
		experiments: (dataset) => page("datasets", dataset, "experiments"),
		comparison: (dataset, experiments, opened) => {
			const search = new URLSearchParams(experiments.map((experiment) => ["experiment", experiment]));
			if (opened?.metric !== undefined) search.set("metric", opened.metric);
			if (opened !== undefined) search.set("example", opened.exampleId);
			return `${page("datasets", dataset, "compare")}?${search}`;
		},
		prompt: (prompt) => page("prompts", prompt),
	};
}
