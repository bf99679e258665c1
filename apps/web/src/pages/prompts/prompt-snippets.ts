/** How an application asks for a prompt. */
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

/** What to paste into an application so that it uses the prompt. */
export function promptSnippets({
	origin,
	prompt,
	fetchBy,
	needsKey,
}: {
	/** Address of this server, without a slash at the end. */
	readonly origin: string;
	readonly prompt: string;
	readonly fetchBy: FetchBy;
	/** The server wants a key with every request. */
	readonly needsKey: boolean;
}): Record<SnippetLanguage, PromptSnippet> {
	const environment = [
		`export SERVICE_COLLECTOR_ENDPOINT='${origin}'`,
		...(needsKey ? ["export SERVICE_API_KEY='<your API key>'"] : []),
	].join("\n");
	return {
		python: { environment, install: "pip install spanward", code: python(prompt, fetchBy) },
		typescript: { environment, install: "npm install @spanward/client", code: typescript(prompt, fetchBy) },
		curl: { environment, install: "", code: curl(prompt, fetchBy, needsKey) },
	};
}

function python(prompt: string, fetchBy: FetchBy): string {
	return `from spanward import Client

client = Client()  # reads the variables above
version = client.prompts.get(${pythonArguments(prompt, fetchBy)})

for message in version["template"]["messages"]:
    print(message["role"], message["content"])
print(version["model_name"], version["invocation_parameters"])`;
}

function pythonArguments(prompt: string, fetchBy: FetchBy): string {
	switch (fetchBy.by) {
		case "version":
			return `version_id=${JSON.stringify(fetchBy.id)}`;
		case "tag":
			return `${JSON.stringify(prompt)}, tag=${JSON.stringify(fetchBy.tag)}`;
		case "latest":
			return JSON.stringify(prompt);
	}
}

function typescript(prompt: string, fetchBy: FetchBy): string {
	return `import { createClient } from "@spanward/client";

const client = createClient(); // reads the variables above
const { data: version } = await client.get(${typescriptArguments(prompt, fetchBy)});

for (const { role, content } of version.template.messages) console.log(role, content);
console.log(version.model_name, version.invocation_parameters);`;
}

function typescriptArguments(prompt: string, fetchBy: FetchBy): string {
	const name = JSON.stringify(prompt);
	switch (fetchBy.by) {
		case "version":
			return `"/v1/prompt_versions/{prompt_version_id}", {
  path: { prompt_version_id: ${JSON.stringify(fetchBy.id)} },
}`;
		case "tag":
			return `"/v1/prompts/{prompt_identifier}/tags/{tag_name}", {
  path: { prompt_identifier: ${name}, tag_name: ${JSON.stringify(fetchBy.tag)} },
}`;
		case "latest":
			return `"/v1/prompts/{prompt_identifier}/latest", {
  path: { prompt_identifier: ${name} },
}`;
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
