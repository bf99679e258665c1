import { config } from "../../lib/config.ts";
import { INSTALL_PYTHON_CLIENT, INSTALL_TYPESCRIPT_CLIENT } from "../../lib/install-clients.ts";
import type { CodeSnippet } from "../../ui/code-snippets.tsx";

/** Code that creates a first dataset. */
export function datasetSnippets(): CodeSnippet[] {
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `from spanward import Client

client = Client(base_url="${config.origin}")
dataset = client.datasets.create(
    name="questions",
    inputs=[{"question": "What is the capital of France?"}],
    outputs=[{"answer": "Paris"}],
)
print(dataset["id"])`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `import { Spanward } from "@spanward/client";

const client = new Spanward({ baseUrl: "${config.origin}" });
const dataset = await client.datasets.create({
  name: "questions",
  examples: [
    { input: { question: "What is the capital of France?" }, output: { answer: "Paris" } },
  ],
});
console.log(dataset.id);`,
		},
		{
			key: "curl",
			install: "",
			code: `curl '${config.origin}/v1/datasets/upload?sync=true' \\
  -H 'content-type: application/json' \\${config.auth.enabled ? `\n  -H "authorization: Bearer $SERVICE_API_KEY" \\` : ""}
  -d '{
    "name": "questions",
    "inputs": [{"question": "What is the capital of France?"}],
    "outputs": [{"answer": "Paris"}]
  }'`,
		},
	];
}

/** Code that adds examples to an existing dataset. */
export function exampleSnippets(dataset: string): CodeSnippet[] {
	const name = JSON.stringify(dataset);
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `from spanward import Client

client = Client(base_url="${config.origin}")
client.datasets.append(
    ${name},
    inputs=[{"question": "What is the capital of France?"}],
    outputs=[{"answer": "Paris"}],
)`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `import { Spanward } from "@spanward/client";

const client = new Spanward({ baseUrl: "${config.origin}" });
await client.datasets.append(${name}, [
  { input: { question: "What is the capital of France?" }, output: { answer: "Paris" } },
]);`,
		},
		{
			key: "curl",
			install: "",
			code: `curl '${config.origin}/v1/datasets/upload?sync=true' \\
  -H 'content-type: application/json' \\${config.auth.enabled ? `\n  -H "authorization: Bearer $SERVICE_API_KEY" \\` : ""}
  -d @- <<'END'
{
  "name": ${name},
  "action": "append",
  "inputs": [{"question": "What is the capital of France?"}],
  "outputs": [{"answer": "Paris"}]
}
END`,
		},
	];
}
