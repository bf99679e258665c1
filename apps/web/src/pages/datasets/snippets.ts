import {
	type CodeSnippet,
	INSTALL_PYTHON_CLIENT,
	INSTALL_TYPESCRIPT_CLIENT,
	pythonClient,
	typescriptClient,
} from "../../lib/client-snippets.ts";
import type { SnippetServer } from "../../lib/snippet-server.ts";

/** Code that creates a first dataset. */
export function datasetSnippets(server: SnippetServer): CodeSnippet[] {
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `${pythonClient(server)}
dataset = client.datasets.create_dataset(
    name="questions",
    inputs=[{"question": "What is the capital of France?"}],
    outputs=[{"answer": "Paris"}],
)
print(dataset.id)`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `${typescriptClient(server, 'import { createDataset } from "@arizeai/phoenix-client/datasets";')}
const { datasetId } = await createDataset({
  client,
  name: "questions",
  description: "",
  examples: [
    { input: { question: "What is the capital of France?" }, output: { answer: "Paris" } },
  ],
});
console.log(datasetId);`,
		},
		{
			key: "curl",
			install: "",
			code: `curl -fsS '${server.origin}/v1/datasets/upload?sync=true' \\
  -H 'content-type: application/json' \\${keyHeader(server)}
  -d '{
    "name": "questions",
    "inputs": [{"question": "What is the capital of France?"}],
    "outputs": [{"answer": "Paris"}]
  }'`,
		},
	];
}

/** Code that adds examples to an existing dataset. */
export function exampleSnippets(server: SnippetServer, dataset: string): CodeSnippet[] {
	const name = JSON.stringify(dataset);
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `${pythonClient(server)}
client.datasets.add_examples_to_dataset(
    dataset=${name},
    inputs=[{"question": "What is the capital of France?"}],
    outputs=[{"answer": "Paris"}],
)`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `${typescriptClient(server, 'import { appendDatasetExamples } from "@arizeai/phoenix-client/datasets";')}
await appendDatasetExamples({
  client,
  dataset: { datasetName: ${name} },
  examples: [
    { input: { question: "What is the capital of France?" }, output: { answer: "Paris" } },
  ],
});`,
		},
		{
			key: "curl",
			install: "",
			code: `curl -fsS '${server.origin}/v1/datasets/upload?sync=true' \\
  -H 'content-type: application/json' \\${keyHeader(server)}
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

function keyHeader({ needsKey }: SnippetServer): string {
	return needsKey ? `\n  -H "authorization: Bearer $SERVICE_API_KEY" \\` : "";
}
