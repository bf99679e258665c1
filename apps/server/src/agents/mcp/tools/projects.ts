import { ROW_SCHEMAS } from "@spanward/filter-language";
import { z } from "zod";
import type { Metrics, ProjectListQuery, Project as RestProject } from "#resources/projects/schemas.ts";
import { byteLength, bytesOfTokens, counted } from "#resources/text-forms/budget.ts";
import { fence, visibleLine } from "#resources/text-forms/untrusted.ts";
import type { Trace as TraceSchema } from "#resources/traces/schemas.ts";
import { link, maxTokens, project } from "../arguments.ts";
import { path } from "../rest.ts";
import { defineTool, NOTE_BYTES, type Tool } from "../tool.ts";
import { defineListTool, type RestPage } from "./listed.ts";

type Project = z.output<typeof RestProject>;
type Sort = z.output<typeof ProjectListQuery>["sort"];

const count = z.int();

const ProjectRow = z.object({
	name: z.string(),
	id: z.string(),
	description: z.string().nullable(),
	span_count: count.describe("Of the last 24 hours, as what follows."),
	error_count: count,
	token_count_total: count,
	total_cost: z.number(),
	newest_trace_start_time: z.string().nullable(),
	link,
});

const listProjects = defineListTool({
	name: "list_projects",
	title: "List projects",
	description:
		"The projects that you may see, with what each did in the last 24 hours: spans, errors, tokens, cost. Start here when you do not know the name of the project.",
	input: z.object({
		name_contains: z.string().max(500).optional().describe("Part of the name, in any case."),
		sort: z
			.enum(["newest_trace_start_time", "name", "span_count", "error_rate", "total_cost"] satisfies readonly Sort[])
			.default("newest_trace_start_time")
			.describe("The most first; names by the alphabet."),
	}),
	...{ member: "projects", row: ProjectRow, noun: ["project", "projects"] },
	heading: () => "Projects, with their last 24 hours.",
	read: ({ sort, name_contains }, page, { rest }) =>
		rest.get<RestPage<Project>>("/v1/projects", {
			...{ ...page, sort, order: sort === "name" ? "asc" : "desc", name_contains, include: "activity" },
		}),
	toRow: ({ id, name, description, activity }: Project, links) => ({
		name: visibleLine(name, 255),
		id,
		description: description === null ? null : visibleLine(description, 200),
		span_count: sum(activity?.span_counts),
		error_count: sum(activity?.error_counts),
		token_count_total: activity?.token_count_total ?? 0,
		total_cost: activity?.total_cost ?? 0,
		newest_trace_start_time: activity?.newest_trace_start_time ?? null,
		link: links.project(id),
	}),
	toText: (row) =>
		`- ${row.name}: ${row.span_count} spans, ${row.error_count} errors, ${row.token_count_total} tokens, $${row.total_cost.toFixed(2)}; newest trace ${row.newest_trace_start_time ?? "none"}${row.description === null ? "" : `; ${row.description}`}\n  ${row.link}`,
});

function sum(numbers: readonly number[] | undefined): number {
	return (numbers ?? []).reduce((total, each) => total + each, 0);
}

const described = z.array(z.object({ value: z.string(), span_count: count }));
const VALUES = 8;
const VALUE_CHARACTERS = 80;

interface Sampled {
	readonly span_count: number;
	readonly fields: Readonly<Record<"name" | "root_name" | "model" | "provider", readonly Value[]>>;
	readonly attributes: readonly { readonly key: string; readonly type: string; readonly values: readonly Value[] }[];
}
interface Value {
	readonly value: string;
	readonly span_count: number;
}
const NO_SAMPLE: Sampled = {
	span_count: 0,
	fields: { name: [], root_name: [], model: [], provider: [] },
	attributes: [],
};
interface Named {
	readonly data: readonly {
		readonly target: string;
		readonly name: string;
		readonly has_scores: boolean;
		readonly has_labels: boolean;
	}[];
}
type Trace = z.output<typeof TraceSchema>;
type Point = z.output<typeof Metrics>["data"][number];

