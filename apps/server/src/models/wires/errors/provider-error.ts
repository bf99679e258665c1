import { ModelError, type ModelErrorCode, type ModelErrorDetails } from "#models/model-error.ts";
import { isJsonObject, type JsonObject, objectAt, parseJson } from "../json-object.ts";
import type { Hide } from "./hide-credentials.ts";
import { parameterAt, parameterIn } from "./parameter-name.ts";
import { retryAfter } from "./retry-after.ts";

const MAX_QUOTE = 500;
const NO_HEADERS = new Headers();

/** What providers say about an error, wherever each of them puts it. */
interface Complaint {
	readonly message: string;
	/** Codes, types and states in lower case, one after the other. */
	readonly words: string;
	readonly parameter: string | undefined;
	readonly details: unknown;
}

/** An answer with a status that is not one of success. */
export function errorOfResponse(response: Response, body: string, hide: Hide): ModelError {
	const { status, headers } = response;
	const parsed = parseJson(body)?.value;
	const complaint = complaintOf(parsed, headers.get("x-amzn-errortype"));
	const waits = status === 408 || status === 429 || status >= 500;
	const retryAfterMs = waits ? retryAfter(headers, complaint.details) : undefined;
	const isOfProtocol = isJsonObject(parsed) || Array.isArray(parsed);
	const code = codeOf(status, complaint, isOfProtocol);
	return toError(code, complaint.message === "" ? textOf(body) : complaint.message, hide, {
		status,
		isPassing: isPassing(status, code),
		...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		...parameterOf(code, complaint),
	});
}

/** An error that came where an answer or a part of it was expected, with a status of success. */
export function errorOfEvent(event: unknown, hide: Hide, type = ""): ModelError {
	const complaint = complaintOf(event, type);
	const status = statusOf(event);
	const known = codeOf(status ?? 0, complaint, true);
	const code = known === "bad_response" || known === "bad_request" ? "interrupted" : known;
	const retryAfterMs = retryAfter(NO_HEADERS, complaint.details);
	return toError(code, complaint.message, hide, {
		isPassing: code === "interrupted" || isPassing(status ?? 0, code),
		...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		...parameterOf(code, complaint),
	});
}

/** What came is not what the protocol has there; the text is quoted. */
export function notOfProtocol(sentence: string, text: string, hide: Hide): ModelError {
	const quote = quoteOf(text, hide);
	return new ModelError("bad_response", quote === "" ? sentence : `${sentence} It begins with: ${quote}`, {
		isPassing: true,
	});
}

/** At most 500 characters of a provider, without credentials. */
export function quoteOf(text: string, hide: Hide): string {
	const quote = hide(text)
		.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
		.trim()
		.toWellFormed();
	return quote.length <= MAX_QUOTE ? quote : `${quote.slice(0, MAX_QUOTE - 1).toWellFormed()}…`;
}

const SENTENCES: Readonly<Partial<Record<ModelErrorCode, string>>> = {
	authentication: "The provider refused the credentials of the connection. Check its key and what the key may do.",
	quota: "The account at the provider has no credit or quota left. Add credit there, or raise its limit.",
	rate_limited: "The provider asks to send less or later.",
	model_not_found: "The provider has no such model, or not for this account. Check the model's name.",
	unsupported_parameter: "The model does not take a parameter.",
	content_filtered: "The provider's content filter refused the request.",
	context_too_long: "The request is longer than the model's context. Shorten it, or take a model with a longer one.",
	bad_request: "The provider refused the request.",
	timeout: "The provider did not answer in time.",
	interrupted: "The provider ended its answer with an error.",
	bad_response: "The provider answered with an error.",
};

function toError(code: ModelErrorCode, said: string, hide: Hide, details: ModelErrorDetails): ModelError {
	const sentence =
		code === "unsupported_parameter" && details.parameter !== undefined
			? `The model does not take \`${details.parameter}\` as it was sent. Leave it out.`
			: (SENTENCES[code] ?? "The provider answered with an error.");
	const quote = quoteOf(said, hide);
	const status = details.status === undefined ? "" : ` (${details.status})`;
	const says = quote === "" ? `It says nothing about it${status}.` : `The provider says${status}: ${quote}`;
	return new ModelError(code, `${sentence} ${says}`, details);
}

function complaintOf(body: unknown, type: string | null): Complaint {
	// Gemini answers streams with an array of one.
	const outer = Array.isArray(body) ? objectAt(body[0]) : objectAt(body);
	const inResponse = objectAt(outer, "response", "error");
	const inner = Object.keys(inResponse).length > 0 ? inResponse : objectAt(outer, "error");
	const { blockReason, blockReasonMessage } = objectAt(outer, "promptFeedback");
	const isBlocked = typeof blockReason === "string";
	const message =
		firstText(
			isBlocked ? (blockReasonMessage ?? blockReason) : undefined,
			inner["message"],
			outer["message"],
			outer["Message"],
			outer["detail"],
			outer["error"],
		) ??
		detailsText(outer["detail"]) ??
		"";
	const words = [
		type,
		isBlocked ? "content_filter" : undefined,
		inner["code"],
		inner["type"],
		inner["status"],
		reasonOf(inner),
		outer["code"],
		outer["type"],
	];
	const path = firstText(inner["param"], outer["param"]);
	return {
		message,
		words: words
			.filter((word) => typeof word === "string" || typeof word === "number")
			.join(" ")
			.toLowerCase(),
		parameter: path === undefined ? undefined : parameterAt(path),
		details: inner["details"],
	};
}

