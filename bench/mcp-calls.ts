interface ToolAnswer {
	/** For models. */
	readonly text: string;
	readonly milliseconds: number;
}

/**
 * Calls a tool of the MCP endpoint as clients do that keep no state.
 * @param headers credentials
 * @throws when the tool does not answer, or with an error
 */
export async function callTool(
	url: string,
	name: string,
	args: object,
	headers: Readonly<Record<string, string>> = {},
): Promise<ToolAnswer> {
	const start = performance.now();
	const response = await fetch(`${url}/mcp`, {
		method: "POST",
		headers: {
			...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
			...{ "mcp-protocol-version": "2025-06-18", ...headers },
		},
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
	});
	const body = await response.text();
	const milliseconds = performance.now() - start;
	// JSON, or the same as the only event of a stream.
	const json = /^data: (.*)$/m.exec(body)?.[1] ?? body;
	if (!response.ok) throw new Error(`${name} answered ${response.status}: ${body.slice(0, 300)}`);
	const { result } = JSON.parse(json) as Answer;
	if (result === undefined || result.isError === true) throw new Error(`${name} answered ${json.slice(0, 300)}`);
	return { text: result.content.map(({ text }) => text ?? "").join(""), milliseconds };
}

interface Answer {
	readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text?: string }[] };
}