const describeProject = defineTool({
	name: "describe_project",
	title: "Describe a project",
	description:
		"What is in a project: names of its spans, models, attributes with frequent values, names of annotations, its time range, and how many of its newest week's spans failed. Use it before you filter.",
	access: "read",
	input: z.object({ project, max_tokens: maxTokens }),
	output: z.object({
		...{ name: z.string(), id: z.string(), description: z.string().nullable() },
		...{ first_trace_start_time: z.string().nullable(), newest_trace_start_time: z.string().nullable() },
		newest_week: z
			.object({ span_count: count, error_count: count, token_count_total: count, total_cost: z.number() })
			.nullable()
			.describe("Of the seven days that end with the newest trace; null only if it was not read."),
		sampled_span_count: count.describe(
			"Spans that names, models and attributes were taken from: the newest, and some older ones.",
		),
		...{ root_names: described, span_names: described, models: described, providers: described },
		attributes: z.array(z.object({ key: z.string(), type: z.string(), values: z.array(z.string()) })),
		attributes_left_out: count,
		annotations: z.array(
			z.object({ target: z.string(), name: z.string(), has_scores: z.boolean(), has_labels: z.boolean() }),
		),
		annotations_left_out: count,
		link,
	}),
	async run(args, { rest, links, progress, part }) {
		const { data: about } = await rest.get<{ data: Project }>(path("v1", "projects", args.project));
		const address = path("v1", "projects", about.id);
		const edge = async (order: "asc" | "desc") =>
			(await rest.get<RestPage<Trace>>(`${address}/traces`, { sort: "start_time", order, limit: 1 })).data[0]
				?.start_time ?? null;
		progress("looking at a sample of spans");
		const newestTrace = edge("desc");
		const weekOf = async (newest: string | null) =>
			newest === null
				? []
				: (await rest.get<{ data: Point[] }>(`${address}/metrics`, { ...weekTo(newest), bucket: "day" })).data;
		const [first, newest, week, sampled, names] = await Promise.all([
			part("first_trace_start_time", () => edge("asc")),
			part("newest_trace_start_time", () => newestTrace),
			part("newest_week", async () => await weekOf(await newestTrace)),
			part("names, models and attributes", () => rest.get<Sampled>(`${address}/sampled_values`)),
			part("annotations", () => rest.get<Named>(`${address}/annotation_names`)),
		]);
		const values = (list: readonly Value[]) =>
			list
				.slice(0, VALUES)
				.map(({ value, span_count }) => ({ value: visibleLine(value, VALUE_CHARACTERS), span_count }));
		const { fields, attributes: found, span_count } = sampled ?? NO_SAMPLE;
		const fixed = {
			...{ name: visibleLine(about.name, 255), id: about.id },
			description: about.description === null ? null : visibleLine(about.description, 200),
			...{ first_trace_start_time: first ?? null, newest_trace_start_time: newest ?? null },
			link: links.project(about.id),
			newest_week:
				week === undefined
					? null
					: {
							span_count: sum(week.map((point) => point.span_count)),
							error_count: sum(week.map((point) => point.error_count)),
							token_count_total: sum(week.map((point) => point.token_count_total)),
							total_cost: sum(week.map((point) => point.total_cost)),
						},
			sampled_span_count: span_count,
		};
		const lists = {
			...{ root_names: values(fields.root_name), span_names: values(fields.name) },
			...{ models: values(fields.model), providers: values(fields.provider) },
		};
		const annotations = (names?.data ?? []).map((each) => ({
			...each,
			name: visibleLine(each.name, VALUE_CHARACTERS),
		}));
		const attributes = found.map(({ key, type, values: frequent }) => ({
			...{ key: visibleLine(key, 100), type },
			values: frequent.slice(0, 5).map(({ value }) => visibleLine(value, 60)),
		}));
		return describe(fixed, lists, { annotations, attributes }, bytesOfTokens(args.max_tokens) - NOTE_BYTES);
	},
});

