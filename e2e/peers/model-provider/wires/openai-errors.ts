import type { IncomingHttpHeaders } from "node:http";
import { type ErrorAnswer, type ErrorKind, type IncomingCall, ProviderError } from "../call.ts";
import type { JsonObject } from "../json.ts";

/** Type and code of an error object. */
const CODES: Readonly<Record<ErrorKind, readonly [type: string, code: string | null]>> = {
	authentication: ["invalid_request_error", "invalid_api_key"],
	permission: ["permission_error", "permission_denied"],
	not_found: ["invalid_request_error", "model_not_found"],
	quota: ["insufficient_quota", "insufficient_quota"],
	rate_limit: ["requests", "rate_limit_exceeded"],
	overloaded: ["server_error", "server_overloaded"],
	server: ["server_error", null],
	context: ["invalid_request_error", "context_length_exceeded"],
	unsupported: ["invalid_request_error", "unsupported_parameter"],
	filter: ["invalid_request_error", "content_filter"],
	invalid: ["invalid_request_error", null],
};

export function refuse(kind: ErrorKind, model: string, parameter = ""): ProviderError {
	switch (kind) {
		case "authentication":
			return new ProviderError(kind, 401, "Incorrect API key provided. You can find your API key in your settings.");
		case "permission":
			return new ProviderError(kind, 403, "You have insufficient permissions for this operation.");
		case "not_found":
			return new ProviderError(kind, 404, `The model \`${model}\` does not exist or you do not have access to it.`);
		case "quota":
			return new ProviderError(
				kind,
				429,
				"You exceeded your current quota, please check your plan and billing details.",
			);
		case "rate_limit":
			return new ProviderError(kind, 429, `Rate limit reached for ${model} on requests per min (RPM).`);
		case "overloaded":
			return new ProviderError(kind, 503, "The engine is currently overloaded, please try again later.");
		case "context": {
			const message = `This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.`;
			return new ProviderError(kind, 400, message, "messages");
		}
		case "unsupported":
			return new ProviderError(kind, 400, describeUnsupported(parameter), parameter);
		case "filter": {
			const message = "The response was filtered due to the prompt triggering the content management policy.";
			return new ProviderError(kind, 400, message, "prompt");
		}
		case "invalid":
			return new ProviderError(kind, 400, "We could not parse the JSON body of your request.");
		case "server":
			return new ProviderError(kind, 500, "The server had an error while processing your request. Sorry about that!");
	}
}

function describeUnsupported(parameter: string): string {
	if (parameter === "max_tokens")
		return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
	if (parameter === "temperature" || parameter === "top_p")
		return `Unsupported value: '${parameter}' does not support this value with this model. Only the default (1) value is supported.`;
	if (parameter === "response_format" || parameter === "text.format")
		return `Invalid parameter: '${parameter}' of type 'json_schema' is not supported with this model.`;
	return `Unsupported parameter: '${parameter}' is not supported with this model.`;
}

export function writeError(
	error: ProviderError,
	{ path, headers }: Pick<IncomingCall, "path" | "headers">,
): ErrorAnswer {
	const object = errorObject(error);
	if (!isAzure(path, headers)) return { body: { error: object } };
	if (error.kind === "authentication")
		return { body: { error: { code: "401", message: `Access denied: ${error.message}` } } };
	if (error.kind === "not_found")
		return {
			body: { error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." } },
		};
	if (error.kind !== "filter") return { body: { error: object } };
	const result = { hate: { filtered: true, severity: "high" } };
	const innererror = { code: "ResponsibleAIPolicyViolation", content_filter_result: result };
	return { body: { error: { ...object, type: null, status: 400, innererror } } };
}

export function errorObject(error: ProviderError): JsonObject {
	const [type, code] = CODES[error.kind];
	const isValue = error.kind === "unsupported" && error.message.startsWith("Unsupported value");
	return { message: error.message, type, param: error.parameter ?? null, code: isValue ? "unsupported_value" : code };
}

/** Whether it is for Azure: by deployment, or with Azure's header for the key. */
export function isAzure(path: string, headers: IncomingHttpHeaders): boolean {
	return path.includes("/openai/deployments/") || headers["api-key"] !== undefined;
}

export function keyOf({ headers }: Pick<IncomingCall, "headers">): string {
	const azure = headers["api-key"];
	return typeof azure === "string" ? azure : bearerOf(headers);
}

/** The token behind "Bearer", or "". */
export function bearerOf({ authorization = "" }: IncomingHttpHeaders): string {
	return authorization.startsWith("Bearer ") ? authorization.slice("Bearer ".length) : "";
}

/**
 * As the provider checks a schema that is "strict": each object names all of its members as required and takes no other.
 * @throws ProviderError
 */
export function checkStrictSchema(schema: unknown, parameter: string, where = "()"): void {
	if (typeof schema !== "object" || schema === null) return;
	if (Array.isArray(schema)) {
		for (const part of schema) checkStrictSchema(part, parameter, where);
		return;
	}
	const { properties, additionalProperties, required } = schema as JsonObject;
	const names = Object.keys((properties as JsonObject | undefined) ?? {});
	const start = `Invalid schema for ${parameter}: In context=${where}, `;
	if (properties !== undefined && additionalProperties !== false) {
		const message = `${start}'additionalProperties' is required to be supplied and to be false.`;
		throw new ProviderError("invalid", 400, message, parameter);
	}
	const missing = names.filter((name) => !Array.isArray(required) || !required.includes(name));
	if (missing.length > 0) {
		const message = `${start}'required' is required to be supplied and to be an array including every key in properties. Missing '${missing[0]}'.`;
		throw new ProviderError("invalid", 400, message, parameter);
	}
	for (const [name, part] of Object.entries(schema)) checkStrictSchema(part, parameter, `${where}.${name}`);
}
