import { type Failure, lastPartOfType, sentText } from "./failure.ts";
import { shownLine } from "./shown-text.ts";

/** What a provider's answer says about a failure. */
export interface ProviderError {
	/** `openai`, `anthropic`, `aws.bedrock`, …; empty if nothing says it. */
	readonly provider: string;
	/** An HTTP status from 400 to 599, `timeout` or `connection`. */
	readonly status?: string;
	/** The error's code, else its type. */
	readonly code?: string;
}

/** Of a message, so much is read. */
const MAX_READ = 4_096;
const MAX_NAME = 200;

/** Which provider failed, and with what status and code, from attributes, the message and the exception's type. */
export function readProviderError(failure: Failure): ProviderError {
	const message = failure.message.slice(0, MAX_READ);
	const status = readStatus(failure, message);
	const code = readCode(failure, message);
	return {
		provider: readProvider(failure),
		...(status === undefined ? {} : { status }),
		...(code === undefined ? {} : { code }),
	};
}

const PROVIDER_KEYS = ["gen_ai.provider.name", "gen_ai.system", "ai.model.provider", "llm.provider"] as const;
/** The Vercel AI SDK names the API after the provider: `openai.chat`, `anthropic.messages`. */
const API = /\.(?:chat|completions?|responses|messages|embeddings?|generative-ai|text-embedding)$/;
/** Modules of exceptions of providers' own SDKs for Python. */
const SDKS: ReadonlySet<string> = new Set(["openai", "anthropic", "cohere", "mistralai", "groq", "ollama"]);

function readProvider(failure: Failure): string {
	const sent = failure.semantic.provider ?? sentText(failure, PROVIDER_KEYS);
	if (sent !== undefined) return shownLine(sent, MAX_NAME).toLowerCase().replace(API, "");
	const module = failure.type.slice(0, Math.max(0, failure.type.indexOf(".")));
	return SDKS.has(module) ? module : "";
}

const STATUS_KEYS = [
	"http.response.status_code",
	"http.status_code",
	"error.status_code",
	"gen_ai.response.status_code",
	"error.code",
	"error.type",
] as const;

/**
 * How clients put the status into their message:
 * - openai and anthropic for Python `Error code: 429 - {…}`, pydantic-ai and cohere `status_code: 429, …`, mistral
 *   `Status 429`, axios `Request failed with status code 429`
 * - openai and anthropic for JavaScript, google-genai `429 Rate limit …`, `429 RESOURCE_EXHAUSTED. {…}`
 * - httpx `'429 Too Many Requests'`, generative-ai `[429 Too Many Requests]`
 * - providers' JSON `"code": 429`, `'status': 429`
 */
