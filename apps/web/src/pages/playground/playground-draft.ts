import type { PlaygroundSource, VariantMessage } from "@spanward/client";
import { variablesOf } from "../../lib/template-parts.ts";
import { formatJson, type Json } from "../../ui/content/json-value.ts";

export type TemplateFormat = PlaygroundSource["variant"]["template_format"];
type Content = VariantMessage["content"];
type Part = Exclude<Content, string>[number];
export type ImagePart = Extract<Part, { type: "image" }>;
export type ToolCallPart = Extract<Part, { type: "tool_call" }>;
export type ReasoningPart = Extract<Part, { type: "reasoning" }>;

export type ParametersType = "openai" | "anthropic" | "google" | "aws";

/** A message that is being written: one text, and beside it what is no text. */
export interface MessageDraft {
	/** Tells it from others while it moves. */
	readonly key: string;
	readonly role: VariantMessage["role"];
	readonly text: string;
	readonly images: readonly ImagePart[];
	readonly toolCalls: readonly ToolCallPart[];
	/** What the provider gave to be sent back as it is. */
	readonly reasoning?: readonly ReasoningPart[];
	/** Of role `tool`: the call that it answers. The text is its result: JSON, or a text. */
	readonly answers?: string;
}

/** A column. */
export interface VariantDraft {
	readonly key: string;
	readonly label: string;
	readonly connectionId: string;
	readonly model: string;
	readonly format: TemplateFormat;
	readonly messages: readonly MessageDraft[];
	/** Whose parameters they are, which decides about their names. */
	readonly parametersType: ParametersType;
	/** JSON texts; empty for none. */
	readonly parameters: string;
	readonly tools: string;
	readonly responseFormat: string;
	/** What could not be taken over from where it comes from. */
	readonly notCaptured: readonly string[];
}

/** Everything on the page that is kept for the next visit. It has no credential. */
export interface PlaygroundDraft {
	readonly variants: readonly VariantDraft[];
	/** By name; JSON where it reads as JSON that is no text, else the text. */
	readonly variables: Readonly<Record<string, string>>;
	readonly repetitions: number;
	readonly isSameMessages: boolean;
	readonly isSameModel: boolean;
	/** Project that gets the traces; the server's own where empty. */
	readonly project: string;
	/** Id of the project that the first content is from. */
	readonly source?: string;
	/** Address that the draft was begun from. */
	readonly begunFrom?: string;
}

export const MAX_VARIANTS = 6;
export const MAX_CALLS = 24;
export const MAX_REPETITIONS = 10;

let lastKey = 0;

export function newKey(): string {
	lastKey += 1;
	return `${Date.now().toString(36)}-${lastKey}`;
}

export function newMessage(role: MessageDraft["role"], text = ""): MessageDraft {
	return { key: newKey(), role, text, images: [], toolCalls: [] };
}

export function blankVariant(connectionId = "", model = ""): VariantDraft {
	return {
		...{ key: newKey(), label: "", connectionId, model, format: "MUSTACHE" },
		messages: [newMessage("user")],
		...{ parametersType: "openai", parameters: "", tools: "", responseFormat: "", notCaptured: [] },
	};
}

export function blankDraft(): PlaygroundDraft {
	return {
		...{ variants: [blankVariant()], variables: {}, repetitions: 1 },
		...{ isSameMessages: false, isSameModel: false, project: "" },
	};
}

/** A column that begins with something that is there already. */
export function variantOfSource({ variant, not_captured: notCaptured }: PlaygroundSource): VariantDraft {
	const { connection_id, model, label, messages, template_format, invocation_parameters, tools, response_format } =
		variant;
	return {
		...{ key: newKey(), label: label ?? "", connectionId: connection_id ?? "", model: model ?? "" },
		format: template_format,
		messages: messages.map(toMessageDraft),
		parametersType: invocation_parameters?.type ?? "openai",
		parameters: textOf(innerOf(invocation_parameters)),
		tools: textOf(tools),
		responseFormat: textOf(response_format),
		notCaptured,
	};
}

/** `{type: "openai", openai: {…}}` without what is around it; null for none. */
function innerOf(parameters: PlaygroundSource["variant"]["invocation_parameters"]): unknown {
	if (parameters === null) return null;
	const inner = (parameters as Readonly<Record<string, unknown>>)[parameters.type] ?? {};
	return Object.keys(inner).length === 0 ? null : inner;
}

function textOf(value: unknown): string {
	return value === null || value === undefined ? "" : formatJson(value as Json);
}

