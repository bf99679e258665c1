import { expect, test } from "vitest";
import { readFailure } from "./failure.ts";
import { type ProviderError, readProviderError } from "./provider-error.ts";
import { failed, type SpanDraft } from "./testing/trace.ts";

function read(provider: string | undefined, type: string, message: string, more: SpanDraft = {}): ProviderError {
	const attributes = { ...(provider === undefined ? {} : { "llm.provider": provider }), ...more.attributes };
	const failure = readFailure(failed({ kind: "LLM", ...more, attributes, exception: { type, message } }));
	if (failure === undefined) throw new Error("the span did not fail");
	return readProviderError(failure);
}

const QUOTA = "You exceeded your current quota, please check your plan and billing details.";

/** As the SDKs of 2026 word them. */
test.each<[string, string, string, string, string | undefined, string | undefined]>([
	[
		"openai for Python",
		"openai",
		"openai.RateLimitError",
		`Error code: 429 - {'error': {'message': '${QUOTA}', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}}`,
		"429",
		"insufficient_quota",
	],
	[
		"a limit of openai's",
		"openai",
		"openai.RateLimitError",
		"Error code: 429 - {'error': {'message': 'Rate limit reached', 'type': 'tokens', 'param': None, 'code': 'rate_limit_exceeded'}}",
		"429",
		"rate_limit_exceeded",
	],
	["openai for JavaScript", "openai", "Error", `429 ${QUOTA}`, "429", undefined],
	["openai without a body", "openai", "BadRequestError", "400 status code (no body)", "400", undefined],
	["a timeout of openai's", "openai", "openai.APITimeoutError", "Request timed out.", "timeout", undefined],
	["openai out of reach", "openai", "openai.APIConnectionError", "Connection error.", "connection", undefined],
	[
		"anthropic for Python",
		"anthropic",
		"anthropic.RateLimitError",
		"Error code: 429 - {'type': 'error', 'error': {'type': 'rate_limit_error', 'message': 'Slow down'}, 'request_id': 'req_011C'}",
		"429",
		"rate_limit_error",
	],
	[
		"anthropic for JavaScript",
		"anthropic",
		"Error",
		'529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011C"}',
		"529",
		"overloaded_error",
	],
	[
		"google-genai for Python",
		"google",
		"google.genai.errors.ClientError",
		"429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'You exceeded your quota', 'status': 'RESOURCE_EXHAUSTED'}}",
		"429",
		"RESOURCE_EXHAUSTED",
	],
	[
		"google-genai for JavaScript",
		"google",
		"ApiError",
		'{"error":{"message":"{\\n  \\"error\\": {\\n    \\"code\\": 503,\\n    \\"status\\": \\"UNAVAILABLE\\"\\n  }\\n}\\n","code":503,"status":"Service Unavailable"}}',
		"503",
		"UNAVAILABLE",
	],
	["gRPC", "google", "Error", "8 RESOURCE_EXHAUSTED: Quota exceeded for aiplatform", undefined, "RESOURCE_EXHAUSTED"],
	[
		"Bedrock for Python",
		"aws.bedrock",
		"botocore.errorfactory.ThrottlingException",
		"An error occurred (ThrottlingException) when calling the Converse operation (reached max retries: 4): Too many tokens, please wait before trying again.",
		undefined,
		"ThrottlingException",
	],
	[
		"Bedrock for JavaScript",
		"aws.bedrock",
		"ValidationException",
		"The provided model identifier is invalid.",
		undefined,
		"ValidationException",
	],
	[
		"litellm with the provider's JSON",
		"anthropic",
		"litellm.exceptions.BadRequestError",
		'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"x"}}',
		"400",
		"invalid_request_error",
	],
	[
		"a timeout of litellm's",
		"openai",
		"litellm.exceptions.Timeout",
		"litellm.Timeout: APITimeoutError - Request took too long.",
		"timeout",
		undefined,
	],
	[
		"Azure's filter",
		"azure",
		"openai.BadRequestError",
		`Error code: 400 - {'error': {'message': "The response was filtered by Azure OpenAI's policy", 'type': None, 'param': 'prompt', 'code': 'content_filter', 'status': 400}}`,
		"400",
		"content_filter",
	],
	[
		"mistral",
		"mistral_ai",
		"mistralai.models.sdkerror.SDKError",
		'API error occurred: Status 429. Body: {"object":"error","message":"Requests rate limit exceeded","type":"rate_limited","param":null,"code":"1300"}',
		"429",
		"rate_limited",
	],
	[
		"cohere",
		"cohere",
		"ApiError",
		"headers: {}, status_code: 401, body: {'message': 'invalid api token'}",
		"401",
		undefined,
	],
	[
		"httpx",
		"ollama",
		"HTTPStatusError",
		"Client error '404 Not Found' for url 'http://localhost:11434/api/chat'",
		"404",
		undefined,
	],
	["axios", "x", "AxiosError", "Request failed with status code 502", "502", undefined],
	["Node", "x", "Error", "connect ECONNREFUSED 127.0.0.1:11434", "connection", "ECONNREFUSED"],
	["undici", "x", "TypeError", "fetch failed", "connection", undefined],
	[
		"a message with numbers of its own",
		"x",
		"Error",
		"ERROR: 500 tokens requested, 4096 allowed",
		undefined,
		undefined,
	],
])("reads %s", (_name, provider, type, message, status, code) => {
	const expected = { provider, ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }) };
	expect(read(provider, type, message)).toEqual(expected);
});

test("attributes say more than the message", () => {
	const attributes = { "http.response.status_code": 503, "error.code": "overloaded" };
	expect(read("openai", "Error", "Error code: 500 - {'code': 'other'}", { attributes })).toEqual({
		provider: "openai",
		status: "503",
		code: "overloaded",
	});
});

test("the provider is the same whichever API was called", () => {
	expect(
		read(undefined, "AI_APICallError", "x", { attributes: { "ai.model.provider": "openai.responses" } }).provider,
	).toBe("openai");
	expect(read(undefined, "openai.RateLimitError", "x").provider).toBe("openai");
	expect(read(undefined, "ValueError", "x").provider).toBe("");
});
