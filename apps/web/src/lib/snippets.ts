/** Code to paste into an application so that it sends its spans. */
export interface Snippet {
	/** Variables to set in the shell; empty when there are none. */
	readonly environment: string;
	/** Empty when nothing has to be installed. */
	readonly install: string;
	readonly code: string;
}

export interface SnippetOptions {
	/** Address of this server, without a slash at the end. */
	readonly origin: string;
	readonly project: string;
	/** Whether the server requires a key with every request. */
	readonly needsKey: boolean;
	/** The key to show in the snippets; a placeholder when absent. */
	readonly apiKey?: string | undefined;
}

const PLACEHOLDER = "<your API key>";

/**
 * The key is read from the variable `SERVICE_API_KEY`, so that it is not in the code. The name of the header is in lower
 * case, as gRPC requires for metadata.
 */
export function snippets({
	origin,
	project,
	needsKey,
	apiKey,
}: SnippetOptions): Record<"python" | "typescript" | "otel", Snippet> {
	const name = JSON.stringify(project);
	const environment = needsKey ? `export SERVICE_API_KEY='${apiKey ?? PLACEHOLDER}'` : "";
	return {
		python: {
			environment,
			install: "pip install arize-phoenix-otel",
			code: `${needsKey ? "import os\n\n" : ""}from phoenix.otel import register

tracer_provider = register(
    endpoint="${origin}/v1/traces",
    project_name=${name},${needsKey ? `\n    headers={"authorization": f"Bearer {os.environ['SERVICE_API_KEY']}"},` : ""}
)
tracer = tracer_provider.get_tracer("hello")


@tracer.chain
def answer(question: str) -> str:
    return f"You asked: {question}"


print(answer("Does it arrive?"))`,
		},
		typescript: {
			environment,
			install: "npm install @arizeai/phoenix-otel",
			code: `// hello.mts, run with: npx tsx hello.mts
import { register, traceChain } from "@arizeai/phoenix-otel";

const provider = register({
  url: "${origin}",
  projectName: ${name},${needsKey ? `\n  headers: { authorization: \`Bearer \${process.env.SERVICE_API_KEY}\` },` : ""}
});

const answer = traceChain(async (question: string) => \`You asked: \${question}\`, {
  name: "answer",
});

console.log(await answer("Does it arrive?"));
await provider.shutdown();`,
		},
		otel: {
			environment,
			install: "",
			code: `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${origin}/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
${needsKey ? 'export OTEL_EXPORTER_OTLP_TRACES_HEADERS="authorization=Bearer%20$SERVICE_API_KEY"\n' : ""}export OTEL_RESOURCE_ATTRIBUTES=openinference.project.name=${encodeURIComponent(project)}`,
		},
	};
}
