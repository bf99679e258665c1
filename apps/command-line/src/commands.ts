import type { Command, Option } from "./command.ts";

const YES: Option = { name: "yes", does: "without asking" };
const LIMIT: Option = { name: "limit", value: "<n>", does: "at most so many, or all; 50 unless told otherwise" };

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
