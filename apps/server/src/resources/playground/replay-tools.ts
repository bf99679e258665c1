import type { Message, SentRequest, SentTool } from "@spanward/semconv";
import { toWirePlain } from "#http/wire-plain.ts";
import type { VariantContent } from "#models/variant.ts";
import { MAX_TOOLS } from "#models/variant.ts";
import type { Notes } from "./notes.ts";

type Tools = NonNullable<VariantContent["tools"]>;
type ResponseFormat = NonNullable<VariantContent["response_format"]>;
type Json = Readonly<Record<string, unknown>>;

/** Recorded tools as those of a variant; what is missing is noted. */
export function replayTools(
	{ tools, tool_choice: choice, disable_parallel_tool_calls: isSingle, messages, isWhole }: SentRequest,
	notes: Notes,
): Tools | null {
	if (tools === undefined) {
		if (messages?.some(callsTools)) notes.add("The tools were not recorded, though messages call some.");
		return null;
	}
	if (tools.length > MAX_TOOLS)
		notes.add(`There are ${tools.length} tools, and a run takes ${MAX_TOOLS}: delete some.`);
	const named = tools.flatMap((tool) => ("isNameOnly" in tool && tool.isNameOnly ? [tool.name] : []));
	if (named.length > 0) notes.add(`Of these tools only the names were recorded: ${named.join(", ")}.`);
	if (choice === undefined && !isWhole) notes.add("Whether the model had to call a tool was not recorded: it may.");
	return {
		type: "tools",
		tools: tools.map(toTool),
		...(choice === undefined ? {} : { tool_choice: choice }),
		...(isSingle === undefined ? {} : { disable_parallel_tool_calls: isSingle }),
	};
}

function callsTools({ role, tool_calls: calls }: Message): boolean {
	return role === "tool" || calls !== undefined;
}

function toTool(tool: SentTool): Tools["tools"][number] {
	if ("raw" in tool) return { type: "raw", raw: toWirePlain(tool.raw) as Json };
	const { name, description, parameters, strict } = tool;
	return {
		type: "function",
		function: {
			name,
			...(description === undefined ? {} : { description }),
			...(parameters === undefined ? {} : { parameters: toWirePlain(parameters) as Json }),
			...(strict === undefined ? {} : { strict }),
		},
	};
}

/** The recorded form of the answer, where its schema was recorded. */
export function replayResponseFormat(
	{ response_format: format }: Pick<SentRequest, "response_format">,
	notes: Notes,
): ResponseFormat | null {
	if (format === undefined) return null;
	const { name = "answer", description, schema, strict } = format;
	if (schema === undefined) {
		notes.add("The answer had to be JSON, but no schema of it was recorded.");
		return null;
	}
	return {
		type: "json_schema",
		json_schema: {
			name,
			...(description === undefined ? {} : { description }),
			schema: toWirePlain(schema) as Json,
			...(strict === undefined ? {} : { strict }),
		},
	};
}
