// Traceloop OpenLLMetry: https://www.traceloop.com/docs/openllmetry/contributing/semantic-conventions
// Its model calls carry `gen_ai.*` keys and are read as GenAI; this file reads workflows, tasks, agents and tools.
import { firstText, textValue } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { readDocuments } from "../documents.ts";
import type { Attributes, Semantic, SpanFacts, SpanKind } from "../model.ts";
import type { Content, ConventionReader } from "./convention.ts";
import { genai } from "./genai.ts";
import { kindByOperation } from "./genai-kind.ts";
import { associationProperties, readPromptTemplate } from "./traceloop-properties.ts";

const KIND = "traceloop.span.kind";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
	["workflow", "CHAIN"],
	["task", "CHAIN"],
	["agent", "AGENT"],
	["tool", "TOOL"],
	["session", "CHAIN"],
	["llm", "LLM"],
]);

/** Kinds that the operation of a LangChain or LlamaIndex task may specify. */
const STEPS: ReadonlySet<SpanKind> = new Set(["LLM", "EMBEDDING", "RETRIEVER", "RERANKER", "TOOL"]);

export const traceloop: ConventionReader = {
	factKeys: [KIND, ...genai.factKeys],
	readFacts(name, scope, attributes, convention): SpanFacts {
		const facts = genai.readFacts(name, scope, attributes, convention);
		const kind = textValue(attributes.get(KIND));
		if (kind === undefined) return facts;
		facts.kind = KINDS.get(kind.toLowerCase()) ?? "UNKNOWN";
		facts.kind_from = `${KIND}=${kind}`;
		const told = facts.kind === "CHAIN" ? kindByOperation(attributes) : undefined;
		if (told === undefined || !STEPS.has(told.kind)) return facts;
		facts.kind = told.kind;
		if (told.from !== undefined) facts.kind_from = told.from;
		return facts;
	},
	readContent(span, facts): Content {
		const { attributes } = span;
		const input = attributes.get("traceloop.entity.input");
		const output = attributes.get("traceloop.entity.output");
		const content = facts.kind === "LLM" || facts.kind === "EMBEDDING" ? genai.readContent(span, facts) : {};
		if (input !== undefined) content.input = { attribute: "traceloop.entity.input", value: input };
		if (output !== undefined) content.output = { attribute: "traceloop.entity.output", value: output };
		return input === undefined && output === undefined ? genai.readContent(span, facts) : content;
	},
	readDetails(span, facts, content): Partial<Semantic> {
		const { attributes } = span;
		return {
			...genai.readDetails(span, facts, content),
			...compact<Partial<Semantic>>({
				tool:
					facts.kind === "TOOL"
						? compact({
								name: firstText(attributes, ["gen_ai.tool.name", "traceloop.entity.name"]) ?? span.name,
								description: firstText(attributes, ["gen_ai.tool.description"]),
								call_id: firstText(attributes, ["gen_ai.tool.call.id"]),
							})
						: undefined,
				agent_name: agentName(attributes, facts),
				documents: facts.kind === "RETRIEVER" ? readDocuments(content.output?.value) : undefined,
				metadata: associationProperties(attributes),
				prompt_template: readPromptTemplate(attributes),
			}),
		};
	},
};

function agentName(attributes: Attributes, facts: SpanFacts): string | undefined {
	return facts.kind === "AGENT" ? firstText(attributes, ["gen_ai.agent.name", "traceloop.entity.name"]) : undefined;
}
