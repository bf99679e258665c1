import { conditionOf, isWords } from "../filtering/list-condition.ts";
import { filterQuery } from "../filtering/row-filters.ts";
import type { Copied, CopiedList } from "./copied.ts";

type Parameter = readonly [name: string, value: string];

/** How programs ask for what a page shows. */
export interface Asked {
	/** The tool of the MCP endpoint, and its arguments. */
	readonly tool: string;
	readonly args: readonly Parameter[];
	/** The path of the REST API, with escaped parts, and its parameters. */
	readonly path: string;
	readonly query: readonly Parameter[];
	/** Words of the command line behind `spanward`; undefined where none has all of what is asked. */
	readonly command: readonly string[] | undefined;
}

/** The time of a list, as the API takes it. */
export interface Bounds {
	readonly start_time?: string;
	readonly end_time?: string;
}

/** What asks for the same as the page. @param bounds what the time range of a list is now */
export function askedFor(copied: Copied, bounds: Bounds = {}): Asked {
	switch (copied.kind) {
		case "trace": {
			const { project, traceId } = copied;
			return {
				tool: "get_trace",
				args: parameters({ project, trace_id: traceId }),
				path: pathOf("v1", "projects", project, "traces", traceId),
				query: [],
				command: ["trace", "show", ...options({ project }), ...positional(traceId)],
			};
		}
		case "span": {
			const { project, traceId, spanId } = copied;
			return {
				tool: "get_span",
				args: parameters({ project, trace_id: traceId, span_id: spanId }),
				path: pathOf("v1", "projects", project, "traces", traceId, "spans", spanId),
				query: [],
				command: ["span", "show", ...options({ project }), ...positional(spanId)],
			};
		}
		case "session": {
			const { project, sessionId } = copied;
			return {
				tool: "get_session",
				args: parameters({ project, session_id: sessionId }),
				path: pathOf("v1", "sessions", sessionId),
				query: parameters({ project }),
				command: ["session", "show", ...options({ project }), ...positional(sessionId)],
			};
		}
		case "list":
			return askedForList(copied, bounds);
		case "examples": {
			const { dataset, version, split, q } = copied;
			const isWhole = version === undefined && q === undefined;
			return {
				tool: "get_examples",
				args: parameters({ dataset, split, words: q, version_id: version }),
				path: pathOf("v1", "datasets", dataset, "examples"),
				query: parameters({ version_id: version, split, q }),
				command: isWhole ? ["datasets", "download", ...options({ split }), ...positional(dataset)] : undefined,
			};
		}
		case "experiments": {
			const { dataset, sort, order } = copied;
			const isNewestFirst = sort === undefined && order === undefined;
			return {
				tool: "list_experiments",
				args: parameters({ dataset }),
				path: pathOf("v1", "experiments"),
				query: parameters({ dataset_id: dataset, sort, order }),
				command: isNewestFirst ? ["experiments", "list", ...options({ dataset })] : undefined,
			};
		}
	}
}

const LISTS = {
	trace: { tool: "search_traces", noun: "traces" },
	span: { tool: "search_spans", noun: "spans" },
	session: { tool: "list_sessions", noun: "sessions" },
} as const;

function askedForList(copied: CopiedList, bounds: Bounds): Asked {
	const { of, project, search } = copied;
	const { tool, noun } = LISTS[of];
	const sort = search.sort ?? "start_time";
	const order = search.order ?? "desc";
	const { condition, words } = conditionOf(of, search);
	const kinds = of === "span" && search.kind ? { span_kind: search.kind } : {};
	return {
		tool,
		args: parameters({ project, filter: condition, words, ...bounds, sort, order }),
		path: pathOf("v1", "projects", project, noun),
		query: parameters({ ...filterQuery(search), ...kinds, ...bounds, sort, order }),
		command: order === "desc" ? listCommand(copied, bounds, condition, words) : undefined,
	};
}

function listCommand(
	{ of, project, search }: CopiedList,
	{ start_time, end_time }: Bounds,
	condition: string | undefined,
	words: string | undefined,
): readonly string[] | undefined {
	const sort = search.sort ?? "start_time";
	// It has one filter, which is a condition or words, and lists sessions by their end.
	if (words !== undefined && (condition !== undefined || !isWords(of, words))) return undefined;
	if (of === "session" && sort !== "end_time") return undefined;
	const isRelative = search.to === undefined && search.from !== undefined && /^\d+[mhd]$/.test(search.from);
	return [
		...[LISTS[of].noun, "list"],
		...options({
			...{ project, filter: condition ?? words, since: isRelative ? search.from : start_time, until: end_time },
			sort: of === "session" ? undefined : sort,
		}),
	];
}

function pathOf(...parts: readonly string[]): string {
	return `/${parts.map(encodeURIComponent).join("/")}`;
}

type Values = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

function parameters(values: Values): Parameter[] {
	return Object.entries(values).flatMap(([name, value]) =>
		value === undefined ? [] : [value].flat().map((each): Parameter => [name, String(each)]),
	);
}

/** Joined, so that a value that begins with a dash is one. */
function options(values: Values): string[] {
	return parameters(values).map(([name, value]) => `--${name}=${value}`);
}

function positional(value: string): string[] {
	return value.startsWith("-") ? ["--", value] : [value];
}
