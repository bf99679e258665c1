import { countValue } from "./attribute-values.ts";
import { field, isObject, type PlainObject } from "./json.ts";
import type { Plain, TokenCounts } from "./model.ts";
import { tokenCounts } from "./token-counts.ts";

/**
 * Usage as the application sent it: OpenAI's names, whose prompt includes cached tokens, or Langfuse's and Anthropic's,
 * whose parts of the input are separate and have to be added.
 */
export function readUsage(usage: Plain | undefined): TokenCounts {
	if (!isObject(usage)) return {};
	const count = (...keys: string[]): number | undefined => firstMember(usage, keys, countValue);
	const promptDetails = details(usage, ["prompt_tokens_details", "input_tokens_details", "input_token_details"]);
	const completionDetails = details(usage, [
		"completion_tokens_details",
		"output_tokens_details",
		"output_token_details",
	]);
	const cacheRead =
		firstMember(promptDetails, ["cached_tokens", "cache_read"], countValue) ??
		count("cache_read_input_tokens", "input_cached_tokens", "input_cache_read", "cached_tokens", "cache_read_tokens");
	const cacheWrite =
		firstMember(promptDetails, ["cache_creation", "cache_write_tokens"], countValue) ??
		count("cache_creation_input_tokens", "input_cache_creation", "input_cache_write", "cache_write_tokens");
	const reasoning =
		firstMember(completionDetails, ["reasoning_tokens", "reasoning"], countValue) ??
		count("output_reasoning_tokens", "output_reasoning", "reasoning_tokens");
	const total = count("total", "total_tokens", "totalTokens");
	const inclusive = count("prompt_tokens", "promptTokens");
	const input = inclusive ?? count("input", "input_tokens", "inputTokens");
	const output = count("completion_tokens", "completionTokens") ?? count("output", "output_tokens", "outputTokens");
	const beside = (cacheRead ?? 0) + (cacheWrite ?? 0);
	const isWhole =
		inclusive !== undefined || Object.keys(promptDetails).length > 0 || total === (input ?? 0) + (output ?? 0);
	const prompt = input === undefined || isWhole ? input : input + beside;
	// Langfuse also subtracts reasoning from the output, as the total shows.
	const isApart = total !== undefined && total === (prompt ?? 0) + (output ?? 0) + (reasoning ?? 0);
	const completion = output === undefined || !isApart ? output : output + (reasoning ?? 0);
	return tokenCounts(prompt, completion, total, cacheRead, cacheWrite, reasoning);
}

function details(usage: PlainObject, keys: readonly string[]): PlainObject {
	const sent = keys.map((key) => field(usage, key)).find(isObject);
	return sent ?? {};
}

/** The first of the members that can be read. */
export function firstMember<T>(
	object: PlainObject,
	keys: readonly string[],
	read: (value: Plain) => T | undefined,
): T | undefined {
	for (const key of keys) {
		const value = field(object, key);
		const result = value === undefined ? undefined : read(value);
		if (result !== undefined) return result;
	}
	return undefined;
}
