import { createHash } from "node:crypto";
import type { Plain } from "@spanward/semconv";
import { type Failure, sentText } from "./failure.ts";
import type { ErrorKind, Frame, GroupingPart, GroupingRule } from "./model.ts";
import { normalizeMessage } from "./normalize-message.ts";
import type { ProviderError } from "./provider-error.ts";
import { shownLine } from "./shown-text.ts";

/** Grows with each change after which a failure gets another fingerprint; see docs/decisions/0075. */
export const FINGERPRINT_VERSION = 1;

/** By what a failure is compared with others. Two failures are the same if kind and parts are. */
export interface Comparison {
	readonly rule: GroupingRule;
	readonly parts: readonly GroupingPart[];
}

/** Of a name, so many characters count. */
const MAX_NAME = 1_000;
/** So many innermost frames count. */
const FRAMES = 5;

/** What of a failure counts. Of an explicit fingerprint, nothing else does. */
export function compareBy(failure: Failure, provider: ProviderError | undefined, frames: readonly Frame[]): Comparison {
	const explicit = explicitFingerprint(failure);
	if (explicit.length > 0)
		return { rule: "explicit", parts: explicit.map((value) => ({ name: "fingerprint", value })) };
	switch (failure.kind) {
		case "refusal":
			return { rule: "refusal", parts: refusalParts(failure) };
		case "provider_error":
			return { rule: "provider", parts: providerParts(failure, provider ?? { provider: "" }) };
		case "tool_failure": {
			const { rule, parts } = compareException(failure, frames);
			return { rule, parts: [{ name: "tool", value: toolName(failure) }, ...parts] };
		}
		case "exception":
			return compareException(failure, frames);
		case "error":
			return {
				rule: "message",
				parts: [{ name: "span", value: normalizeMessage(failure.spanName) }, whatHappened(failure)],
			};
	}
}

/** 32 hex digits of SHA-256. */
export function fingerprintOf(kind: ErrorKind, { rule, parts }: Comparison): string {
	return hash([rule === "explicit" ? rule : kind, ...parts.flatMap(({ name, value }) => [name, value])]);
}

/** The fingerprint that failures of a kind and type share where a project has too many groups. */
export function sharedFingerprint(kind: ErrorKind, type: string): string {
	return hash(["shared", kind, type]);
}

/** Each text follows its length, so that none runs into the next; UTF-16, as not every text is well formed. */
function hash(texts: readonly string[]): string {
	const sum = createHash("sha256").update(`${FINGERPRINT_VERSION}`);
	for (const text of texts) sum.update(` ${text.length} `).update(text, "utf16le");
	return sum.digest("hex").slice(0, 32);
}

/** A type alone, such as the status of a request, counts as it is. */
function whatHappened({ saysNothing, type, normalizedMessage }: Failure): GroupingPart {
	if (saysNothing && type !== "") return { name: "type", value: type };
	return { name: "message", value: normalizedMessage };
}

const EXPLICIT_KEYS = ["error.fingerprint", "spanward.fingerprint"] as const;

/** A text, or several, of the span or its exception. */
function explicitFingerprint(failure: Failure): readonly string[] {
	for (const attributes of failure.attributes) {
		for (const key of EXPLICIT_KEYS) {
			const texts = textsOf(attributes.get(key));
			if (texts.length > 0) return texts;
		}
	}
	return [];
}

function textsOf(value: Plain | undefined): readonly string[] {
	if (Array.isArray(value)) return value.flatMap(textsOf);
	const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
	return typeof text === "string" && text.trim() !== "" ? [text.trim()] : [];
}

const GUARDRAIL_KEYS = ["gen_ai.guardrail.name", "guardrail.name", "gen_ai.guardrail.id", "guardrail.id"] as const;

/** The name of the guard that refused; undefined for a model that did. */
export function guardrailName(failure: Failure): string | undefined {
	const sent = sentText(failure, GUARDRAIL_KEYS);
	if (sent !== undefined) return shownLine(sent, MAX_NAME);
	return failure.semantic.kind === "GUARDRAIL" ? normalizeMessage(failure.spanName) : undefined;
}

function refusalParts(failure: Failure): GroupingPart[] {
	const parts = [{ name: "reason", value: failure.reason ?? "" }];
	const guardrail = guardrailName(failure);
	if (guardrail !== undefined) parts.push({ name: "guardrail", value: guardrail });
	return parts;
}

/** Timeouts have no code, and clients say each in other words. */
function providerParts({ normalizedMessage }: Failure, { provider, status, code }: ProviderError): GroupingPart[] {
	const parts = [{ name: "provider", value: provider }];
	if (status !== undefined) parts.push({ name: "status", value: status });
	if (code !== undefined) parts.push({ name: "code", value: code });
	else if (status !== "timeout") parts.push({ name: "message", value: normalizedMessage });
	return parts;
}

/** The tool's name, else that of its span. */
export function toolName({ semantic, spanName }: Failure): string {
	const sent = semantic.tool?.name;
	return sent === undefined ? normalizeMessage(spanName) : shownLine(sent, MAX_NAME);
}

function compareException({ type, normalizedMessage }: Failure, frames: readonly Frame[]): Comparison {
	const own = frames.filter((frame) => frame.is_own);
	const counted = (own.length > 0 ? own : frames).slice(0, FRAMES);
	const ofType = { name: "type", value: type };
	if (counted.length === 0) {
		return { rule: "message", parts: [ofType, { name: "message", value: normalizedMessage }] };
	}
	const called = counted.map((frame) => ({ name: "frame", value: `${frame.module}:${frame.function}` }));
	return { rule: "stack", parts: [ofType, ...called] };
}
