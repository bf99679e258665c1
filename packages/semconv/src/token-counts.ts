import type { SpanKind, TokenCounts } from "./model.ts";

/** Token counts without unknown ones; the total is as sent, else the sum of the known counts. */
export function tokenCounts(
	prompt: number | undefined,
	completion: number | undefined,
	total: number | undefined,
	cacheRead?: number,
	cacheWrite?: number,
	reasoning?: number,
): TokenCounts {
	const tokens: TokenCounts = {};
	if (prompt !== undefined) tokens.prompt = prompt;
	if (completion !== undefined) tokens.completion = completion;
	if (total !== undefined) tokens.total = total;
	else if (prompt !== undefined || completion !== undefined) tokens.total = (prompt ?? 0) + (completion ?? 0);
	if (cacheRead !== undefined) tokens.cache_read = cacheRead;
	if (cacheWrite !== undefined) tokens.cache_write = cacheWrite;
	if (reasoning !== undefined) tokens.reasoning = reasoning;
	return tokens;
}

export function hasTokens(tokens: TokenCounts): boolean {
	return tokens.total !== undefined || tokens.prompt !== undefined || tokens.completion !== undefined;
}

/** Frameworks that set the sum of an agent's model calls on the agent's span as if it were its own usage. */
const SUMMING_AGENTS = /pydantic-ai|strands|smolagents|agent_framework/;
/** LangSmith sums the usage of model calls on every span around them. */
const SUMMING_EVERYWHERE = "langsmith";

export function sumsItsCalls(kind: SpanKind, scopeName: string, tokens: TokenCounts): boolean {
	if (kind === "LLM" || kind === "EMBEDDING" || !hasTokens(tokens)) return false;
	return scopeName === SUMMING_EVERYWHERE || (kind === "AGENT" && SUMMING_AGENTS.test(scopeName));
}