function weekTo(time: string) {
	const end = Date.parse(time) + 1;
	return { start_time: new Date(end - 7 * 86_400_000).toISOString(), end_time: new Date(end).toISOString() };
}

interface Fixed {
	readonly name: string;
	readonly id: string;
	readonly description: string | null;
	readonly first_trace_start_time: string | null;
	readonly newest_trace_start_time: string | null;
	readonly link: string;
	readonly newest_week: {
		readonly span_count: number;
		readonly error_count: number;
		readonly token_count_total: number;
		readonly total_cost: number;
	} | null;
	readonly sampled_span_count: number;
}
type Lists = Readonly<
	Record<"root_names" | "span_names" | "models" | "providers", { value: string; span_count: number }[]>
>;
interface Long {
	readonly annotations: readonly {
		readonly target: string;
		readonly name: string;
		readonly has_scores: boolean;
		readonly has_labels: boolean;
	}[];
	readonly attributes: readonly { readonly key: string; readonly type: string; readonly values: string[] }[];
}

/** Lists are shortened alike until all of it fits: first the attributes and annotations, then how many values each list has. */
function describe(fixed: Fixed, lists: Lists, long: Long, maxBytes: number) {
	for (let share = 1; ; share *= 0.7) {
		const some = <T>(list: readonly T[]) => list.slice(0, Math.floor(list.length * share));
		const fewer = <T>(list: readonly T[]) => (share > 0.3 ? [...list] : some(list));
		const [annotations, attributes] = [some(long.annotations), some(long.attributes)];
		const data = {
			...fixed,
			...{ root_names: fewer(lists.root_names), span_names: fewer(lists.span_names) },
			...{ models: fewer(lists.models), providers: fewer(lists.providers) },
			...{ attributes, attributes_left_out: long.attributes.length - attributes.length },
			...{ annotations, annotations_left_out: long.annotations.length - annotations.length },
		};
		const text = describeText(data);
		if (share < 0.001 || (byteLength(text) <= maxBytes && byteLength(JSON.stringify(data)) <= maxBytes))
			return { data, text };
	}
}

type Described = Fixed & Lists & Long & { readonly attributes_left_out: number; readonly annotations_left_out: number };

function describeText(data: Described): string {
	const { newest_week: week } = data;
	const heading = [
		`A project with traces from ${data.first_trace_start_time ?? "never"} to ${data.newest_trace_start_time ?? "never"}.`,
		...(week === null
			? []
			: [
					`In its newest seven days: ${counted(week.span_count, "span")}, ${counted(week.error_count, "error")}, ${counted(week.token_count_total, "token")}, $${week.total_cost.toFixed(2)}.`,
				]),
		`What follows was taken from a sample of ${counted(data.sampled_span_count, "span")}.`,
		`Page: ${data.link}`,
	].join("\n");
	const list = (title: string, values: readonly Value[]) =>
		values.length === 0
			? []
			: [`${title}: ${values.map(({ value, span_count }) => `${value} ×${span_count}`).join(", ")}`];
	const leftOut = (number: number, noun: string) => (number > 0 ? [`… ${counted(number, `more ${noun}`)}`] : []);
	const body = [
		`project: ${data.name}`,
		...(data.description === null ? [] : [`description: ${data.description}`]),
		...list("names of root spans", data.root_names),
		...list("names of spans", data.span_names),
		...list("models", data.models),
		...list("providers", data.providers),
		...(data.annotations.length > 0 ? ["annotations:"] : []),
		...data.annotations.map(
			({ target, name, has_scores, has_labels }) =>
				`- ${name} of ${target}s${has_scores ? ", scores" : ""}${has_labels ? ", labels" : ""}`,
		),
		...leftOut(data.annotations_left_out, "annotation"),
		...(data.attributes.length > 0 ? ["attributes:"] : []),
		...data.attributes.map(
			({ key, type, values }) => `- ${key} (${type})${values.length === 0 ? "" : `: ${values.join(", ")}`}`,
		),
		...leftOut(data.attributes_left_out, "attribute"),
	];
	return `${heading}\n${fence(body.join("\n"), "")}`;
}

