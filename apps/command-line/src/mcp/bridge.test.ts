import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestUser } from "../log-in/test-log-in.ts";
import { openTestCommands, type TestCommands } from "../test-command.ts";

const COMMAND = ["--disable-warning=ExperimentalWarning", `${import.meta.dirname}/../main.ts`, "mcp"];
const INITIALIZE = {
	...{ jsonrpc: "2.0", id: 1, method: "initialize" },
	params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

let commands: TestCommands;
let user: TestUser;
beforeAll(async () => {
	commands = await openTestCommands({ SERVICE_ENABLE_AUTH: "true" });
	user = new TestUser(commands, await commands.app.signedIn("MEMBER"));
	await commands.app.call("POST", "/v1/projects", { name: "shop" }, user.principal.headers);
});
afterAll(() => commands[Symbol.asyncDispose]());

type Environment = Readonly<Record<string, string>>;

/** A released client that starts the command, as editors do. */
async function connect(env: Environment, era: "legacy" | "auto" = "auto") {
	const client = new Client({ name: "test-agent", version: "1.2.3" }, { versionNegotiation: { mode: era } });
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: COMMAND,
		env: { XDG_CONFIG_HOME: commands.folder, ...env },
		stderr: "ignore",
	});
	await client.connect(transport);
	return { client, [Symbol.asyncDispose]: () => client.close() };
}

async function projectsOf(client: Client): Promise<string> {
	return JSON.stringify((await client.callTool({ name: "list_projects", arguments: {} })).structuredContent);
}

/** The command, talked to in lines. */
class Talk {
	readonly #child;
	readonly #said;
	readonly #closed;
	#written = "";

	constructor(env: Environment) {
		this.#child = spawn(process.execPath, COMMAND, { env: { XDG_CONFIG_HOME: commands.folder, ...env } });
		this.#said = text(this.#child.stderr);
		this.#closed = once(this.#child, "close");
		this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
			this.#written += chunk;
		});
	}

	say(...lines: readonly string[]): void {
		for (const line of lines) this.#child.stdin.write(`${line}\n`);
	}

	/** What it has answered, when it is so much. Each line is a message, or this throws. */
	async messages(count: number): Promise<readonly unknown[]> {
		const lines = () => this.#written.split("\n").slice(0, -1);
		await expect.poll(() => lines().length).toBeGreaterThanOrEqual(count);
		return lines().map((line): unknown => JSON.parse(line));
	}

	async end(): Promise<{ readonly code: number; readonly said: string }> {
		this.#child.stdin.end();
		const [code] = await this.#closed;
		return { code, said: await this.#said };
	}
}

test("AG15 a released client starts spanward mcp, with the log-in for MCP or a key, and calls tools", async () => {
	expect(await user.logIn()).toMatchObject({ code: 0 });
	// The log-in of other commands is for the API, and stays so.
	const early = new Talk({});
	early.say(JSON.stringify(INITIALIZE));
	const message = expect.stringContaining("spanward login --mcp");
	expect(await early.messages(1)).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -32603, message } }]);
	expect(await user.logIn({ args: ["--mcp"] })).toMatchObject({ code: 0 });
	early.say(JSON.stringify({ ...INITIALIZE, id: 2 }));
	expect((await early.messages(2))[1]).toMatchObject({ id: 2, result: { serverInfo: { name: "spanward" } } });
	expect(await early.end()).toMatchObject({ code: 0, said: message });

	const { json } = await commands.app.get("/v1/user/oauth2_grants", user.principal.headers);
	expect(json.data).toMatchObject([
		{ resource: "mcp", permissions: ["read"] },
		{ resource: "api", permissions: null },
	]);
	expect((await commands.call(["projects", "list"], { env: { SERVICE_URL: "" } })).code).toBe(0);
	const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
	{
		await using agent = await connect({});
		expect(await names(agent.client)).toContain("get_trace");
		// It asked for reading alone.
		expect(await names(agent.client)).not.toContain("create_dataset");
		expect(await projectsOf(agent.client)).toContain("shop");
		const isRefused = agent.client.callTool({ name: "get_trace", arguments: { project: "shop", trace_id: "0" } });
		expect(await isRefused).toMatchObject({ isError: true });
		await expect(agent.client.readResource({ uri: "spanward://nothing" })).rejects.toThrow();
	}
	const { headers } = await commands.app.signedIn("MEMBER", "key");
	const key = headers.authorization.replace("Bearer ", "");
	await using agent = await connect({ SERVICE_URL: commands.url, SERVICE_API_KEY: key }, "legacy");
	expect(await names(agent.client)).toContain("create_dataset");
	expect(await projectsOf(agent.client)).toContain("shop");
});

test("AG15 what keeps a message from being answered is an error of the protocol, and said on standard error", async () => {
	await using off = await openTestCommands({ SERVICE_ENABLE_MCP: "false" });
	const cases: [Environment, RegExp][] = [
		[{ SERVICE_URL: "http://127.0.0.1:9" }, /Cannot reach http:\/\/127\.0\.0\.1:9/],
		[{ SERVICE_URL: off.url }, /no MCP endpoint: SERVICE_ENABLE_MCP=false/],
		[{ SERVICE_URL: commands.url, SERVICE_API_KEY: "wrong" }, /does not accept the credentials: run spanward login/],
		[{ XDG_CONFIG_HOME: "/nowhere" }, /No server is named/],
	];
	const request = { ...INITIALIZE, id: "two" };
	const asked = cases.map(async ([env, says]) => {
		const talk = new Talk(env);
		talk.say(JSON.stringify(INITIALIZE), "no JSON", JSON.stringify(request));
		const messages = await talk.messages(2);
		const error = { code: -32603, message: expect.stringMatching(says) };
		expect(messages).toHaveLength(2);
		expect(messages).toEqual(
			expect.arrayContaining([
				{ jsonrpc: "2.0", id: 1, error },
				{ jsonrpc: "2.0", id: "two", error },
			]),
		);
		expect(await talk.end()).toMatchObject({ code: 0, said: expect.stringMatching(says) });
	});
	await Promise.all(asked);
});

test("AG15 an answer that is cut off is an error; a cancelled request is given up, and not answered", async () => {
	const given: string[] = [];
	const server = createServer(async (request, answer) => {
		const { id } = JSON.parse(await text(request));
		if (id === "cut") answer.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n");
		else answer.once("close", () => given.push(`${id} given up`));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const message = (members: object) => JSON.stringify({ jsonrpc: "2.0", ...members });
	const lines = [
		message({ id: "long", method: "tools/list" }),
		message({ method: "notifications/cancelled", params: { requestId: "long" } }),
		message({ id: "cut", method: "tools/list" }),
	];
	const talk = new Talk({ SERVICE_URL: `http://127.0.0.1:${port}` });
	talk.say(...lines);
	expect(await talk.messages(1)).toMatchObject([
		{ id: "cut", error: { message: expect.stringContaining("connection was lost") } },
	]);
	await talk.end();
	await new Promise((resolve) => server.close(resolve));
	// It may have been cancelled before it was sent.
	expect([[], ["long given up"]]).toContainEqual(given);
});