const STATUS_IN_MESSAGE: readonly RegExp[] = [
	/(?:error|status)[ _-]?code["']?\s?[:=]?\s{0,3}(?:is )?([45]\d\d)\b/i,
	/\bstatus["']?\s?[:=]?\s{0,3}([45]\d\d)\b/i,
	/^(?:[\w.]{1,80}: ){0,3}([45]\d\d) (?=[A-Z{"'<(]|status code)/,
	/['[(]([45]\d\d) [A-Z]/,
	/\bHTTP(?:\/\d(?:\.\d)?)?[ :]{1,2}([45]\d\d)\b/,
	/["']code\\?["']\s?:\s?["']?([45]\d\d)\b/,
];

/** Exceptions of the SDKs that openai, anthropic and groq generate with Stainless, and of litellm, which has the same names. */
const STATUS_OF_TYPE: ReadonlyMap<string, string> = new Map([
	["BadRequestError", "400"],
	["AuthenticationError", "401"],
	["PermissionDeniedError", "403"],
	["NotFoundError", "404"],
	["ConflictError", "409"],
	["UnprocessableEntityError", "422"],
	["RateLimitError", "429"],
	["InternalServerError", "500"],
	["ServiceUnavailableError", "503"],
	["OverloadedError", "529"],
]);

const TIMEOUT_TYPE = /time_?d?_?out|deadline/i;
const TIMEOUT = /\btime(?:d[ -]?|-)?out\b|deadline[ _]exceeded|\bETIMEDOUT\b/i;
const CONNECTION_TYPE =
	/connect(?:ion)?(?:error|refused|reset|aborted|exception)|^fetcherror$|(?:network|protocol)error$/i;
const CONNECTION =
	/\bconnection (?:error|refused|reset|aborted|closed|broken)|\b(?:ECONN\w{1,20}|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR_SOCKET)\b|socket hang up|fetch failed|failed to fetch|network ?error|getaddrinfo|name or service not known|server disconnected|all connection attempts failed/i;

function readStatus(failure: Failure, message: string): string | undefined {
	for (const key of STATUS_KEYS) {
		const sent = sentText(failure, [key]);
		if (sent !== undefined && /^[45]\d\d$/.test(sent)) return sent;
	}
	for (const pattern of STATUS_IN_MESSAGE) {
		const status = pattern.exec(message)?.[1];
		if (status !== undefined) return status;
	}
	const type = lastPartOfType(failure.type);
	const known = STATUS_OF_TYPE.get(type);
	if (known !== undefined) return known;
	if (TIMEOUT_TYPE.test(type.slice(0, 200)) || TIMEOUT.test(message)) return "timeout";
	return CONNECTION_TYPE.test(type.slice(0, 200)) || CONNECTION.test(message) ? "connection" : undefined;
}

const CODE_KEYS = ["error.code", "gen_ai.error.code", "ai.error.code", "exception.code"] as const;
/** A member of JSON, of what Python prints for it, or of JSON within a JSON text. */
const MEMBER =
	/\\{0,3}(["'])(code|status|type|error_code|__type)\\{0,3}\1\s?:\s?\\{0,3}(["'])([A-Za-z][\w.#-]{0,99})\\{0,3}\3/g;
/** botocore: `An error occurred (ThrottlingException) when calling the Converse operation`. */
const BOTO = /\bAn error occurred \(([A-Za-z]\w{0,99})\)/;
/** https://grpc.github.io/grpc/core/md_doc_statuscodes.html, which Google's providers answer with. */
const GRPC =
	/\b(RESOURCE_EXHAUSTED|INVALID_ARGUMENT|DEADLINE_EXCEEDED|PERMISSION_DENIED|FAILED_PRECONDITION|UNAUTHENTICATED|UNAVAILABLE|NOT_FOUND|OUT_OF_RANGE|UNIMPLEMENTED|ALREADY_EXISTS)\b/;
/** Of the operating system, as Node and undici say them. */
const ERRNO =
	/\b(ECONN[A-Z]{3,12}|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_[A-Z_]{3,30})\b/;
/** The AWS SDK for JavaScript has the code as the type of the exception. */
const AWS_TYPE = /^[A-Z]\w{1,80}Exception$/;
/** Types that Anthropic and others give to every error. */
const NO_CODES: ReadonlySet<string> = new Set(["error", "Error", "none", "None", "null"]);

function readCode(failure: Failure, message: string): string | undefined {
	const sent = sentText(failure, CODE_KEYS);
	if (sent !== undefined && !/^\d+$/.test(sent)) return shownLine(sent, MAX_NAME);
	const inMessage =
		codeInJson(message) ?? BOTO.exec(message)?.[1] ?? GRPC.exec(message)?.[1] ?? ERRNO.exec(message)?.[1];
	if (inMessage !== undefined) return inMessage;
	const type = lastPartOfType(failure.type);
	return failure.semantic.provider?.includes("bedrock") === true && AWS_TYPE.test(type) ? type : undefined;
}

/** The code before the status of Google's and the type, as OpenAI's types are wider than its codes. */
function codeInJson(message: string): string | undefined {
	const found = new Map<string, string>();
	for (const [, , member = "", , value = ""] of message.matchAll(MEMBER)) {
		if (!NO_CODES.has(value) && !found.has(member)) found.set(member, value);
	}
	return ["code", "error_code", "status", "__type", "type"]
		.map((member) => found.get(member))
		.find((code) => code !== undefined);
}
