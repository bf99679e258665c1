import type { SnippetServer } from "./snippet-server.ts";

export interface CodeSnippet {
	readonly key: "python" | "typescript" | "curl";
	/** Empty when nothing has to be installed. */
	readonly install: string;
	readonly code: string;
}

// The released clients, which this server takes unchanged: no registry has ours.
export const INSTALL_PYTHON_CLIENT = "pip install arize-phoenix-client";
export const INSTALL_TYPESCRIPT_CLIENT = "npm install @arizeai/phoenix-client";

/** Python that makes `client`; `imports` stand with its own. */
export function pythonClient({ origin, needsKey }: SnippetServer, imports = ""): string {
	const key = needsKey ? `, api_key=os.environ["SERVICE_API_KEY"]` : "";
	return `${needsKey ? "import os\n\n" : ""}from phoenix.client import Client
${imports}
client = Client(base_url="${origin}"${key})`;
}

/** TypeScript that makes `client`; `imports` stand with its own. */
export function typescriptClient({ origin, needsKey }: SnippetServer, imports: string): string {
	const key = needsKey ? `\n    headers: { authorization: \`Bearer \${process.env.SERVICE_API_KEY}\` },` : "";
	return `import { createClient } from "@arizeai/phoenix-client";
${imports}

const client = createClient({
  options: {
    baseUrl: "${origin}",${key}
  },
});`;
}
