import { field, isList, isObject, type PlainObject } from "./json.ts";

/** Roles by LangChain's message types. */
export const LANGCHAIN_TYPES: ReadonlyMap<string, string> = new Map([
	["human", "user"],
	["ai", "assistant"],
	["AIMessageChunk", "assistant"],
	["system", "system"],
	["tool", "tool"],
	["function", "tool"],
	["user", "user"],
	["assistant", "assistant"],
]);

/** Maps other names of roles: `human` is the user, `ai` and `model` the assistant, `function` a tool. */
export function normalizeRole(role: string): string {
	const known = LANGCHAIN_TYPES.get(role);
	if (known !== undefined) return known;
	const lower = role.toLowerCase();
	if (lower === "model" || lower === "bot" || lower === "chatbot") return "assistant";
	return LANGCHAIN_TYPES.get(lower) ?? lower;
}

/** The role in an object; undefined when it has none. */
export function roleOf(data: PlainObject): string | undefined {
	const role = field(data, "role");
	if (typeof role === "string" && role !== "") return normalizeRole(role);
	// Semantic Kernel writes an enum value as {"label": "user"}.
	if (isObject(role))
		return ["label", "value", "name"].map((key) => field(role, key)).find((value) => typeof value === "string");
	const type = field(data, "type");
	return typeof type === "string" ? LANGCHAIN_TYPES.get(type) : undefined;
}

/**
 * The role by the class name of LangChain's `{"lc": 1, "id": ["langchain", "schema", "messages", "HumanMessage"],
 * "kwargs": …}`.
 */
export function langChainClassRole(data: PlainObject): string | undefined {
	const id = field(data, "id");
	const name = isList(id) ? id.at(-1) : undefined;
	if (typeof name !== "string") return undefined;
	const match = /^(Human|AI|System|Tool|Function)Message/.exec(name);
	return match?.[1] === undefined ? undefined : normalizeRole(match[1].toLowerCase());
}
