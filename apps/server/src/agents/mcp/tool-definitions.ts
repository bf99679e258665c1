import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { CALL_SECONDS } from "./call-time.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

const notReadInTime = z
	.array(z.string())
	.optional()
	.describe(`What is missing in this answer, as it could not be read within ${CALL_SECONDS}.`);

/** The tools, each with what clients are told of it; made once, though each request has a server object of its own. */
export const TOOL_DEFINITIONS = TOOLS.map((tool) => ({ tool, definition: definitionOf(tool) }));

function definitionOf(tool: Tool) {
	const isRead = tool.access === "read";
	return {
		title: tool.title,
		description: tool.description,
		inputSchema: withKeptJsonSchema(tool.input),
		outputSchema: withKeptJsonSchema(tool.output.extend({ not_read_in_time: notReadInTime })),
		annotations: {
			title: tool.title,
			readOnlyHint: isRead,
			destructiveHint: !isRead && tool.destructive === true,
			idempotentHint: isRead || tool.idempotent === true,
			openWorldHint: false,
		},
	};
}

type JsonSchemas = StandardSchemaWithJSON["~standard"]["jsonSchema"];
type ToJsonSchema = JsonSchemas["input"];

/**
 * The same schema, whose JSON Schema is made once. The SDK asks for it with each call and, of all tools, with each list:
 * that was 1 ms of the 7 of a call, and 7 ms of a list.
 */
function withKeptJsonSchema<Input, Output>(
	schema: StandardSchemaWithJSON<Input, Output>,
): StandardSchemaWithJSON<Input, Output> {
	const standard = schema["~standard"];
	const { input, output } = standard.jsonSchema;
	return { "~standard": { ...standard, jsonSchema: { input: keep(input), output: keep(output) } } };
}

function keep(make: ToJsonSchema): ToJsonSchema {
	const kept = new Map<string, ReturnType<ToJsonSchema>>();
	return (options) => {
		const made = kept.get(options.target) ?? make(options);
		kept.set(options.target, made);
		return made;
	};
}