function firstText(...values: readonly unknown[]): string | undefined {
	return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** FastAPI's `{"detail": [{"loc": ["body", "temperature"], "msg": "…"}]}` */
function detailsText(detail: unknown): string | undefined {
	if (!Array.isArray(detail)) return;
	return detail
		.map((problem) => {
			const { loc, msg } = objectAt(problem);
			return `${Array.isArray(loc) ? loc.join(".") : ""}: ${typeof msg === "string" ? msg : "wrong"}`;
		})
		.join("; ");
}

/** `google.rpc.ErrorInfo` */
function reasonOf(error: JsonObject): unknown {
	const { details } = error;
	if (!Array.isArray(details)) return;
	return details.map((detail) => objectAt(detail)["reason"]).find((reason) => typeof reason === "string");
}

function statusOf(event: unknown): number | undefined {
	for (const at of [objectAt(event, "error"), objectAt(event)]) {
		for (const value of [at["code"], at["status"], at["status_code"]]) {
			const status = Number(value);
			if (Number.isInteger(status) && status >= 400 && status < 600) return status;
		}
	}
	return;
}

const NO_MONEY =
	/insufficient_(quota|credits|balance|funds)|servicequotaexceeded|billing_(hard_limit|not_active)|payment_required/;
/** Sentences that say so under codes that mean less, such as that of a bad request. */
const NO_MONEY_SAID =
	/credit balance is too low|exceeded your current quota|(insufficient|out of|no) (credits?|balance|funds|quota)\b/;
const TOO_LONG =
	/context[_ -]?(length|window|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|input token count|reduce the length of|request[_ ]too[_ ]large/;
const FILTERED = /content[_ ]?filter|content management policy|responsibleaipolicy|safety (system|policy)|moderation/;
const NO_MODEL =
	/model_not_found|deploymentnotfound|model identifier is invalid|(model|deployment)\b.{0,120}\b(does not exist|not found|not exist|is not available|no longer available)|(no such|unknown|invalid) model\b/;
const NOT_TAKEN =
	/unsupported|not supported|(does|do) ?n[o']t support|isn't supported|not permitted|unknown|unrecognized|not allowed|deprecated|cannot both be|unexpected (keyword|field)|extra_forbidden/;
const OVERLOADED = /overloaded|throttl|rate_limit|too ?many ?requests|resource_exhausted|serviceunavailable/;

function codeOf(status: number, complaint: Complaint, isOfProtocol: boolean): ModelErrorCode {
	const { words } = complaint;
	const text = `${words} ${complaint.message.toLowerCase()}`;
	if (isOutOfMoney(status, complaint)) return "quota";
	if (status === 401 || status === 403) return NO_MODEL.test(text) ? "model_not_found" : "authentication";
	if (status === 429) return "rate_limited";
	if (status === 408 || status === 504) return "timeout";
	if (status === 503 || status === 529 || OVERLOADED.test(words)) return "rate_limited";
	if (status >= 500 || status === 409) return "bad_response";
	if (/authentication|permission|unauthorized|api_key_invalid|accessdenied/.test(words)) return "authentication";
	if (NO_MODEL.test(text)) return "model_not_found";
	if (status === 404) return isOfProtocol ? "model_not_found" : "bad_response";
	if (FILTERED.test(text)) return "content_filtered";
	if (TOO_LONG.test(text)) return "context_too_long";
	if (status >= 300 && status < 400) return "bad_response";
	if (NOT_TAKEN.test(text) && namedParameter(complaint) !== undefined) return "unsupported_parameter";
	return status === 0 ? "bad_response" : "bad_request";
}

function isOutOfMoney(status: number, { words, message, details }: Complaint): boolean {
	if (status === 402 || NO_MONEY.test(words)) return true;
	// Gemini says the same of a limit for a minute, and then what to wait.
	const isOfAWhile = /rate_limit/.test(words) || retryAfter(NO_HEADERS, details) !== undefined;
	return status < 500 && !isOfAWhile && NO_MONEY_SAID.test(message.toLowerCase());
}

function isPassing(status: number, code: ModelErrorCode): boolean {
	if (code === "rate_limited" || code === "timeout") return true;
	return code !== "quota" && (status === 409 || status >= 500);
}

function namedParameter({ parameter, message }: Complaint): string | undefined {
	return parameter ?? parameterIn(message);
}

function parameterOf(code: ModelErrorCode, complaint: Complaint): Pick<ModelErrorDetails, "parameter"> {
	if (code !== "unsupported_parameter" && code !== "bad_request") return {};
	const parameter = code === "bad_request" ? complaint.parameter : namedParameter(complaint);
	return parameter === undefined ? {} : { parameter };
}

/** What a person reads of an answer that is a page. */
function textOf(body: string): string {
	return /<(!doctype|html|head|body)\b/i.test(body) ? body.replace(/<(script|style)\b.*?<\/\1>|<[^>]*>/gis, " ") : body;
}
