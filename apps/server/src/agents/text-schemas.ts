import { z } from "zod";
import { booleanParam, repeated } from "#http/query-params.ts";

/** The tools that read, in the order of the MCP endpoint. */
export const TEXT_TOOLS = [
	"list_projects",
	"describe_project",
	"search_traces",
	"search_spans",
	"get_trace",
	"compare_traces",
	"get_span",
	"list_sessions",
	"get_session",
	"list_annotations",
	"list_datasets",
	"get_examples",
	"list_experiments",
	"get_experiment",
	"compare_experiments",
	"list_prompts",
	"get_prompt",
	"explain_filter",
] as const;

/** What the arguments of a tool are as parameters of a query, which are texts. */
export function toQuery({ shape }: z.ZodObject): z.ZodObject {
	const fields = Object.entries(shape).map(([name, field]) => [name, fromText(field as z.ZodType)]);
	return z.strictObject(Object.fromEntries(fields));
}

function fromText(field: z.ZodType): z.ZodType {
	const bare = withoutWrappers(field);
	if (bare instanceof z.ZodBoolean) return z.preprocess(textToBoolean, field);
	if (bare instanceof z.ZodNumber) return z.preprocess(textToNumber, field);
	if (bare instanceof z.ZodArray) return z.preprocess((value) => repeated(z.unknown()).parse(value), field);
	return field;
}

/** The type of a field that may be absent. */
function withoutWrappers(field: z.ZodType): z.ZodType {
	const isWrapped = field instanceof z.ZodDefault || field instanceof z.ZodOptional;
	return isWrapped ? withoutWrappers(field.unwrap() as z.ZodType) : field;
}

function textToBoolean(value: unknown): unknown {
	return booleanParam.safeParse(value).data ?? value;
}

function textToNumber(value: unknown): unknown {
	return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}
