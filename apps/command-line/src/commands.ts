import type { Command, Option } from "./command.ts";
import { SELECTION } from "./span-query.ts";

const YES: Option = { name: "yes", does: "without asking" };
const LIMIT: Option = { name: "limit", value: "<n>", does: "at most so many, or all; 50 unless told otherwise" };
const PROJECT: Option = { name: "project", value: "<name>", does: "the project; looked for in all unless given" };
const FULL: Option = { name: "full", does: "long texts whole" };

/** Everything that asks a server, in the order of the help. */
export const COMMANDS: readonly Command[] = [
	{
		name: "login",
		parameters: "<address>",
		positionals: [1, 1],
		does: "Keeps the address of a server, and an API key for it, in credentials.json of ~/.config/spanward (or XDG_CONFIG_HOME), which only you may read. Commands ask this server from then on.",
		options: [
			{ name: "key", does: "ask for an API key, or read it from standard input" },
			{ name: "name", value: "<name>", does: "what --profile calls it; the host unless told otherwise" },
		],
		examples: ["spanward login http://localhost:6006", "spanward login --key https://traces.example < key.txt"],
		load: async () => (await import("./log-in/login.ts")).login,
	},
	{
		name: "logout",
		does: "Forgets the key and the address of a log-in: that of --profile, else the current one. The key itself goes on to be valid; it is deleted in Settings → API keys.",
		options: [{ name: "all", does: "of every log-in" }],
		examples: ["spanward logout", "spanward logout --profile traces.example"],
		load: async () => (await import("./log-in/logout.ts")).logout,
	},
	{
		name: "whoami",
		does: "Says which server is asked, as whom, and what that account may do.",
		examples: ["spanward whoami", "spanward whoami --json"],
		load: async () => (await import("./log-in/whoami.ts")).whoami,
	},
	{
		name: "profiles",
		does: "Lists the log-ins. Keys are not shown.",
		examples: ["spanward profiles", "spanward projects list --profile traces.example"],
		load: async () => (await import("./log-in/profiles.ts")).listProfiles,
	},
	{
		name: "profiles use",
		parameters: "<name>",
		positionals: [1, 1],
		does: "Makes a log-in the one that commands use.",
		examples: ["spanward profiles use traces.example"],
		load: async () => (await import("./log-in/profiles.ts")).useProfile,
	},
	{
		name: "projects list",
		does: "Lists projects, newest first, with what they did in the last 24 hours.",
		options: [{ name: "name", value: "<part>", does: "only those with this in their name" }, LIMIT],
		examples: ["spanward projects list", "spanward projects list --json | jq -r .name"],
		load: async () => (await import("./projects/list.ts")).listProjects,
	},
	{
		name: "project show",
		parameters: "<name>",
		positionals: [1, 1],
		does: "Shows a project, and what it did in the last 24 hours.",
		examples: ["spanward project show shop"],
		load: async () => (await import("./projects/show.ts")).showProject,
	},
	{
		name: "project create",
		parameters: "<name>",
		positionals: [1, 1],
		does: "Makes a project.",
		options: [{ name: "description", value: "<text>", does: "what it is for" }],
		examples: ['spanward project create shop --description "the agent of the shop"'],
		load: async () => (await import("./projects/change.ts")).createProject,
	},
	{
		name: "project delete",
		parameters: "<name>",
		positionals: [1, 1],
		does: "Deletes a project with its traces, sessions and annotations.",
		options: [YES],
		examples: ["spanward project delete shop", "spanward project delete shop --yes"],
		load: async () => (await import("./projects/change.ts")).deleteProject,
	},
	{
		name: "traces list",
		does: "Lists traces, newest first.",
		options: [
			...SELECTION,
			{ name: "sort", value: "<field>", does: "latency_ms, total_cost, error_count, …, largest first" },
			LIMIT,
		],
		examples: [
			"spanward traces list --since 2h --filter 'error_count > 0'",
			"spanward traces list --project shop --json | jq -r .trace_id",
		],
		load: async () => (await import("./traces/list.ts")).listTraces,
	},
	{
		name: "traces tail",
		does: "Shows traces as they are completed, each once, until Ctrl-C. Connects again by itself, and reads what came meanwhile.",
		options: [
			{ name: "project", value: "<name>", does: "the project; SERVICE_PROJECT_NAME, else default" },
			{ name: "errors", does: "only those with an error" },
			{ name: "limit", value: "<n>", does: "so many of the last hour before; 10 unless told otherwise" },
		],
		examples: ["spanward traces tail --project shop", "spanward traces tail --errors --json"],
		load: async () => (await import("./traces/tail.ts")).tailTraces,
	},
	{
		name: "traces export",
		does: "Writes all spans that match, by default as a line of JSON each. With --output, an interrupted export goes on where it was when the same command is given again; Arrow is written whole.",
		options: [
			...SELECTION,
			{ name: "format", value: "<format>", does: "ndjson, otlp (as spanward import otlp reads it) or arrow" },
			{ name: "output", value: "<file>", does: "a new file; else standard output" },
		],
		examples: [
			"spanward traces export --since 7d --output week.ndjson",
			"spanward traces export --format otlp | zstd > spans.jsonl.zst",
		],
		load: async () => (await import("./traces/export.ts")).exportTraces,
	},
	{
		name: "trace show",
		parameters: "<trace id>",
		positionals: [1, 1],
		does: "Draws the spans of a trace as a tree, with bars of when they ran. Alike siblings are one line, and the deepest levels are left out where they would not fit the terminal, but never an error.",
		options: [PROJECT, { name: "all", does: "every span" }],
		examples: ["spanward trace show 4bf92f3577b34da6a3ce929d0e0e4736", "spanward trace show <id> --all | less"],
		load: async () => (await import("./traces/show.ts")).showTrace,
	},
	{
		name: "spans list",
		does: "Lists spans, newest first. With --json they have their attributes and events.",
		options: [
			...SELECTION,
			{ name: "sort", value: "<field>", does: "start_time, latency_ms, total_cost, …, largest first" },
			LIMIT,
		],
		examples: [`spanward spans list --filter "span_kind == 'LLM' and latency_ms > 5000"`],
		load: async () => (await import("./spans/list.ts")).listSpans,
	},
	{
		name: "span show",
		parameters: "<span id>",
		positionals: [1, 1],
		does: "Shows a span with its attributes and events.",
		options: [PROJECT, FULL],
		examples: ["spanward span show 00f067aa0ba902b7", "spanward span show 00f067aa0ba902b7 --json | jq .attributes"],
		load: async () => (await import("./spans/show.ts")).showSpan,
	},
	{
		name: "sessions list",
		does: "Lists sessions, the latest first.",
		options: [...SELECTION, LIMIT],
		examples: ["spanward sessions list --since 1d", "spanward sessions list --filter 'num_traces > 3'"],
		load: async () => (await import("./sessions/list.ts")).listSessions,
	},
	{
		name: "session show",
		parameters: "<session id>",
		positionals: [1, 1],
		does: "Shows a session: what was asked and answered, in order.",
		options: [PROJECT, FULL],
		examples: ["spanward session show chat-17"],
		load: async () => (await import("./sessions/show.ts")).showSession,
	},
	{
		name: "api",
		parameters: "<METHOD> <path>",
		positionals: [2, 2],
		does: "Sends any request of the REST API (openapi.json of the server lists them) with the log-in, and prints the answer. It does not ask before it deletes.",
		options: [
			{ name: "data", value: "<json>", does: "the body; @file reads a file, @- standard input" },
			{ name: "content-type", value: "<type>", does: "of the body; application/json unless told otherwise" },
		],
		examples: [
			"spanward api GET /v1/projects?limit=3",
			'spanward api POST /v1/projects --data \'{"name": "shop"}\'',
			"spanward api POST /v1/traces --data @spans.bin --content-type application/x-protobuf",
		],
		load: async () => (await import("./api.ts")).api,
	},
];
