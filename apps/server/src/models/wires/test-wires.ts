import type { ModelProvider } from "@spanward/e2e/peers/model-provider.ts";
import type { OpenConnection } from "../connection.ts";

/** A kind of connection to the stand-in for providers, and where it must call it. */
export interface TestWire {
	readonly name: string;
	readonly connection: (provider: ModelProvider) => OpenConnection;
	/** The model's name, behaviours of the stand-in after it. */
	readonly model: string;
	/** Paths of calls of the model that is called only by its name. */
	readonly paths: { readonly whole: string; readonly streamed: string };
	/** Whether the library reads what was thought. */
	readonly tellsReasoning: boolean;
	/** Which tokens the wire counts apart. */
	readonly counts: { readonly cacheWrite: boolean; readonly reasoning: boolean };
}

function connection(kind: OpenConnection["kind"], baseUrl: string, more: Partial<OpenConnection> = {}): OpenConnection {
	const rest = { api: "chat_completions", settings: {}, credentials: {}, headers: {}, timeoutMs: 60_000 } as const;
	return { kind, baseUrl, ...rest, ...more };
}

const CHAT = "/v1/chat/completions";
const DEPLOYMENT = "/openai/deployments/a%20model/chat/completions?api-version=2024-10-21";
const VERTEX = "/v1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-m";
const OPENAI_COUNTS = { cacheWrite: false, reasoning: true };

export const TEST_WIRES: readonly TestWire[] = [
	{
		name: "openai, Chat Completions",
		connection: ({ openai }) => connection("openai", openai, { credentials: { api_key: "sk-open/1234567890" } }),
		model: "m",
		paths: { whole: CHAT, streamed: CHAT },
		tellsReasoning: false,
		counts: OPENAI_COUNTS,
	},
	{
		name: "openai_compatible",
		connection: ({ openai }) => connection("openai_compatible", openai),
		model: "m",
		paths: { whole: CHAT, streamed: CHAT },
		tellsReasoning: true,
		counts: OPENAI_COUNTS,
	},
	{
		name: "azure_openai",
		connection: ({ url }) =>
			connection("azure_openai", url, {
				credentials: { api_key: "azure+1234567890" },
				settings: { api_version: "2024-10-21" },
			}),
		model: "a model",
		paths: { whole: DEPLOYMENT, streamed: DEPLOYMENT },
		tellsReasoning: false,
		counts: OPENAI_COUNTS,
	},
	{
		name: "openai, Responses",
		connection: ({ openai }) =>
			connection("openai", openai, { api: "responses", credentials: { api_key: "sk-open/1234567890" } }),
		model: "m",
		paths: { whole: "/v1/responses", streamed: "/v1/responses" },
		tellsReasoning: true,
		counts: OPENAI_COUNTS,
	},
	{
		name: "anthropic",
		connection: ({ url }) => connection("anthropic", `${url}/v1`, { credentials: { api_key: "sk-ant-1234567890" } }),
		model: "m",
		paths: { whole: "/v1/messages", streamed: "/v1/messages" },
		tellsReasoning: true,
		counts: { cacheWrite: true, reasoning: true },
	},
	{
		name: "google",
		connection: ({ gemini }) => connection("google", gemini, { credentials: { api_key: "AIza1234567890" } }),
		model: "gemini-m",
		paths: {
			whole: "/v1beta/models/gemini-m:generateContent",
			streamed: "/v1beta/models/gemini-m:streamGenerateContent?alt=sse",
		},
		tellsReasoning: true,
		counts: OPENAI_COUNTS,
	},
	{
		name: "google_vertex",
		connection: ({ url }) =>
			connection("google_vertex", url, { settings: { project: "my-project", location: "europe-west4" } }),
		model: "gemini-m",
		paths: { whole: `${VERTEX}:generateContent`, streamed: `${VERTEX}:streamGenerateContent?alt=sse` },
		tellsReasoning: true,
		counts: OPENAI_COUNTS,
	},
	{
		name: "aws_bedrock",
		connection: ({ url }) =>
			connection("aws_bedrock", url, {
				settings: { region: "eu-west-1" },
				credentials: { access_key_id: "AKIAEXAMPLE", secret_access_key: "aws/secret+1234567890" },
			}),
		model: "vendor.m-v1:0",
		paths: {
			whole: "/model/vendor.m-v1%3A0/converse",
			streamed: "/model/vendor.m-v1%3A0/converse-stream",
		},
		tellsReasoning: true,
		counts: { cacheWrite: true, reasoning: false },
	},
];

export function testWire(name: string): TestWire {
	const wire = TEST_WIRES.find((one) => one.name === name);
	if (wire === undefined) throw new Error(`There is no wire ${name}`);
	return wire;
}
