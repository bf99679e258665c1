// Langfuse OpenTelemetry attributes: https://langfuse.com/integrations/native/opentelemetry#property-mapping
import { amountValue, attributesBelow, firstText, textList, textValue, toObject } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { readDocuments } from "../documents.ts";
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import { decoded, decodedContent, field, isObject, type PlainObject } from "../json.ts";
import { readMessages } from "../messages.ts";
import type { Attributes, Message, Plain, Semantic, SpanFacts, SpanInput, SpanKind } from "../model.ts";
import { toolSchemas } from "../tool-definitions.ts";
import { firstMember, readUsage } from "../usage-object.ts";
import type { Content, ConventionReader } from "./convention.ts";

const TYPE = "langfuse.observation.type";
const MODEL = [
	"langfuse.observation.model.name",
	"langfuse.observation.model",
	"gen_ai.response.model",
	"gen_ai.request.model",
	"llm.model_name",
] as const;
const PROVIDER = ["gen_ai.provider.name", "gen_ai.system"] as const;
const USAGE = "langfuse.observation.usage_details";
const COST = "langfuse.observation.cost_details";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
	["span", "CHAIN"],
	["generation", "LLM"],
	["agent", "AGENT"],
	["tool", "TOOL"],
	["chain", "CHAIN"],
	["retriever", "RETRIEVER"],
	["embedding", "EMBEDDING"],
	["evaluator", "EVALUATOR"],
	["guardrail", "GUARDRAIL"],
]);

export const langfuse: ConventionReader = {
	factKeys: [TYPE, ...MODEL, ...PROVIDER, USAGE, COST, ...IDENTITY_KEYS],
	readFacts,
	readContent: ({ attributes }, facts) => readContent(attributes, facts),
	readDetails,
};

function readFacts(_name: string, _scope: string, attributes: Attributes): SpanFacts {
	const type = textValue(attributes.get(TYPE)) ?? "span";
	const facts: SpanFacts = {
		convention: "langfuse",
		kind: KINDS.get(type.toLowerCase()) ?? "UNKNOWN",
		kind_from: `${TYPE}=${type}`,
		tokens: readUsage(decoded(attributes.get(USAGE))),
		tokens_are_aggregate: false,
	};
	const model = firstText(attributes, MODEL);
	if (model !== undefined) facts.model = model;
	const provider = firstText(attributes, PROVIDER);
	if (provider !== undefined) facts.provider = provider;
	const cost = decoded(attributes.get(COST));
	if (isObject(cost)) facts.cost_sent = readCost(cost);
	return readIdentity(attributes, facts);
}

function readCost(cost: PlainObject): NonNullable<SpanFacts["cost_sent"]> {
	return compact<NonNullable<SpanFacts["cost_sent"]>>({
		total: firstMember(cost, ["total", "total_cost"], amountValue),
		prompt: firstMember(cost, ["input", "input_cost", "prompt"], amountValue),
		completion: firstMember(cost, ["output", "output_cost", "completion"], amountValue),
	});
}

function readContent(attributes: Attributes, facts: SpanFacts): Content {
	const input = attributes.get("langfuse.observation.input") ?? attributes.get("langfuse.trace.input");
	const output = attributes.get("langfuse.observation.output") ?? attributes.get("langfuse.trace.output");
	return compact<Content>({
		input: input === undefined ? undefined : { attribute: inputKey(attributes, "input"), value: input },
		output: output === undefined ? undefined : { attribute: inputKey(attributes, "output"), value: output },
		input_messages: facts.kind === "LLM" ? messagesOrText(input, "input") : undefined,
		output_messages: facts.kind === "LLM" ? messagesOrText(output, "output") : undefined,
	});
}

function inputKey(attributes: Attributes, side: "input" | "output"): string {
	const own = `langfuse.observation.${side}`;
	return attributes.has(own) ? own : `langfuse.trace.${side}`;
}

function messagesOrText(value: Plain | undefined, side: "input" | "output"): Message[] | undefined {
	const messages = readMessages(value, side);
	if (messages !== undefined) return messages;
	const text = decoded(value);
	if (typeof text !== "string" || text === "") return undefined;
	return [{ role: side === "input" ? "user" : "assistant", text }];
}

function readDetails(span: SpanInput, facts: SpanFacts, content: Content): Partial<Semantic> {
	const { attributes } = span;
	const input = facts.kind === "LLM" ? decoded(content.input?.value) : undefined;
	return compact<Partial<Semantic>>({
		tool: facts.kind === "TOOL" ? { name: firstText(attributes, ["gen_ai.tool.name"]) ?? span.name } : undefined,
		tool_schemas: isObject(input) ? toolSchemas(field(input, "tools")) : undefined,
		documents: facts.kind === "RETRIEVER" ? readDocuments(content.output?.value) : undefined,
		agent_name: firstText(attributes, ["gen_ai.agent.name"]),
		prompt_template: readPrompt(attributes),
		invocation_parameters: decodedContent(attributes.get("langfuse.observation.model.parameters")),
		metadata: readMetadata(attributes),
		tags: textList(attributes.get("langfuse.trace.tags")),
		level: firstText(attributes, ["langfuse.observation.level"]),
		status_message: firstText(attributes, ["langfuse.observation.status_message"]),
		trace_name: firstText(attributes, ["langfuse.trace.name"]),
		environment: firstText(attributes, ["langfuse.environment", "langfuse.trace.environment"]),
		version: firstText(attributes, ["langfuse.version"]),
		release: firstText(attributes, ["langfuse.release"]),
	});
}

function readPrompt(attributes: Attributes): Semantic["prompt_template"] | undefined {
	const template = firstText(attributes, ["langfuse.observation.prompt.name"]);
	const version = firstText(attributes, ["langfuse.observation.prompt.version"]);
	return template === undefined && version === undefined
		? undefined
		: compact<NonNullable<Semantic["prompt_template"]>>({ template, version });
}

/** The trace's metadata, overridden by the observation's; each value is JSON, or one attribute has all of it. */
function readMetadata(attributes: Attributes): Plain | undefined {
	const members = new Map<string, Plain>();
	for (const prefix of ["langfuse.trace.metadata", "langfuse.observation.metadata"]) {
		const whole = decoded(attributes.get(prefix));
		if (isObject(whole)) for (const [key, value] of Object.entries(whole)) members.set(key, value);
		for (const [key, value] of attributesBelow(attributes, prefix) ?? []) members.set(key, decoded(value) ?? value);
	}
	return members.size > 0 ? toObject(members) : undefined;
}
