import type { FlatAttributes } from "./flat-attributes.ts";

/**
 * Attributes of the OpenInference conventions, each a column of its own.
 * Source: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
 */
const CONVENTION_KEYS = [
	"agent.name",
	"audio.mime_type",
	"audio.transcript",
	"audio.url",
	"embedding.embeddings",
	"embedding.invocation_parameters",
	"embedding.model_name",
	"graph.node.id",
	"graph.node.name",
	"graph.node.parent_id",
	"image.url",
	"input.mime_type",
	"input.value",
	"llm.cost.completion",
	"llm.cost.prompt",
	"llm.cost.total",
	"llm.finish_reason",
	"llm.function_call",
	"llm.input_messages",
	"llm.invocation_parameters",
	"llm.model_name",
	"llm.output_messages",
	"llm.prompt_template.template",
	"llm.prompt_template.variables",
	"llm.prompt_template.version",
	"llm.prompts",
	"llm.provider",
	"llm.system",
	"llm.token_count.completion",
	"llm.token_count.completion_details.audio",
	"llm.token_count.completion_details.reasoning",
	"llm.token_count.prompt",
	"llm.token_count.prompt_details.audio",
	"llm.token_count.prompt_details.cache_input",
	"llm.token_count.prompt_details.cache_read",
	"llm.token_count.prompt_details.cache_write",
	"llm.token_count.total",
	"llm.tools",
	"metadata",
	"output.mime_type",
	"output.value",
	"prompt.id",
	"prompt.url",
	"prompt.vendor",
	"reranker.input_documents",
	"reranker.model_name",
	"reranker.output_documents",
	"reranker.query",
	"reranker.top_k",
	"retrieval.documents",
	"session.id",
	"tag.tags",
	"tool.description",
	"tool.name",
	"tool.parameters",
	"user.id",
] as const;

const CONVENTIONS: ReadonlySet<string> = new Set(CONVENTION_KEYS);
/** Keys with data of the application, which keeps its nesting. */
const FREE_FORM: ReadonlySet<string> = new Set(["metadata", "llm.prompt_template.variables", "tool.parameters"]);

/**
 * Flat attributes as columns: `attributes.<key>` for a key of the conventions, with messages and documents as lists of
 * objects; for other keys `attributes.<first segment>`, with an object of the rest.
 */
export function toColumns(attributes: FlatAttributes): Record<string, unknown> {
	const columns: Record<string, unknown> = Object.create(null);
	for (const [key, value] of Object.entries(attributes)) {
		const column = conventionOf(key) ?? (key.split(".", 1)[0] || key);
		const rest = key.slice(column.length + 1);
		if (rest === "") columns[`attributes.${column}`] = value;
		else if (!insert(columns, `attributes.${column}`, stepsBelow(column, rest), value))
			columns[`attributes.${key}`] = value;
	}
	return columns;
}

/** The value of flat attributes under a dotted key, or an object or list of the keys below it; null if absent. */
export function readAttribute(attributes: FlatAttributes, key: string): unknown {
	if (key in attributes) return attributes[key];
	const found: Record<string, unknown> = Object.create(null);
	for (const [name, value] of Object.entries(attributes)) {
		if (!name.startsWith(`${key}.`)) continue;
		const rest = name.slice(key.length + 1);
		if (!insert(found, "value", stepsBelow(conventionOf(name) ?? "", rest), value)) return null;
	}
	return found["value"] ?? null;
}

/** The longest key of the conventions that equals this key or is a prefix of it. */
function conventionOf(key: string): string | undefined {
	for (let end = key.length; end > 0; end = key.lastIndexOf(".", end - 1)) {
		const name = key.slice(0, end);
		if (CONVENTIONS.has(name)) return name;
	}
	return undefined;
}

/** Splits the part of a key below its column into the steps of its nesting. */
function stepsBelow(column: string, rest: string): string[] {
	const known = CONVENTIONS.has(column) && !FREE_FORM.has(column);
	return known ? splitAtNumbers(rest) : rest.split(".");
}

/** `0.message.role` → `0`, `message.role`: keys between list positions stay dotted, except below `metadata`. */
function splitAtNumbers(path: string): string[] {
	const steps: string[] = [];
	let name: string[] = [];
	const segments = path.split(".");
	for (const [at, segment] of segments.entries()) {
		if (!/^\d+$/.test(segment)) {
			name.push(segment);
			if (segment === "metadata") return [...steps, name.join("."), ...segments.slice(at + 1)];
			continue;
		}
		if (name.length > 0) steps.push(name.join("."));
		steps.push(segment);
		name = [];
	}
	if (name.length > 0) steps.push(name.join("."));
	return steps;
}

type Container = Record<string, unknown> | unknown[];

/** @returns false when another value is in the way */
function insert(columns: Record<string, unknown>, column: string, steps: readonly string[], value: unknown): boolean {
	let container: Container = columns;
	let key = column;
	for (const step of steps) {
		const present: unknown = read(container, key);
		if (present !== undefined && !isContainer(present)) return false;
		const next: Container = present ?? (/^\d{1,4}$/.test(step) ? [] : Object.create(null));
		if (Array.isArray(next) && !/^\d{1,4}$/.test(step)) return false;
		write(container, key, next);
		container = next;
		key = step;
	}
	write(container, key, value);
	return true;
}

function isContainer(value: unknown): value is Container {
	return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}

function read(container: Container, key: string): unknown {
	return Array.isArray(container) ? container[Number(key)] : container[key];
}

function write(container: Container, key: string, value: unknown): void {
	if (Array.isArray(container)) container[Number(key)] = value;
	else container[key] = value;
}
