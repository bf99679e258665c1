// OpenTelemetry GenAI: https://opentelemetry.io/docs/specs/semconv/gen-ai/ (names since 1.27), with the additional
// names of OpenLLMetry, OpenLIT, Logfire, LangSmith, Sentry and agent frameworks.
import { firstAmount, firstCount, firstSent, firstText } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import { decoded } from "../json.ts";
import type { Attributes, Convention, SpanFacts, TokenCounts } from "../model.ts";
import { sumsItsCalls, tokenCounts } from "../token-counts.ts";
import { readUsage } from "../usage-object.ts";
import type { ConventionReader } from "./convention.ts";
import { readGenAiContent } from "./genai-content.ts";
import { readGenAiDetails } from "./genai-details.ts";
import { GENAI_KIND_KEYS, readKind } from "./genai-kind.ts";

const MODEL = [
	"gen_ai.response.model",
	"llm.response.model",
	"gen_ai.request.model",
	"llm.request.model",
	"model_name",
] as const;
const REQUEST_MODEL = ["gen_ai.request.model", "llm.request.model", "model_name"] as const;
const PROVIDER = ["gen_ai.provider.name", "gen_ai.system", "llm.vendor", "llm.provider"] as const;
const PROMPT = ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"] as const;
const COMPLETION = [
	"gen_ai.usage.output_tokens",
	"gen_ai.usage.completion_tokens",
	"llm.usage.completion_tokens",
] as const;
const TOTAL = ["gen_ai.usage.total_tokens", "llm.usage.total_tokens", "gen_ai.usage.total"] as const;
const CACHE_READ = [
	"gen_ai.usage.cache_read.input_tokens",
	"gen_ai.usage.cache_read_input_tokens",
	"gen_ai.usage.details.cache_read_tokens",
	"gen_ai.usage.details.cache_read_input_tokens",
	"gen_ai.usage.details.cached_tokens",
	"gen_ai.usage.input_tokens.cached",
	"gen_ai.usage.cached_tokens",
	"gen_ai.usage.prompt_tokens_details.cached_tokens",
	"gen_ai.usage.prompt_tokens_details.cache_read",
	"gen_ai.usage.input_token_details.cache_read",
	"gen_ai.usage.input_tokens_details.cached_tokens",
] as const;
const CACHE_WRITE = [
	"gen_ai.usage.cache_creation.input_tokens",
	"gen_ai.usage.cache_creation_input_tokens",
	"gen_ai.usage.cache_write.input_tokens",
	"gen_ai.usage.cache_write_input_tokens",
	"gen_ai.usage.details.cache_write_tokens",
	"gen_ai.usage.details.cache_creation_input_tokens",
	"gen_ai.usage.input_tokens.cache_write",
	"gen_ai.usage.prompt_tokens_details.cache_write",
	"gen_ai.usage.input_token_details.cache_creation",
] as const;
const REASONING = [
	"gen_ai.usage.reasoning.output_tokens",
	"gen_ai.usage.reasoning_tokens",
	"gen_ai.usage.details.reasoning_tokens",
	"gen_ai.usage.output_tokens.reasoning",
	"gen_ai.usage.experimental.reasoning_tokens",
	"gen_ai.usage.completion_tokens_details.reasoning_tokens",
	"gen_ai.usage.completion_tokens_details.reasoning",
	"gen_ai.usage.output_token_details.reasoning",
	"gen_ai.usage.output_tokens_details.reasoning_tokens",
] as const;
/** Usage objects of providers, for details that are missing in the attributes. */
const USAGE_OBJECTS = ["gen_ai.usage.raw", "langsmith.metadata.usage_metadata"] as const;
const COST = [
	"gen_ai.usage.cost",
	"gen_ai.usage.total_cost",
	"gen_ai.cost.total_cost",
	"gen_ai.cost.total_tokens",
	"operation.cost",
	"llm.usage.total_cost",
	"llm.response.cost",
] as const;
const COST_PROMPT = ["gen_ai.usage.input_cost", "gen_ai.cost.input_cost", "gen_ai.cost.input_tokens"] as const;
const COST_COMPLETION = ["gen_ai.usage.output_cost", "gen_ai.cost.output_cost", "gen_ai.cost.output_tokens"] as const;

export const genai: ConventionReader = {
	factKeys: [
		...MODEL,
		...REQUEST_MODEL,
		...PROVIDER,
		...PROMPT,
		...COMPLETION,
		...TOTAL,
		...CACHE_READ,
		...CACHE_WRITE,
		...REASONING,
		...USAGE_OBJECTS,
		...COST,
		...COST_PROMPT,
		...COST_COMPLETION,
		...GENAI_KIND_KEYS,
		...IDENTITY_KEYS,
	],
	readFacts,
	readContent: readGenAiContent,
	readDetails: readGenAiDetails,
};

function readFacts(name: string, scope: string, attributes: Attributes, convention: Convention): SpanFacts {
	const { kind, from } = readKind(name, attributes);
	const usage = firstSent(attributes, USAGE_OBJECTS);
	const details = usage === undefined ? NO_DETAILS : readUsage(decoded(usage.value));
	const tokens = tokenCounts(
		firstCount(attributes, PROMPT),
		firstCount(attributes, COMPLETION),
		firstCount(attributes, TOTAL),
		firstCount(attributes, CACHE_READ) ?? details.cache_read,
		firstCount(attributes, CACHE_WRITE) ?? details.cache_write,
		firstCount(attributes, REASONING) ?? details.reasoning,
	);
	const facts: SpanFacts = {
		convention,
		kind,
		tokens,
		tokens_are_aggregate: sumsItsCalls(kind, scope, tokens),
	};
	if (from !== undefined) facts.kind_from = from;
	const model = firstText(attributes, MODEL);
	if (model !== undefined) facts.model = model;
	const requested = firstText(attributes, REQUEST_MODEL);
	if (requested !== undefined) facts.request_model = requested;
	const provider = firstText(attributes, PROVIDER);
	if (provider !== undefined) facts.provider = provider;
	const total = firstAmount(attributes, COST);
	const prompt = firstAmount(attributes, COST_PROMPT);
	const completion = firstAmount(attributes, COST_COMPLETION);
	if (total !== undefined || prompt !== undefined || completion !== undefined) {
		facts.cost_sent = compact({ total, prompt, completion });
	}
	return readIdentity(attributes, facts);
}

const NO_DETAILS: TokenCounts = {};
