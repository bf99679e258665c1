import {
	INSTALL_PYTHON_CLIENT,
	INSTALL_TYPESCRIPT_CLIENT,
	pythonClient,
	typescriptClient,
} from "../../lib/client-snippets.ts";
import type { SnippetServer } from "../../lib/snippet-server.ts";

/** How an application selects a prompt version. */
export type FetchBy =
	| { readonly by: "version"; readonly id: string }
	| { readonly by: "tag"; readonly tag: string }
	| { readonly by: "latest" };

export type SnippetLanguage = "python" | "typescript" | "curl";

export interface PromptSnippet {
	/** Variables to set in the shell. */
	readonly environment: string;
	/** Empty when nothing has to be installed. */
	readonly install: string;
	readonly code: string;
}

/** Code to paste into an application so that it uses the prompt. */
export function promptSnippets({
	origin,
	prompt,
	fetchBy,
	variables,
	needsKey,
}: SnippetServer & {
	readonly prompt: string;
	readonly fetchBy: FetchBy;
	/** Names of the template's variables. */
	readonly variables: readonly string[];
}): Record<SnippetLanguage, PromptSnippet> {
	const server = { origin, needsKey };
	const key = needsKey ? ["export SERVICE_API_KEY='<your API key>'"] : [];
	return {
		python: {
			environment: key.join("\n"),
			install: INSTALL_PYTHON_CLIENT,
			code: python(server, prompt, fetchBy, variables),
		},
		typescript: {
			environment: key.join("\n"),
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: typescript(server, prompt, fetchBy, variables),
		},
		curl: {
			environment: [`export SERVICE_COLLECTOR_ENDPOINT='${origin}'`, ...key].join("\n"),
			install: "",
			code: curl(prompt, fetchBy, needsKey),
		},
	};
}

function python(server: SnippetServer, prompt: string, fetchBy: FetchBy, variables: readonly string[]): string {
	const given = variables.map((name) => `\n    ${JSON.stringify(name)}: "…",`).join("");
	return `${pythonClient(server)}
version = client.prompts.get(${pythonArguments(prompt, fetchBy)})
request = version.format(variables={${given === "" ? "" : `${given}\n`}})
print(dict(request))  # model, messages and parameters, for the provider's own client`;
}

function pythonArguments(prompt: string, fetchBy: FetchBy): string {
	switch (fetchBy.by) {
		case "version":
			return `prompt_version_id=${JSON.stringify(fetchBy.id)}`;
		case "tag":
			return `prompt_identifier=${JSON.stringify(prompt)}, tag=${JSON.stringify(fetchBy.tag)}`;
		case "latest":
			return `prompt_identifier=${JSON.stringify(prompt)}`;
	}
}

function typescript(server: SnippetServer, prompt: string, fetchBy: FetchBy, variables: readonly string[]): string {
	const given = variables.map((name) => `\n    ${JSON.stringify(name)}: "…",`).join("");
	return `${typescriptClient(server, 'import { getPrompt, toSDK } from "@arizeai/phoenix-client/prompts";')}
const prompt = await getPrompt({ client, prompt: ${typescriptSelector(prompt, fetchBy)} });
if (prompt === null) throw new Error("there is no such prompt");
const request = toSDK({
  sdk: "openai", // or "anthropic", "ai"
  prompt,
  variables: {${given === "" ? "" : `${given}\n  `}},
});
console.dir(request, { depth: null }); // model, messages and parameters`;
}

function typescriptSelector(prompt: string, fetchBy: FetchBy): string {
	switch (fetchBy.by) {
		case "version":
			return `{ versionId: ${JSON.stringify(fetchBy.id)} }`;
		case "tag":
			return `{ name: ${JSON.stringify(prompt)}, tag: ${JSON.stringify(fetchBy.tag)} }`;
		case "latest":
			return `{ name: ${JSON.stringify(prompt)} }`;
	}
}

function curl(prompt: string, fetchBy: FetchBy, needsKey: boolean): string {
	const key = needsKey ? ' -H "Authorization: Bearer $SERVICE_API_KEY"' : "";
	return `curl -fsS${key} "$SERVICE_COLLECTOR_ENDPOINT${promptPath(prompt, fetchBy)}"`;
}

function promptPath(prompt: string, fetchBy: FetchBy): string {
	const name = encodeURIComponent(prompt);
	switch (fetchBy.by) {
		case "version":
			return `/v1/prompt_versions/${encodeURIComponent(fetchBy.id)}`;
		case "tag":
			return `/v1/prompts/${name}/tags/${encodeURIComponent(fetchBy.tag)}`;
		case "latest":
			return `/v1/prompts/${name}/latest`;
	}
}