export function toMessageDraft({ role, content }: VariantMessage): MessageDraft {
	const parts: readonly Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
	const result = parts.find((part) => part.type === "tool_result");
	const reasoning = parts.filter((part) => part.type === "reasoning");
	const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
	return {
		...{ key: newKey(), role },
		text: result === undefined ? text : resultText(result.tool_result),
		images: parts.filter((part) => part.type === "image"),
		toolCalls: parts.filter((part) => part.type === "tool_call"),
		...(reasoning.length === 0 ? {} : { reasoning }),
		...(result === undefined ? {} : { answers: result.tool_call_id }),
	};
}

function resultText(result: unknown): string {
	return typeof result === "string" ? result : formatJson(result as Json);
}

/** The message as it is sent. */
export function fromMessageDraft({
	role,
	text,
	images,
	toolCalls,
	reasoning = [],
	answers,
}: MessageDraft): VariantMessage {
	if (answers !== undefined)
		return { role, content: [{ type: "tool_result", tool_call_id: answers, tool_result: toValue(text) }] };
	if (images.length + toolCalls.length + reasoning.length === 0) return { role, content: text };
	const texts = text === "" ? [] : [{ type: "text" as const, text }];
	return { role, content: [...reasoning, ...texts, ...images, ...toolCalls] };
}

/** JSON that is no text, else the text itself. */
export function toValue(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "string" ? text : value;
	} catch (error) {
		if (error instanceof SyntaxError) return text;
		throw error;
	}
}

/** Names of the variables of all columns, in the order of their first use. */
export function variableNames(variants: readonly VariantDraft[]): string[] {
	const names = variants.flatMap(({ messages, format }) =>
		variablesOf(
			messages.map(({ text }) => text),
			format,
		),
	);
	return [...new Set(names)];
}

/** What the server is to be told, or what is wrong with a column, by the key of the column and the field. */
export interface Checked {
	readonly body?: PlaygroundRunRequest;
	readonly problems: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

export interface PlaygroundRunRequest {
	readonly variants: readonly Record<string, unknown>[];
	readonly variables: Record<string, unknown>;
	readonly repetitions: number;
	readonly project?: string;
	readonly source?: string;
	readonly stream: true;
}

interface Texts {
	readonly noConnection: string;
	readonly noModel: string;
	readonly noMessages: string;
	readonly badJson: (why: string) => string;
	readonly notAnObject: string;
}

/** The body of a run of these columns. */
export function checkDraft(draft: PlaygroundDraft, variants: readonly VariantDraft[], texts: Texts): Checked {
	const problems = new Map<string, Record<string, string>>();
	const bodies = variants.map((variant) => {
		const { body, problems: found } = checkVariant(variant, texts);
		if (Object.keys(found).length > 0) problems.set(variant.key, found);
		return body;
	});
	if (problems.size > 0) return { problems };
	const names = variableNames(variants);
	const values = names.flatMap((name) => {
		const value = draft.variables[name];
		return value === undefined ? [] : [[name, toValue(value)]];
	});
	return {
		problems,
		body: {
			...{ variants: bodies, variables: Object.fromEntries(values), repetitions: draft.repetitions },
			...(draft.project === "" ? {} : { project: draft.project }),
			...(draft.source === undefined ? {} : { source: draft.source }),
			stream: true,
		},
	};
}

function checkVariant(variant: VariantDraft, texts: Texts) {
	const problems: Record<string, string> = {};
	if (variant.connectionId === "") problems["connection"] = texts.noConnection;
	if (variant.model.trim() === "") problems["model"] = texts.noModel;
	if (variant.messages.length === 0) problems["messages"] = texts.noMessages;
	const object = (field: "parameters" | "tools" | "responseFormat") => {
		const text = variant[field];
		if (text.trim() === "") return undefined;
		try {
			const value: unknown = JSON.parse(text);
			if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
			problems[field] = texts.notAnObject;
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			problems[field] = texts.badJson(error.message);
		}
		return undefined;
	};
	const parameters = object("parameters");
	const tools = object("tools");
	const responseFormat = object("responseFormat");
	const body = {
		...{ connection_id: variant.connectionId, model: variant.model.trim() },
		...(variant.label === "" ? {} : { label: variant.label }),
		messages: variant.messages.map(fromMessageDraft),
		template_format: variant.format,
		...(parameters === undefined
			? {}
			: { invocation_parameters: { type: variant.parametersType, [variant.parametersType]: parameters } }),
		...(tools === undefined ? {} : { tools }),
		...(responseFormat === undefined ? {} : { response_format: responseFormat }),
	};
	return { body, problems };
}
