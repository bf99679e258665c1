import { readTexts } from "@spanward/semconv";
import { toJsonText } from "#http/json-values.ts";
import { checkSize, type TargetContext } from "./context.ts";

/** A run of an experiment with its example. Values are JSON. */
export interface RunValues {
	readonly input: unknown;
	/** The example's output. */
	readonly expected: unknown;
	readonly metadata: unknown;
	readonly output: unknown;
	readonly run: {
		readonly latency_ms: number | null;
		readonly error: string | null;
		readonly tokens: number | null;
		readonly cost: number | null;
	};
}

/** The context of a run of an experiment. @throws ContextTooLarge */
export function runContext({ input, expected, metadata, output, run }: RunValues): TargetContext {
	const context = {
		input,
		expected,
		reference: expected,
		metadata,
		output,
		input_text: readableText(input, "input"),
		expected_text: readableText(expected, "output"),
		output_text: readableText(output, "output"),
		run,
	};
	return checkSize(context, "run");
}

/** What a person reads of JSON: the question, the answer or the text in it, else the JSON. */
export function readableText(value: unknown, side: "input" | "output"): string | null {
	if (value === null || value === undefined) return null;
	if (typeof value === "string") return value;
	const own = textOfRun(value);
	if (own !== undefined) return own;
	const json = toJsonText(value);
	const { [side]: text } = readTexts({
		name: "",
		scopeName: "",
		statusCode: 0,
		statusMessage: "",
		attributes: new Map([[`${side}.value`, json]]),
		events: [],
		logs: [],
	});
	return text ?? json;
}

/** What runs of the server give: `{text, tool_calls?, parsed?, finish_reason}`. */
function textOfRun(value: unknown): string | undefined {
	if (typeof value !== "object" || value === null || !Object.hasOwn(value, "finish_reason")) return undefined;
	const text: unknown = Reflect.get(value, "text");
	return typeof text === "string" && text !== "" ? text : undefined;
}
