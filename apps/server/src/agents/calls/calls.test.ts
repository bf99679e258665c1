import { expect, test } from "vitest";
import { CALL_OUTCOMES } from "#storage/schema.ts";
import { openTestApp } from "#test-app.ts";
import { connectClient } from "../mcp/test-client.ts";
import { deleteCalls, insertCalls, listCalls, type NotedCall } from "./queries.ts";

const CALL: Omit<NotedCall, "time"> = {
	...{ userId: null, tool: "get_trace", outcome: "ok", durationMs: 1.5 },
	client: { name: "an agent", version: null },
};

test("what an agent called is told to its user and to admins, and to nobody else", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const key = await server.signedIn("VIEWER", "key");
	await using agent = await connectClient(server, key.headers, "legacy");
	await agent.call("list_projects");
	await agent.call("get_trace", { project: "default", trace_id: "1".repeat(32) });
	const listed = async (path: string, headers: Record<string, string>) => (await server.get(path, headers)).json;
	await expect
		.poll(async () => (await listed("/v1/user/agent_calls", key.headers)).data)
		.toMatchObject([
			{ tool: "get_trace", outcome: "refused", client_name: "test-agent", client_version: "1.2.3" },
			{ tool: "list_projects", outcome: "ok", duration_ms: expect.any(Number), user: { username: expect.any(String) } },
		]);
	const admin = await server.signedIn("ADMIN");
	expect((await listed("/v1/user/agent_calls", admin.headers)).data).toEqual([]);
	const page = await listed("/v1/agent_calls?limit=1", admin.headers);
	expect(page.data).toMatchObject([{ tool: "get_trace" }]);
	const next = await listed(`/v1/agent_calls?cursor=${encodeURIComponent(page.next_cursor)}`, admin.headers);
	expect(next).toMatchObject({ data: [{ tool: "list_projects" }], next_cursor: null });
	const { status, json } = await server.get("/v1/agent_calls?user=x", admin.headers);
	expect([status, json.detail[0].type]).toEqual([422, "extra_forbidden"]);
});

test("calls of a week are kept, and not more than so many; those of a deleted user are not written", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { db } = server.context;
	const ended = CALL_OUTCOMES.map((outcome, index) => ({ ...CALL, outcome, time: index + 1 }));
	await db.write((transaction) => insertCalls(transaction, [...ended, { ...CALL, time: 7, userId: 1_000_000 }]));
	const left = async () => (await listCalls(db.read, { limit: 10 })).map(({ time }) => time);
	expect(await left()).toEqual([6, 5, 4, 3, 2, 1]);
	const forget = (before: number, most: number) =>
		db.write((transaction) => deleteCalls(transaction, { before, most, limit: 2 }));
	expect(await forget(3, 100)).toBe(2);
	expect(await forget(0, 3)).toBe(1);
	expect(await left()).toEqual([6, 5, 4]);
	expect(await forget(0, 3)).toBe(0);
});
