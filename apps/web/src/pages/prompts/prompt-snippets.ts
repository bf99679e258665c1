import { INSTALL_PYTHON_CLIENT, INSTALL_TYPESCRIPT_CLIENT } from "../../lib/install-clients.ts";

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
}: {
	/** Address of this server, without a slash at the end. */
	readonly origin: string;
	readonly prompt: string;
	readonly fetchBy: FetchBy;
	/** Names of the template's variables. */
	readonly variables: readonly string[];
	/** Whether the server requires a key with every request. */
	readonly needsKey: boolean;
}): Record<SnippetLanguage, PromptSnippet> {
	const environment = [
		`export SERVICE_COLLECTOR_ENDPOINT='${origin}'`,
		...(needsKey ? ["export SERVICE_API_KEY='<your API key>'"] : []),
	].join("\n");
	return {
		python: { environment, install: INSTALL_PYTHON_CLIENT, code: python(prompt, fetchBy, variables) },
		typescript: { environment, install: INSTALL_TYPESCRIPT_CLIENT, code: typescript(prompt, fetchBy, variables) },
		curl: { environment, install: "", code: curl(prompt, fetchBy, needsKey) },
	};
}

function python(prompt: string, fetchBy: FetchBy, variables: readonly string[]): string {
	const given = variables.map((name) => `    ${JSON.stringify(name)}: "…",`);
	return `from spanward import Client

client = Client()  # reads the variables above
version = client.prompts.${pythonCall(prompt, fetchBy)}
messages = version.format(${given.length === 0 ? "" : `{\n${given.join("\n")}\n}`})
print(version.model_name, version.invocation_parameters, messages)`;
}

function pythonCall(prompt: string, fetchBy: FetchBy): string {
	switch (fetchBy.by) {
		case "version":
			return `get_version(${JSON.stringify(fetchBy.id)})`;
		case "tag":
			return `get(${JSON.stringify(prompt)}, tag=${JSON.stringify(fetchBy.tag)})`;
		case "latest":
			return `get(${JSON.stringify(prompt)})`;
	}
}

function typescript(prompt: string, fetchBy: FetchBy, variables: readonly string[]): string {
	const given = variables.map((name) => `  ${JSON.stringify(name)}: "…",`);
	return `import { formatPrompt, Spanward } from "@spanward/client";

const spanward = new Spanward(); // reads the variables above
const version = await spanward.prompts.${typescriptCall(prompt, fetchBy)};
const messages = formatPrompt(version${given.length === 0 ? "" : `, {\n${given.join("\n")}\n}`});
console.log(version.model_name, version.invocation_parameters, messages);`;
}

function typescriptCall(prompt: string, fetchBy: FetchBy): string {
	switch (fetchBy.by) {
		case "version":
			return `getVersion(${JSON.stringify(fetchBy.id)})`;
		case "tag":
			return `get(${JSON.stringify(prompt)}, { tag: ${JSON.stringify(fetchBy.tag)} })`;
		case "latest":
			return `get(${JSON.stringify(prompt)})`;
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
