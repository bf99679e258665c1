import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "../test-app.ts";
import type { TestPrincipal } from "../test-principals.ts";
import { onSpan, spanId, traceId } from "./test-annotations.ts";

let server: TestApp;
let admin: TestPrincipal;
let member: TestPrincipal;
let other: TestPrincipal;
let viewer: TestPrincipal;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	admin = await server.signedIn("ADMIN");
	member = await server.signedIn("MEMBER", "key");
	other = await server.signedIn("MEMBER");
	viewer = await server.signedIn("VIEWER", "key");
	const context = { trace_id: traceId(1), span_id: spanId(1) };
	const times = { start_time: "2024-01-01T00:00:00Z", end_time: "2024-01-01T00:00:01Z" };
	const span = { name: "s", context, span_kind: "CHAIN", status_code: "OK", attributes: {}, ...times };
	const created = await server.call("POST", "/v1/projects/default/spans", { data: [span] }, admin.headers);
	if (created.status !== 202) throw new Error(created.text);
});
afterAll(() => server[Symbol.asyncDispose]());

async function annotate(by: TestPrincipal, name: string): Promise<string> {
	const { json } = await server.call(
		"POST",
		"/v1/span_annotations?sync=true",
		{ data: [onSpan(1, { name })] },
		by.headers,
	);
	return `/v1/annotations/${json.data[0].id}`;
}

async function listed() {
	const url = `/v1/projects/default/span_annotations?span_ids=${spanId(1)}&limit=100`;
	return (await server.get(url, viewer.headers)).json.data;
}

test("an annotation is of who wrote it, and says whether they were logged in", async () => {
	const byKey = (await server.get(await annotate(member, "of key"), viewer.headers)).json.data;
	const bySession = (await server.get(await annotate(other, "of session"), viewer.headers)).json.data;
	expect(byKey).toMatchObject({ source: "API", user_id: Buffer.from(`User:${member.userId}`).toString("base64") });
	expect(bySession).toMatchObject({ source: "APP", user_id: Buffer.from(`User:${other.userId}`).toString("base64") });
});

test("viewers read and change nothing", async () => {
	const url = await annotate(member, "seen");
	expect((await server.get(url, viewer.headers)).status).toBe(200);
	for (const [method, path] of [
		["POST", "/v1/span_annotations"],
		["POST", "/v1/span_notes"],
		["PATCH", url],
		["DELETE", url],
		["DELETE", "/v1/projects/default/span_annotations?delete_all=true"],
	] as const) {
		expect((await server.call(method, path, undefined, viewer.headers)).status, path).toBe(403);
	}
});

test("members change and delete their own annotations, admins everybody's", async () => {
	const url = await annotate(member, "own");
	for (const method of ["PATCH", "DELETE"] as const) {
		const { status, text } = await server.call(method, url, method === "PATCH" ? {} : undefined, other.headers);
		expect([status, text]).toEqual([403, "Only admins change or delete the annotations of others."]);
	}
	expect((await server.call("PATCH", url, { result: { label: "l" } }, member.headers)).status).toBe(200);
	expect((await server.call("PATCH", url, { result: { label: "m" } }, admin.headers)).status).toBe(200);
	expect((await server.call("DELETE", url, undefined, member.headers)).status).toBe(204);
	const second = await annotate(member, "own");
	expect((await server.call("DELETE", second, undefined, admin.headers)).status).toBe(204);
});

test("writing an annotation again makes it one's own", async () => {
	const url = await annotate(member, "shared");
	expect(await annotate(other, "shared")).toBe(url);
	expect((await server.call("DELETE", url, undefined, member.headers)).status).toBe(403);
	expect((await server.call("DELETE", url, undefined, other.headers)).status).toBe(204);
});

test("deleting many takes one's own; an admin's takes all", async () => {
	const remove = (by: TestPrincipal) =>
		server.call("DELETE", "/v1/projects/default/span_annotations?delete_all=true", undefined, by.headers);
	await remove(admin);
	await annotate(member, "a");
	await annotate(other, "b");
	await annotate(admin, "c");
	const names = async () => (await listed()).map((item: { name: string }) => item.name).sort();
	expect((await remove(other)).status).toBe(204);
	expect(await names()).toEqual(["a", "c"]);
	const system = await server.signedIn("SYSTEM", "key");
	await remove(system);
	expect(await names()).toEqual(["a", "c"]);
	await remove(admin);
	expect(await names()).toEqual([]);
});

test("what somebody wrote stays when their account goes", async () => {
	const leaving = await server.signedIn("MEMBER", "key");
	const url = await annotate(leaving, "left");
	const user = Buffer.from(`User:${leaving.userId}`).toString("base64");
	expect((await server.call("DELETE", `/v1/users/${user}`, undefined, admin.headers)).status).toBe(204);
	expect((await server.get(url, viewer.headers)).json.data).toMatchObject({ name: "left", user_id: null });
});

test("those who are no admins give up only what waits of their own", async () => {
	const late = { data: [onSpan(7)] };
	expect((await server.call("POST", "/v1/span_annotations", late, member.headers)).status).toBe(200);
	const [waiting] = (await server.get("/v1/waiting_annotations", viewer.headers)).json.data;
	const url = `/v1/waiting_annotations/${waiting.id}`;
	expect((await server.call("DELETE", url, undefined, other.headers)).status).toBe(403);
	expect((await server.call("DELETE", url, undefined, member.headers)).status).toBe(204);
	expect((await server.call("DELETE", url, undefined, member.headers)).status).toBe(404);
});
