import { completable, type McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Completions } from "./completions.ts";

/** What people often ask for, in words that make a model use the tools well. */
export function registerPrompts(server: McpServer, of: Completions): void {
	const project = completable(z.string().describe("Name of the project."), of.projects);
	server.registerPrompt(
		"debug_trace",
		{
			title: "Why did this run fail?",
			description: "Reads one trace and explains what went wrong.",
			argsSchema: z.object({
				project,
				trace_id: completable(z.string().describe("Id of the trace."), (value, context) =>
					of.traces(value, context?.arguments?.["project"]),
				),
			}),
		},
		({ project: name, trace_id: id }) =>
			say(
				`Read the trace ${JSON.stringify(id)} of the project ${JSON.stringify(name)} with get_trace. Say what it was asked to do, what failed first and why, with the ids of the spans that show it; look into these with get_span. If nothing failed, say what took the time. Say what you are not sure of. Change nothing.`,
			),
	);
	server.registerPrompt(
		"triage_errors",
		{
			title: "What fails, and how often?",
			description: "Groups a project's failing traces by cause.",
			argsSchema: z.object({ project }),
		},
		({ project: name }) =>
			say(
				`Look at the project ${JSON.stringify(name)} with describe_project, and find its newest failing traces with search_traces (errors_only). Group them by cause, the most frequent first, with one trace of each that you have read with get_trace, and its link. Say which cause to look at first. Change nothing.`,
			),
	);
	server.registerPrompt(
		"write_evaluation_set",
		{
			title: "Make examples of what went wrong",
			description: "Proposes examples for a dataset from failing traces, and adds them once you agree.",
			argsSchema: z.object({
				project,
				dataset: completable(z.string().describe("Name of the dataset, new or not."), of.datasets),
			}),
		},
		({ project: name, dataset }) =>
			say(
				`Find traces of the project ${JSON.stringify(name)} that failed or answered badly, with search_traces, and read them with get_trace. Propose which of their spans become examples of the dataset ${JSON.stringify(dataset)}, why, and what the right answer would have been. Wait until I agree; then make the dataset with create_dataset if list_datasets does not have it, and add the spans with add_examples.`,
			),
	);
}

function say(text: string) {
	return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}
