import { textValue } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { READERS } from "../conventions/convention-of.ts";
import { readFacts } from "../facts.ts";
import { decoded } from "../json.ts";
import type { Plain, SpanInput } from "../model.ts";
import { readContent } from "../semantic.ts";
import { toolSchemas } from "../tool-definitions.ts";
import { readParameters } from "./read-parameters.ts";
import { readResponseFormat } from "./read-response-format.ts";
import { readParallel, readToolChoice, readTools, toolsIn } from "./read-tools.ts";
import { lookUp, requestObjects } from "./request-objects.ts";
import type { SentRequest } from "./sent-request.ts";

/** What the model of a span was asked, by any of the conventions, for asking it again. Never throws. */
export function readRequest(span: SpanInput): SentRequest {
	const { attributes } = span;
	const facts = readFacts(span.name, span.scopeName, attributes);
	const content = readContent(span, facts);
	const details = READERS[facts.convention].readDetails(span, facts, content);
	const request = requestObjects(attributes, content.input, details.invocation_parameters);
	const { objects, isWhole } = request;
	const { template, variables } = details.prompt_template ?? {};
	return compact<SentRequest>({
		model: textValue(lookUp(objects, ["model"])) ?? facts.request_model ?? facts.model,
		provider: facts.provider,
		messages: content.input_messages,
		input: content.input_messages === undefined ? inputOf(content.input?.value) : undefined,
		tools: readTools(details.tool_schemas) ?? readTools(toolSchemas(toolsIn(objects))),
		tool_choice: readToolChoice(objects, attributes.get("ai.prompt.toolChoice")),
		disable_parallel_tool_calls: readParallel(objects),
		response_format: readResponseFormat(attributes, objects),
		parameters: readParameters(request),
		isWhole,
		template: details.prompt_template === undefined ? undefined : compact({ text: template, variables }),
	});
}

/** A text that is no JSON, which would be a request of an unknown form. */
function inputOf(value: Plain | undefined): string | undefined {
	return typeof value === "string" && value !== "" && typeof decoded(value) === "string" ? value : undefined;
}