const LANGUAGE = `A filter is a condition, or words that all have to occur.
Words: order timed out - "timed out" in quotes is a phrase.
Compare: == != < <= > >=, also 0.5 < latency_ms < 1000; combine: and, or, not, ( ).
Lists: model in ['gpt-4o', 'gpt-4.1'], not in. Contained text, ignoring case: 'refund' in input.value.
Nothing there: metadata['tenant'] is None. Missing values match nothing, not even !=.
Numbers: + - * / %; float(attributes['tries']) > 2 for numbers sent as text.
Times are texts with an offset: start_time >= '2026-01-31T12:00:00Z'.
Attributes of spans: llm.model_name, attributes['http.request-id'], metadata['key'].
Annotations: annotations['quality'].score < 0.5, .label == 'good', .explanation; trace_annotations, session_annotations.
Of traces, their spans: any(x.span_kind == 'TOOL' and x.status_code == 'ERROR' for x in spans); all(..), sum(x.total_cost for x in spans), len([x for x in spans]) > 10.`;

const explainFilter = defineTool({
	name: "explain_filter",
	title: "Explain the filter language",
	description: "The language of filters, with the fields of spans, traces or sessions, and attributes of one project.",
	access: "read",
	input: z.object({
		target: z.enum(["span", "trace", "session"]).default("trace").describe("What is to be filtered."),
		project: project.optional().describe("Also tells frequent attributes of this project's spans."),
		max_tokens: maxTokens,
	}),
	output: z.object({
		language: z.string(),
		fields: z.array(z.object({ name: z.string(), type: z.string(), description: z.string() })),
		attributes: z.array(z.string()),
		attributes_left_out: count,
	}),
	async run({ project: of, ...args }, { rest, part }) {
		const sampled =
			of === undefined
				? undefined
				: await part("attributes", () => rest.get<Sampled>(`${path("v1", "projects", of)}/sampled_values`));
		const most = bytesOfTokens(args.max_tokens) - NOTE_BYTES;
		const all = Object.entries(ROW_SCHEMAS[args.target].fields).map(([name, { valueType, description }]) => ({
			...{ name, type: valueType, description: visibleLine(description, 120) },
		}));
		const keys = (sampled?.attributes ?? []).map(({ key }) => visibleLine(key, 100));
		for (let share = 1; ; share *= 0.7) {
			const fields = all.slice(0, Math.ceil(all.length * share));
			const attributes = keys.slice(0, Math.floor(keys.length * share));
			const leftOut = keys.length - attributes.length;
			const lines = [
				LANGUAGE,
				`Fields of ${args.target}s:`,
				...fields.map(({ name, type, description }) => `- ${name} (${type}): ${description}`),
				...(fields.length < all.length ? [`… ${counted(all.length - fields.length, "more field")}`] : []),
			];
			const found =
				attributes.length === 0 ? "" : `\nAttributes of this project's spans:\n${fence(attributes.join("\n"), "")}`;
			const text = `${lines.join("\n")}${found}${leftOut > 0 ? `\n… ${counted(leftOut, "more attribute")}` : ""}`;
			const data = { language: LANGUAGE, fields, attributes, attributes_left_out: leftOut };
			if (share < 0.001 || (byteLength(text) <= most && byteLength(JSON.stringify(data)) <= most))
				return { data, text };
		}
	},
});

export const PROJECT_TOOLS: readonly Tool[] = [listProjects, describeProject];
/** Last, as it explains what others take. */
export const EXPLAINING_TOOLS: readonly Tool[] = [explainFilter];
