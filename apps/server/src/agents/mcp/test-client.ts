import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TestApp } from "#test-app.ts";

/** A released client that is connected to a server of a test, over HTTP. */
export interface TestClient extends AsyncDisposable {
	readonly client: Client;
	/** Names of the tools that it is offered. */
	tools(): Promise<readonly string[]>;
	/** The answer of a tool: its text, data, and whether it is an error. */
	call(name: string, args?: object): Promise<ToolResult>;
}

export interface ToolResult {
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	readonly data: any;
	readonly isError: boolean;
}

/** The address at which the server of a test listens; it begins to, on any port of loopback. */
export async function listening({ app }: TestApp): Promise<string> {
	if (app.server.address() === null) await app.listen({ host: "127.0.0.1", port: 0 });
	const address = app.server.address();
	if (address === null || typeof address === "string") throw new Error("it listens on no port");
	return `http://127.0.0.1:${address.port}`;
}

/** @param era `legacy` for a client that knows nothing of the revision 2026-07-28 */
export async function connectClient(
	server: TestApp,
	headers: Readonly<Record<string, string>> = {},
	era: "legacy" | "auto" = "auto",
): Promise<TestClient> {
	return await connectTo(await listening(server), headers, era);
}

/** @param url of the server, without the path of the protocol */
export async function connectTo(
	url: string,
	headers: Readonly<Record<string, string>> = {},
	era: "legacy" | "auto" = "auto",
): Promise<TestClient> {
	const client = new Client({ name: "test-agent", version: "1.2.3" }, { versionNegotiation: { mode: era } });
	const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
		requestInit: { headers: { ...headers } },
	});
	await client.connect(transport);
	return {
		client,
		tools: async () => (await client.listTools()).tools.map(({ name }) => name),
		async call(name, args = {}) {
			const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
			const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
			return { text, data: structuredContent, isError: isError === true };
		},
		[Symbol.asyncDispose]: () => client.close(),
	};
}
