import { createHash, randomBytes } from "node:crypto";
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect } from "vitest";
import { asAdmin, type Client, createUserKey, logInAs, WITH_ACCOUNTS } from "../access/accounts.ts";
import { Balancer } from "../cluster/balancer.ts";
import { HAS_POSTGRES, type Servers, startTwoServers, testOnPostgres as test } from "../cluster/servers.ts";
import { createLoad, LOAD_PROJECT } from "../load.ts";
import type { TestServer } from "../server.ts";

const CALLBACK = "http://127.0.0.1:43110/callback";
/** Ten times what is promised. */
const ENDS_WITHIN_MS = 20_000;

let servers: Servers;
let one: TestServer;
let two: TestServer;

beforeAll(async () => {
	if (!HAS_POSTGRES) return;
	servers = await startTwoServers({ ...WITH_ACCOUNTS, SERVICE_ENABLE_PROMETHEUS: "true" });
	({ one, two } = servers);
	for (const sequence of [0, 1]) {
		const sent = await fetch(`${one.url}/v1/traces`, {
			method: "POST",
			headers: {
				authorization: `Bearer ${WITH_ACCOUNTS["SERVICE_ADMIN_SECRET"]}`,
				"content-type": "application/x-protobuf",
			},
			body: Buffer.from(createLoad(4)(sequence).body),
		});
		expect(sent.status).toBe(200);
	}
});
afterAll(() => servers?.[Symbol.asyncDispose]());

async function connect(url: string, token: string, mode: "auto" | "legacy"): Promise<McpClient> {
	const client = new McpClient({ name: "moved", version: "1" }, { versionNegotiation: { mode } });
	await client.connect(
		new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
			requestInit: { headers: { authorization: `Bearer ${token}` } },
		}),
	);
	return client;
}

/** How many calls of a tool a server has answered well. */
async function callsAt(server: TestServer, tool: string): Promise<number> {
	const text = await (await asAdmin(server).send("GET", "/metrics")).text();
	const counted = new RegExp(`^spanward_mcp_calls_total\\{tool="${tool}",outcome="ok"\\} (\\d+)$`, "m").exec(text);
	return Number(counted?.[1] ?? 0);
}

test("AG13 the messages of a client go to either server, behind a balancer that knows no sessions", async () => {
	await using balancer = await Balancer.start([one, two]);
	const key = await createUserKey(await logInAs(one, "MEMBER"));
	for (const mode of ["auto", "legacy"] as const) {
		const before = await Promise.all([one, two].map((server) => callsAt(server, "search_traces")));
		const client = await connect(balancer.url, key, mode);
		for (let time = 0; time < 6; time++) {
			const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
			expect(tools.map(({ name }) => name)).toContain("add_examples");
			// An event stream of whichever server has its turn.
			const found = await client.callTool({ name: "search_traces", arguments: { project: LOAD_PROJECT } });
			expect(found).toMatchObject({ structuredContent: { traces: expect.objectContaining({ length: 4 }) } });
			if (time % 2 === 0) await client.listPrompts(undefined, { cacheMode: "bypass" });
		}
		await client.close();
		const after = await Promise.all([one, two].map((server) => callsAt(server, "search_traces")));
		const counted = after.map((calls, index) => calls - (before[index] ?? 0));
		expect(counted.reduce((sum, calls) => sum + calls)).toBe(6);
		expect(Math.min(...counted)).toBeGreaterThan(0);
	}
	// A write that is sent again, to the other server, changes nothing more.
	const writing = await connect(balancer.url, key, "legacy");
	const args = { name: "sent twice", idempotency_key: randomBytes(8).toString("hex") };
	const written = [];
	for (let time = 0; time < 2; time++)
		written.push(await writing.callTool({ name: "create_dataset", arguments: args }));
	await writing.close();
	expect(written[1]).toEqual(written[0]);
	expect(written[0]).not.toMatchObject({ isError: true });
	expect(await servers.sql("select count(*) from datasets where name = 'sent twice'")).toBe("1");
});

interface Tokens {
	readonly access_token: string;
	readonly refresh_token: string;
}

/** Lets a program act for somebody: its code comes from one server, and its tokens from the other. */
async function authorize(user: Client, resource?: string): Promise<Tokens> {
	const verifier = randomBytes(32).toString("base64url");
	const asked = {
		...{ client_id: "spanward-cli", redirect_uri: CALLBACK, response_type: "code", code_challenge_method: "S256" },
		code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		...(resource === undefined ? {} : { resource }),
	};
	const decided = await user.send(
		"POST",
		"/oauth2/authorize/decision",
		{ ...asked, approved: true },
		{ origin: one.url },
	);
	const { redirect_to } = (await decided.json()) as { redirect_to: string };
	const form = {
		...{ grant_type: "authorization_code", client_id: "spanward-cli", redirect_uri: CALLBACK },
		...{ code: new URL(redirect_to).searchParams.get("code") ?? "", code_verifier: verifier },
	};
	const answer = await fetch(`${two.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
	expect(answer.status).toBe(200);
	return (await answer.json()) as Tokens;
}

test("R73 what is ended at one server is ended at the other, and so is what runs there", async () => {
	const user = await logInAs(one, "MEMBER");
	const leaving = await logInAs(one, "MEMBER");
	const programs = {
		ended: await authorize(user),
		revoked: await authorize(user),
		deleted: await authorize(leaving),
	};
	const status = async ({ access_token }: Tokens, at: TestServer) =>
		(await fetch(`${at.url}/v1/user`, { headers: { authorization: `Bearer ${access_token}` } })).status;
	const views = new Map<string, Promise<string>>();
	for (const [name, tokens] of Object.entries(programs)) {
		for (const server of [one, two]) expect(await status(tokens, server)).toBe(200);
		const headers = { authorization: `Bearer ${tokens.access_token}` };
		const view = await fetch(`${two.url}/v1/projects/${LOAD_PROJECT}/stream`, { headers });
		expect(view.status).toBe(200);
		views.set(name, view.text());
	}
	const grants = await user.data("GET", "/v1/user/oauth2_grants");
	expect(grants).toHaveLength(2);

	const endedAt = performance.now();
	// The newest first.
	expect((await user.send("DELETE", `/v1/user/oauth2_grants/${grants[1].id}`)).status).toBe(204);
	const form = new URLSearchParams({ token: programs.revoked.refresh_token });
	expect((await fetch(`${one.url}/oauth2/revoke`, { method: "POST", body: form })).status).toBe(200);
	const { id } = await leaving.data("GET", "/v1/user");
	expect((await asAdmin(one).send("DELETE", `/v1/users/${id}`)).status).toBe(204);
	for (const [name, tokens] of Object.entries(programs)) {
		expect([name, await status(tokens, one)]).toEqual([name, 401]);
		await expect.poll(() => status(tokens, two), { interval: 50 }).toBe(401);
		expect([name, await views.get(name)]).toEqual([name, expect.stringContaining("access_ended")]);
	}
	expect(performance.now() - endedAt).toBeLessThan(ENDS_WITHIN_MS);
	for (const server of [one, two]) {
		const refresh = {
			grant_type: "refresh_token",
			client_id: "spanward-cli",
			refresh_token: programs.ended.refresh_token,
		};
		const answer = await fetch(`${server.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(refresh) });
		expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error: "invalid_grant" })]);
	}
});
