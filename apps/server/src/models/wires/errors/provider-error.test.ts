import { describe, expect, it } from "vitest";
import type { OpenConnection } from "#models/connection.ts";
import { hiderOf } from "./hide-credentials.ts";
import { errorOfResponse } from "./provider-error.ts";
import { retryAfter } from "./retry-after.ts";

const plain = (text: string) => text;

function errorOf(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	return errorOfResponse(new Response(text, { status, headers }), text, plain);
}

/** As the providers say it. */
const CASES: readonly (readonly [string, number, unknown, object])[] = [
	[
		"OpenAI: wrong key",
		401,
		{
			error: {
				message: "Incorrect API key provided: sk-ab***yz.",
				type: "invalid_request_error",
				param: null,
				code: "invalid_api_key",
			},
		},
		{ code: "authentication", isPassing: false },
	],
	[
		"OpenAI: no credit",
		429,
		{
			error: {
				message: "You exceeded your current quota, please check your plan and billing details.",
				type: "insufficient_quota",
				param: null,
				code: "insufficient_quota",
			},
		},
		{ code: "quota", isPassing: false },
	],
	[
		"OpenAI: rate",
		429,
		{
			error: {
				message: "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM)",
				type: "tokens",
				param: null,
				code: "rate_limit_exceeded",
			},
		},
		{ code: "rate_limited", isPassing: true },
	],
	[
		"OpenAI: rate, with advice about billing",
		429,
		{
			error: {
				message:
					"Rate limit reached for gpt-5. Please try again in 20s. You can increase your rate limit by adding a payment method to your account at https://platform.openai.com/account/billing.",
				type: "requests",
				param: null,
				code: "rate_limit_exceeded",
			},
		},
		{ code: "rate_limited", isPassing: true },
	],
	[
		"Gemini: quota of a minute",
		429,
		{
			error: {
				code: 429,
				message: "You exceeded your current quota, please check your plan and billing details.",
				status: "RESOURCE_EXHAUSTED",
				details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }],
			},
		},
		{ code: "rate_limited", isPassing: true, retryAfterMs: 7_000 },
	],
	[
		"OpenAI: no such model",
		404,
		{
			error: {
				message: "The model `gpt-99` does not exist or you do not have access to it.",
				type: "invalid_request_error",
				param: null,
				code: "model_not_found",
			},
		},
		{ code: "model_not_found", isPassing: false },
	],
	[
		"OpenAI: model of others",
		403,
		{
			error: {
				message: "Project `proj_x` does not have access to model `gpt-5`",
				type: "invalid_request_error",
				param: null,
				code: "model_not_found",
			},
		},
		{ code: "model_not_found" },
	],
	[
		"OpenAI: max_tokens",
		400,
		{
			error: {
				message:
					"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
				type: "invalid_request_error",
				param: "max_tokens",
				code: "unsupported_parameter",
			},
		},
		{ code: "unsupported_parameter", parameter: "max_tokens" },
	],
	[
		"OpenAI: temperature",
		400,
		{
			error: {
				message:
					"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
				type: "invalid_request_error",
				param: "temperature",
				code: "unsupported_value",
			},
		},
		{ code: "unsupported_parameter", parameter: "temperature" },
	],
	[
		"OpenAI: reasoning effort of Responses",
		400,
		{
			error: {
				message: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
				type: "invalid_request_error",
				param: "reasoning.effort",
				code: "unsupported_parameter",
			},
		},
		{ code: "unsupported_parameter", parameter: "reasoning_effort" },
	],
	[
		"OpenAI: a value out of range",
		400,
		{
			error: {
				message: "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
				type: "invalid_request_error",
				param: "temperature",
				code: "decimal_above_max_value",
			},
		},
		{ code: "bad_request", parameter: "temperature" },
	],
	[
		"OpenAI: too long",
		400,
		{
			error: {
				message:
					"This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens.",
				type: "invalid_request_error",
				param: "messages",
				code: "context_length_exceeded",
			},
		},
		{ code: "context_too_long" },
	],
	[
		"Azure: filter",
		400,
		{
			error: {
				message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
				type: null,
				param: "prompt",
				code: "content_filter",
				status: 400,
			},
		},
		{ code: "content_filtered" },
	],
	[
		"Azure: deployment",
		404,
		{ error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." } },
		{ code: "model_not_found" },
	],
	[
		"Anthropic: credit",
		400,
		{
			type: "error",
			error: {
				type: "invalid_request_error",
				message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
			},
		},
		{ code: "quota" },
	],
	[
		"Anthropic: overloaded",
		529,
		{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
		{ code: "rate_limited", isPassing: true },
	],
	[
		"Anthropic: too long",
		400,
		{
			type: "error",
			error: { type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" },
		},
		{ code: "context_too_long" },
	],
	[
		"Anthropic: temperature",
		400,
		{ type: "error", error: { type: "invalid_request_error", message: "`temperature` is deprecated for this model." } },
		{ code: "unsupported_parameter", parameter: "temperature" },
	],
	[
		"Anthropic: both",
		400,
		{
			type: "error",
			error: {
				type: "invalid_request_error",
				message: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
			},
		},
		{ code: "unsupported_parameter", parameter: "temperature" },
	],
	[
		"Anthropic: model",
		404,
		{ type: "error", error: { type: "not_found_error", message: "model: claude-0" } },
		{ code: "model_not_found" },
	],
	[
		"Gemini: wrong key",
		400,
		{
			error: {
				code: 400,
				message: "API key not valid. Please pass a valid API key.",
				status: "INVALID_ARGUMENT",
				details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
			},
		},
		{ code: "authentication" },
	],
	[
		"Gemini: rate",
		429,
		{
			error: {
				code: 429,
				message: "Resource has been exhausted (e.g. check quota).",
				status: "RESOURCE_EXHAUSTED",
				details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }],
			},
		},
		{ code: "rate_limited", isPassing: true, retryAfterMs: 34_500 },
	],
	[
		"Gemini: overloaded",
		503,
		{ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
		{ code: "rate_limited", isPassing: true },
	],
	["Bedrock: model", 400, { message: "The provided model identifier is invalid." }, { code: "model_not_found" }],
	[
		"Bedrock: rights",
		403,
		{ message: "User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModel" },
		{ code: "authentication" },
	],
	[
		"Mistral: a field",
		422,
		{ detail: [{ type: "extra_forbidden", loc: ["body", "top_k"], msg: "Extra inputs are not permitted" }] },
		{ code: "unsupported_parameter", parameter: "top_k" },
	],
	[
		"OpenRouter: credit",
		402,
		{ error: { message: "Insufficient credits", code: 402 } },
		{ code: "quota", isPassing: false },
	],
	["a timeout of a gateway", 504, "<html><body>Gateway Timeout</body></html>", { code: "timeout", isPassing: true }],
	[
		"an error of the server",
		500,
		{ error: { message: "The server had an error" } },
		{ code: "bad_response", isPassing: true },
	],
	["another address", 404, "404 page not found", { code: "bad_response", isPassing: false }],
	["a redirect", 302, "", { code: "bad_response", isPassing: false }],
	["a conflict", 409, { error: { message: "Busy" } }, { code: "bad_response", isPassing: true }],
	[
		"a request of too many bytes",
		413,
		{ error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
		{ code: "context_too_long", isPassing: false },
	],
	["anything else", 400, { error: { message: "Bad JSON" } }, { code: "bad_request", isPassing: false }],
];

describe("errors of providers", () => {
	it.each(CASES)("%s", (_name, status, body, expected) => {
		expect(errorOf(status, body, { location: "https://elsewhere.example" })).toMatchObject({ ...expected, status });
	});

	it("quotes at most 500 characters, and text of pages only", () => {
		expect(errorOf(500, { error: { message: "x".repeat(10_000) } }).message.length).toBeLessThan(600);
		const page = "<!DOCTYPE html><html><style>b{}</style><body><h1>Bad gateway</h1></body></html>";
		expect(errorOf(502, page).message).toMatch(/says \(502\): Bad gateway$/);
	});
});

describe("what to wait", () => {
	const now = Date.parse("2026-11-27T12:00:00Z");

	it.each([
		[{ "retry-after": "3" }, 3_000],
		[{ "retry-after": "3", "retry-after-ms": "1500" }, 1_500],
		[{ "retry-after": "Fri, 27 Nov 2026 12:00:20 GMT" }, 20_000],
		[{ "retry-after": "86400" }, 3_600_000],
		[{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }, 360_000],
		[{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms" }, 20],
		[{ "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "6m0s" }, undefined],
		[
			{ "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-11-27T12:00:07Z" },
			7_000,
		],
		[{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 9_000) }, 9_000],
		[{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1_000 + 9) }, 9_000],
		[{}, undefined],
	])("%j", (headers, expected) => {
		expect(retryAfter(new Headers(headers as Record<string, string>), undefined, now)).toBe(expected);
	});
});

describe("E20 credentials in what providers say", () => {
	const connection: OpenConnection = {
		...{ kind: "openai", baseUrl: "https://api.example/v1", api: "responses", settings: {}, timeoutMs: 1_000 },
		credentials: {
			api_key: 'sk-Aa0/+="quoted" key',
			service_account: JSON.stringify({
				private_key: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n",
			}),
		},
		headers: { authorization: "Bearer gateway-secret-value", "x-gateway": "another-secret-value" },
	};
	const hide = hiderOf(connection, ["ya29.token-of-google"]);
	const key = connection.credentials.api_key ?? "";

	it.each([
		["as it is", key],
		["in an address", encodeURIComponent(key)],
		["in an address with small digits", encodeURIComponent(key).replace(/%../g, (digits) => digits.toLowerCase())],
		["in JSON", JSON.stringify(key)],
		["in base64", Buffer.from(key).toString("base64")],
		["in base64 for addresses", Buffer.from(key).toString("base64url")],
		["with a user in base64", Buffer.from(`someone:${key}`).toString("base64")],
		["cut off", key.slice(0, 16)],
	])("%s", (_name, said) => {
		const text = hide(`Wrong key ${said} here`);
		expect(text).toContain("[hidden]");
		expect(text).not.toContain(key.slice(4));
		expect(text).not.toContain(Buffer.from(key.slice(3, 15)).toString("base64"));
		expect(text).toMatch(/^Wrong key .* here$/);
	});

	it("hides tokens, private keys and the values of headers", () => {
		const said = "gateway-secret-value another-secret-value ya29.token-of-google MIIEvQIBADANBg";
		expect(hide(said)).toBe("[hidden] [hidden] [hidden] [hidden]");
		expect(hide(JSON.stringify("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n"))).not.toContain("MIIE");
	});
});
