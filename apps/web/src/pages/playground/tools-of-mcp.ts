/** A tool as MCP servers list it (tools/list), with the fields that a model is told. */
interface McpTool {
	readonly name: string;
	readonly description?: string;
	readonly inputSchema: object;
}

/**
 * Descriptions of MCP tools, as a server lists them, as tools of a call: a list, an object with `tools`, or a whole answer
 * to `tools/list`. Undefined for any other text.
 */
export function toolsOfMcp(text: string): string | undefined {
	if (!text.includes("inputSchema")) return undefined;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
	const list = listIn(value);
	if (list === undefined || !list.every(isMcpTool)) return undefined;
	const tools = list.map(({ name, description, inputSchema }) => ({
		type: "function",
		function: { name, ...(description === undefined ? {} : { description }), parameters: inputSchema },
	}));
	return JSON.stringify({ type: "tools", tools }, null, 2);
}

function listIn(value: unknown): readonly unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (typeof value !== "object" || value === null) return undefined;
	if ("inputSchema" in value) return [value];
	const inner = "tools" in value ? value.tools : "result" in value ? value.result : undefined;
	return inner === undefined ? undefined : listIn(inner);
}

function isMcpTool(value: unknown): value is McpTool {
	if (typeof value !== "object" || value === null || !("name" in value) || !("inputSchema" in value)) return false;
	return typeof value.name === "string" && typeof value.inputSchema === "object" && value.inputSchema !== null;
}
