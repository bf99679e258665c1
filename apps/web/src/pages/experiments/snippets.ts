import { config } from "../../lib/config.ts";
import { INSTALL_PYTHON_CLIENT, INSTALL_TYPESCRIPT_CLIENT } from "../../lib/install-clients.ts";
import type { CodeSnippet } from "../../ui/code-snippets.tsx";

/** Code that runs a first experiment on a dataset. */
export function experimentSnippets(dataset: string): CodeSnippet[] {
	const name = JSON.stringify(dataset);
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `from spanward import Client
from spanward.experiments import exact_match

client = Client(base_url="${config.origin}")


def answer(input):
    return "Paris"  # call your application here


client.experiments.run(${name}, answer, [exact_match])`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `import { Spanward, exactMatch, runExperiment } from "@spanward/client";

await runExperiment({
  client: new Spanward({ baseUrl: "${config.origin}" }),
  dataset: ${name},
  task: async ({ input }) => "Paris", // call your application here
  evaluators: [exactMatch],
});`,
		},
	];
}

/** Code that executes the missing runs of an experiment. */
export function resumeSnippets(experiment: string): CodeSnippet[] {
	return [
		{
			key: "python",
			install: INSTALL_PYTHON_CLIENT,
			code: `from spanward import Client
from spanward.experiments import exact_match

client = Client(base_url="${config.origin}")


def answer(input):
    return "Paris"  # the same task as before


client.experiments.resume("${experiment}", answer, [exact_match])`,
		},
		{
			key: "typescript",
			install: INSTALL_TYPESCRIPT_CLIENT,
			code: `import { Spanward, exactMatch, resumeExperiment } from "@spanward/client";

await resumeExperiment({
  client: new Spanward({ baseUrl: "${config.origin}" }),
  experimentId: "${experiment}",
  task: async ({ input }) => "Paris", // the same task as before
  evaluators: [exactMatch],
});`,
		},
		{
			key: "curl",
			install: "",
			code: `# Which repetitions of which examples are missing or failed
curl '${config.origin}/v1/experiments/${encodeURIComponent(experiment)}/incomplete-runs'${config.auth.enabled ? ` \\\n  -H "authorization: Bearer $SERVICE_API_KEY"` : ""}`,
		},
	];
}
