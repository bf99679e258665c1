import type { ConnectionKind } from "../connection.ts";
import type { ModelRequest } from "../model-request.ts";

type Parameters = NonNullable<ModelRequest["invocation_parameters"]>;
type Members = Readonly<Record<string, unknown>>;

export interface ToSend {
	readonly request: ModelRequest;
	/** Sentences about what is sent otherwise than it was asked for. */
	readonly warnings: readonly string[];
}

export interface Needs {
	readonly kind: ConnectionKind;
	/** Parameters that the model refuses, as they are named in invocation parameters. */
	readonly refused: ReadonlySet<string>;
	/** The answer has to be limited to so many tokens, where the request has no limit of its own. */
	readonly outputLimit: number | undefined;
}

/** What OpenAI calls the limit of an answer, by the model's age. */
const RENAMED: Readonly<Record<string, string>> = {
	max_tokens: "max_completion_tokens",
	max_completion_tokens: "max_tokens",
};
const LIMITS: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens"]);

/** A request without what its model refuses, and with the limit that its budget needs; undefined when both cannot be. */
export function requestToSend(request: ModelRequest, { kind, refused, outputLimit }: Needs): ToSend | undefined {
	const asked = request.invocation_parameters;
	const type = asked?.type ?? typeOf(kind);
	const members = withLimit(membersOf(asked), type, outputLimit);
	const warnings: string[] = [];
	const left: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(members)) {
		const other = RENAMED[name];
		if (!refused.has(name)) left[name] = value;
		else if (type === "openai" && other !== undefined && !refused.has(other)) {
			left[other] ??= value;
			warnings.push(`${name} was sent as ${other}, because the model refuses ${name}.`);
		} else warnings.push(`${name} was left out, because the model refuses it.`);
	}
	if (outputLimit !== undefined && !hasLimit(left)) return undefined;
	if (asked === undefined && Object.keys(left).length === 0) return { request, warnings };
	return { request: { ...request, invocation_parameters: parametersOf(type, left) }, warnings };
}

/** Whether the request has a parameter of this name, so that it can be sent without it. */
export function hasParameter(request: ModelRequest, name: string): boolean {
	return membersOf(request.invocation_parameters)[name] !== undefined || LIMITS.has(name);
}

function membersOf(parameters: Parameters | undefined): Members {
	if (parameters === undefined) return {};
	return (parameters as unknown as Readonly<Record<string, Members>>)[parameters.type] ?? {};
}

function parametersOf(type: Parameters["type"], members: Members): Parameters {
	return { type, [type]: members } as unknown as Parameters;
}

function withLimit(members: Members, type: Parameters["type"], outputLimit: number | undefined): Members {
	if (outputLimit === undefined || hasLimit(members)) return members;
	return { ...members, [type === "google" ? "max_output_tokens" : "max_tokens"]: outputLimit };
}

function hasLimit(members: Members): boolean {
	return [...LIMITS].some((name) => members[name] !== undefined);
}

function typeOf(kind: ConnectionKind): Parameters["type"] {
	switch (kind) {
		case "anthropic":
			return "anthropic";
		case "google":
		case "google_vertex":
			return "google";
		case "aws_bedrock":
			return "aws";
		default:
			return "openai";
	}
}
