import {
	type CodeSnippet,
	INSTALL_PYTHON_CLIENT,
	INSTALL_TYPESCRIPT_CLIENT,
	pythonClient,
	typescriptClient,
} from "../../lib/client-snippets.ts";
import type { SnippetServer } from "../../lib/snippet-server.ts";

const PYTHON_EVALUATOR = `def exact_match(output, expected):
    return output == expected["answer"]`;

const TYPESCRIPT_EVALUATOR = `const exactMatch = asEvaluator({
  name: "exact_match",
  kind: "CODE",
  evaluate: ({ output, expected }) => ({ score: output === expected?.answer ? 1 : 0 }),
});`;

/** Code that runs a first experiment on a dataset. */
export function experimentSnippets(server: SnippetServer, dataset: string): CodeSnippet[] {
	const name = JSON.stringify(dataset);
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `${pythonClient(server)}


def answer(input):
    return "Paris"  # call your application here


${PYTHON_EVALUATOR}


client.experiments.run_experiment(
    dataset=client.datasets.get_dataset(dataset=${name}),
    task=answer,
    evaluators=[exact_match],
)`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `${typescriptClient(server, 'import { asEvaluator, runExperiment } from "@arizeai/phoenix-client/experiments";')}
${TYPESCRIPT_EVALUATOR}
await runExperiment({
  client,
  dataset: { datasetName: ${name} },
  task: async ({ input }) => "Paris", // call your application here
  evaluators: [exactMatch],
});`,
		},
	];
}

/** Code that executes the missing runs of an experiment. */
export function resumeSnippets(server: SnippetServer, experiment: string): CodeSnippet[] {
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `${pythonClient(server)}


def answer(input):
    return "Paris"  # the same task as before


${PYTHON_EVALUATOR}


client.experiments.resume_experiment(
    experiment_id="${experiment}",
    task=answer,
    evaluators=[exact_match],
)`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `${typescriptClient(server, 'import { asEvaluator, resumeExperiment } from "@arizeai/phoenix-client/experiments";')}
${TYPESCRIPT_EVALUATOR}
await resumeExperiment({
  client,
  experimentId: "${experiment}",
  task: async ({ input }) => "Paris", // the same task as before
  evaluators: [exactMatch],
});`,
		},
		{
			key: "curl",
			install: "",
			code: `# Which repetitions of which examples are missing or failed
curl -fsS '${server.origin}/v1/experiments/${encodeURIComponent(experiment)}/incomplete-runs'${server.needsKey ? ` \\\n  -H "authorization: Bearer $SERVICE_API_KEY"` : ""}`,
		},
	];
}
