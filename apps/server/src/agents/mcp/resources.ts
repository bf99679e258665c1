import {
	type McpServer,
	ResourceNotFoundError,
	ResourceTemplate,
	type ServerContext,
} from "@modelcontextprotocol/server";
import { CallRefused } from "./call-refused.ts";
import type { Completions } from "./completions.ts";
import { RestRefusal } from "./rest.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools.ts";

interface Kind {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly template: string;
	/** The tool whose text it is, and its arguments. */
	readonly tool: string;
	readonly toArguments: (variables: Readonly<Record<string, string>>) => object;
	readonly complete: (completions: Completions) => Readonly<Record<string, Complete>>;
}

type Complete = (value: string, context?: { readonly arguments?: Record<string, string> }) => Promise<string[]>;

const KINDS: readonly Kind[] = [
	{
		...{ name: "trace", title: "A trace", tool: "get_trace", template: "spanward://project/{name}/trace/{trace_id}" },
		description: "A trace as a tree, as get_trace answers it.",
		toArguments: ({ name, trace_id }) => ({ project: name, trace_id }),
		complete: (of) => ({
			name: of.projects,
			trace_id: (value, context) => of.traces(value, context?.arguments?.["name"]),
		}),
	},
	{
		...{ name: "span", title: "A span", tool: "get_span", template: "spanward://project/{name}/span/{span_id}" },
		description: "What a span was given, gave, and failed with, as get_span answers it.",
		toArguments: ({ name, span_id }) => ({ project: name, span_id }),
		complete: (of) => ({ name: of.projects }),
	},
	{
		...{ name: "dataset", title: "A dataset", tool: "get_examples", template: "spanward://dataset/{name}" },
		description: "The first examples of a dataset, as get_examples answers them.",
		toArguments: ({ name }) => ({ dataset: name }),
		complete: (of) => ({ name: of.datasets }),
	},
	{
		...{
			name: "prompt",
			title: "A version of a prompt",
			tool: "get_prompt",
			template: "spanward://prompt/{name}@{tag}",
		},
		description: "The version of a prompt that has a tag, as get_prompt answers it.",
		toArguments: ({ name, tag }) => ({ prompt: name, tag }),
		complete: (of) => ({ name: of.prompts, tag: (value, context) => of.tags(value, context?.arguments?.["name"]) }),
	},
];

/** What is kept here, as addresses that a person may hand to a model; each is the text of a tool. */
export function registerResources(
	server: McpServer,
	completions: Completions,
	run: (tool: Tool, args: Record<string, unknown>, extra: ServerContext) => Promise<string>,
): void {
	for (const { name, title, description, template, tool: toolName, toArguments, complete } of KINDS) {
		const tool = TOOLS.find((each) => each.name === toolName);
		if (tool === undefined) throw new Error(`there is no tool ${toolName}`);
		server.registerResource(
			name,
			// They are too many to be listed.
			new ResourceTemplate(template, { list: undefined, complete: { ...complete(completions) } }),
			{ title, description, mimeType: "text/plain" },
			async (uri, variables, extra) => {
				const given = Object.fromEntries(
					Object.entries(variables).map(([key, value]) => [key, decodeURIComponent(String(value))]),
				);
				const text = await run(tool, tool.input.parse(toArguments(given)), extra).catch((error: unknown) => {
					if (!(error instanceof CallRefused)) throw error;
					const { cause, outcome, message } = error;
					if (cause instanceof RestRefusal && cause.status === 404) throw new ResourceNotFoundError(uri.href);
					if (outcome === "too_slow") return message;
					throw error;
				});
				return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
			},
		);
	}
}
