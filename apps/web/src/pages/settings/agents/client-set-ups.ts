/** Programs whose set-up is published, and the form that most others read. */
export const CLIENTS = ["claude", "codex", "gemini", "vscode", "cursor", "other"] as const;
export type Client = (typeof CLIENTS)[number];
export type Way = "login" | "key";

/** What a person does to make a program use the endpoint. */
export interface SetUp {
	/** Where the code goes; undefined for a command that is run. */
	readonly file: string | undefined;
	readonly code: string;
	/** How the program gets the key, if it needs one. */
	readonly key: "environment" | "asked" | "written" | undefined;
}

const NAME = "spanward";

/**
 * Each as its makers document it. There is no key in any of them.
 * @param url of the endpoint
 * @param way undefined where the server asks for nothing
 */
export function setUpOf(client: Client, url: string, way: Way | undefined): SetUp {
	const hasKey = way === "key";
	const headers = (value: string) => (hasKey ? { headers: { Authorization: `Bearer ${value}` } } : {});
	const key = hasKey ? "environment" : undefined;
	switch (client) {
		case "claude":
			if (!hasKey) return { file: undefined, code: `claude mcp add --transport http ${NAME} ${quoted(url)}`, key };
			return {
				file: ".mcp.json",
				code: json({ mcpServers: { [NAME]: { type: "http", url, ...headers(variable("SERVICE_API_KEY")) } } }),
				key,
			};
		case "codex": {
			const token = hasKey ? `\nbearer_token_env_var = "SERVICE_API_KEY"` : "";
			return { file: "~/.codex/config.toml", code: `[mcp_servers.${NAME}]\nurl = ${JSON.stringify(url)}${token}`, key };
		}
		case "gemini":
			return {
				file: "~/.gemini/settings.json",
				code: json({ mcpServers: { [NAME]: { httpUrl: url, ...headers(variable("SERVICE_API_KEY")) } } }),
				key,
			};
		case "vscode": {
			const input = { type: "promptString", id: "spanward-key", description: "API key of Spanward", password: true };
			return {
				file: ".vscode/mcp.json",
				code: json({
					...(hasKey ? { inputs: [input] } : {}),
					servers: { [NAME]: { type: "http", url, ...headers(variable("input:spanward-key")) } },
				}),
				key: hasKey ? "asked" : undefined,
			};
		}
		case "cursor":
			return {
				file: "~/.cursor/mcp.json",
				code: json({ mcpServers: { [NAME]: { url, ...headers(variable("env:SERVICE_API_KEY")) } } }),
				key,
			};
		case "other":
			return {
				file: undefined,
				code: json({ mcpServers: { [NAME]: { type: "http", url, ...headers("<API_KEY>") } } }),
				key: hasKey ? "written" : undefined,
			};
	}
}

/** A reference that the program replaces. */
function variable(name: string): string {
	return `\${${name}}`;
}

function json(value: object): string {
	return JSON.stringify(value, undefined, 2);
}

function quoted(url: string): string {
	return `'${url.replaceAll("'", "%27")}'`;
}
