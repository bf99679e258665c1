import type { PromptMessage, PromptVersion } from "@spanward/client";
import type { TemplateFormat } from "../../lib/template-parts.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { formatJson, type Json } from "../../ui/content/json-value.ts";
import { parametersOf, variantOf } from "./parameters.ts";

const TEXTS = promptTexts.form;

export interface MessageDraft {
	readonly role: PromptMessage["role"];
	/** The text, or the content parts as JSON. */
	readonly text: string;
	readonly isParts: boolean;
}

/** The values of the form for a new version. */
export interface VersionDraft {
	readonly description: string;
	readonly provider: PromptVersion["model_provider"];
	readonly model: string;
	readonly format: TemplateFormat;
	readonly messages: readonly MessageDraft[];
	/** Invocation parameters, tools and response format as JSON; empty for none. */
	readonly parameters: string;
	readonly tools: string;
	readonly responseFormat: string;
}

export const NEW_VERSION: VersionDraft = {
	description: "",
	provider: "OPENAI",
	model: "",
	format: "MUSTACHE",
	messages: [
		{ role: "system", text: "", isParts: false },
		{ role: "user", text: "{{question}}", isParts: false },
	],
	parameters: "",
	tools: "",
	responseFormat: "",
};

/** The initial values: those of an existing version, without its description. */
export function draftOf(version: PromptVersion): VersionDraft {
	const parameters = parametersOf(version);
	return {
		description: "",
		provider: version.model_provider,
		model: version.model_name,
		format: version.template_format,
		messages: version.template.messages.map(({ role, content }) => {
			const text = onlyTextOf(content);
			return { role, text: text ?? formatJson(content as unknown as Json), isParts: text === undefined };
		}),
		parameters: Object.keys(parameters).length === 0 ? "" : formatJson(parameters),
		tools: version.tools ? formatJson(version.tools as unknown as Json) : "",
		responseFormat: version.response_format ? formatJson(version.response_format as unknown as Json) : "",
	};
}

/** The text of a message that has nothing else. */
function onlyTextOf(content: PromptMessage["content"]): string | undefined {
	if (typeof content === "string") return content;
	const [first] = content;
	return content.length === 1 && first?.type === "text" ? first.text : undefined;
}

/** Problems by field: `model_name`, `invocation_parameters`, `tools`, `response_format`, `messages.0`. */
export type DraftProblems = Readonly<Record<string, string>>;

/** Properties of the parts of the form. */
export interface DraftFieldProps {
	readonly draft: VersionDraft;
	readonly problems: DraftProblems;
	readonly change: (part: Partial<VersionDraft>) => void;
}

/** The body of the request, or the problems of the draft. */
export function bodyOf(draft: VersionDraft): {
	readonly body?: Record<string, unknown>;
	readonly problems: DraftProblems;
} {
	const problems: Record<string, string> = {};
	const parse = (field: string, text: string): unknown => {
		if (text.trim() === "") return undefined;
		const parsed = parseObject(text);
		if ("problem" in parsed) problems[field] = parsed.problem;
		return "value" in parsed ? parsed.value : undefined;
	};
	if (draft.model.trim() === "") problems["model_name"] = TEXTS.modelMissing;
	const messages = draft.messages.map(({ role, text, isParts }, index) => {
		if (!isParts) return { role, content: text };
		const parsed = parseJsonText(text);
		if ("problem" in parsed) problems[`messages.${index}`] = parsed.problem;
		return { role, content: "value" in parsed ? parsed.value : [] };
	});
	const variant = variantOf(draft.provider);
	const parameters = parse("invocation_parameters", draft.parameters) ?? {};
	const tools = parse("tools", draft.tools);
	const responseFormat = parse("response_format", draft.responseFormat);
	if (Object.keys(problems).length > 0) return { problems };
	return {
		problems,
		body: {
			...(draft.description.trim() ? { description: draft.description.trim() } : {}),
			model_provider: draft.provider,
			model_name: draft.model.trim(),
			template: { type: "chat", messages },
			template_type: "CHAT",
			template_format: draft.format,
			invocation_parameters: { type: variant, [variant]: parameters },
			...(tools === undefined ? {} : { tools }),
			...(responseFormat === undefined ? {} : { response_format: responseFormat }),
		},
	};
}

/** The form's values for a version written as JSON; undefined if it has content without a field in the form. */
export function draftOfBody(body: Record<string, unknown>): VersionDraft | undefined {
	const template = body["template"] as { messages?: PromptMessage[] } | undefined;
	if (!Array.isArray(template?.messages) || typeof body["model_name"] !== "string") return;
	const known = { ...NEW_VERSION, ...body } as unknown as PromptVersion;
	if (known.invocation_parameters === undefined) return;
	return {
		...draftOf({ ...known, template: template as PromptVersion["template"] }),
		description: typeof body["description"] === "string" ? body["description"] : "",
	};
}

type Parsed<T> = { readonly value: T } | { readonly problem: string };

export function parseObject(text: string): Parsed<Record<string, unknown>> {
	const parsed = parseJsonText(text);
	if ("problem" in parsed) return parsed;
	const { value } = parsed;
	if (typeof value !== "object" || value === null || Array.isArray(value)) return { problem: TEXTS.jsonObject };
	return { value: value as Record<string, unknown> };
}

function parseJsonText(text: string): Parsed<unknown> {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return { problem: TEXTS.jsonBad(error.message) };
	}
}

const FIELDS = [
	"model_provider",
	"model_name",
	"invocation_parameters",
	"tools",
	"response_format",
	"description",
	"name",
];

/**
 * The form's field for an issue of the server, by its location in the body; undefined if there is none.
 * @example fieldOf(["body", "version", "template", "messages", 0, "content"]) // "messages.0"
 */
export function fieldOf(loc: readonly (string | number)[]): string | undefined {
	const at = loc.indexOf("messages");
	if (at >= 0 && loc[at + 1] !== undefined) return `messages.${loc[at + 1]}`;
	return FIELDS.find((field) => loc.includes(field));
}
