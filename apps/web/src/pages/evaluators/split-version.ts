import type { EvaluatorVersionOfEvaluator } from "@spanward/client";

type Version = EvaluatorVersionOfEvaluator["version"];
type Members = Readonly<Record<string, unknown>>;

export interface JudgeMessage {
	readonly role: string;
	readonly content: string;
}

/** The texts of a version that have fields of their own; nobody would like to write them as strings of JSON. */
export interface VersionTexts {
	readonly source?: string;
	readonly messages?: readonly JudgeMessage[];
}

export function splitVersion(version: Version): { readonly texts: VersionTexts; readonly rest: Members } {
	if (version.kind === "CODE") {
		const { source, ...rest } = version;
		return { texts: { source }, rest };
	}
	const messages = version.kind === "LLM" ? plainMessages(version.variant.messages) : undefined;
	if (version.kind !== "LLM" || messages === undefined) return { texts: {}, rest: version };
	const { messages: _messages, ...variant } = version.variant;
	return { texts: { messages }, rest: { ...version, variant } };
}

/** Undefined for a judge with a prompt version, and for messages with parts. */
function plainMessages(
	messages: readonly { readonly role: string; readonly content: unknown }[] | undefined,
): readonly JudgeMessage[] | undefined {
	const plain = messages?.flatMap(({ role, content }) => (typeof content === "string" ? [{ role, content }] : []));
	return plain?.length === messages?.length ? plain : undefined;
}

export function joinVersion({ source, messages }: VersionTexts, rest: Members): Members {
	if (source !== undefined) return { ...rest, source };
	if (messages === undefined) return rest;
	const { variant } = rest;
	return { ...rest, variant: { ...(typeof variant === "object" ? variant : {}), messages } };
}
