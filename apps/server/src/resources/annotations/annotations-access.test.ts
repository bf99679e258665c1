import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { onSpan, spanId, traceId } from "./test-annotations.ts";
import { WaitingAnnotations } from "./waiting.ts";

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
	await sendSpan(1);
});
afterAll(() => server[Symbol.asyncDispose]());

async function sendSpan(number: number): Promise<void> {
	const context = { trace_id: traceId(number), span_id: spanId(number) };
	const times = { start_time: "2024-01-01T00:00:00Z", end_time: "2024-01-01T00:00:01Z" };
	const attributes = { "session.id": "s" };
	const span = { name: "s", context, span_kind: "CHAIN", status_code: "OK", attributes, ...times };
	const created = await server.call("POST", "/v1/projects/default/spans", { data: [span] }, admin.headers);
	if (created.status !== 202) throw new Error(created.text);
}

async function labelsOf(span: number): Promise<string[]> {
	const url = `/v1/projects/default/span_annotations?span_ids=${spanId(span)}&limit=100`;
	const { data } = (await server.get(url, viewer.headers)).json;
	return data.map((item: { result: { label: string } }) => item.result.label);
}

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

test("an annotation belongs to its author, and says whether they were logged in", async () => {
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

const ofKinds = {
	span: { span_id: spanId(1) },
	trace: { trace_id: traceId(1) },
	session: { session_id: "s" },
	document: { span_id: spanId(1), document_position: 0 },
};

test.each(Object.entries(ofKinds))(
	"writing an annotation of a %s again makes it one's own, as an editor of its project",
	async (kind, target) => {
		const send = (by: TestPrincipal, label: string, query: string, more: readonly object[] = []) => {
			const data = [...more, { ...target, name: "shared", annotator_kind: "HUMAN", result: { label } }];
			return server.call("POST", `/v1/${kind}_annotations${query}`, { data }, by.headers);
		};
		const first = await send(member, "mine", "?sync=true");
		const url = `/v1/annotations/${first.json.data[0].id}`;
		const seen = async () => {
			const { result, user_id } = (await server.get(url, viewer.headers)).json.data;
			return [result.label, Number(Buffer.from(user_id, "base64").toString().split(":")[1])];
		};
		expect(await seen()).toEqual(["mine", member.userId]);
		expect((await server.call("DELETE", url, undefined, other.headers)).status).toBe(403);
		expect((await send(other, "taken over", "?sync=true")).json.data).toEqual(first.json.data);
		expect(await seen()).toEqual(["taken over", other.userId]);
		expect((await server.call("DELETE", url, undefined, member.headers)).status).toBe(403);
		expect((await send(admin, "corrected", "")).status).toBe(200);
		expect(await seen()).toEqual(["corrected", admin.userId]);
		expect((await send(member, "taken back", "")).status).toBe(200);
		expect(await seen()).toEqual(["taken back", member.userId]);
		expect((await send(viewer, "seen", "")).status).toBe(403);
	},
);

test("no annotation of a large batch waits when one would replace somebody else's that waits", async () => {
	const send = (by: TestPrincipal, data: readonly unknown[]) =>
		server.call("POST", "/v1/span_annotations", { data }, by.headers);
	expect((await send(member, [onSpan(800)])).status).toBe(200);
	const numbers = Array.from({ length: 700 }, (_, index) => index + 101);
	const answer = await send(
		other,
		numbers.map((number) => onSpan(number)),
	);
	expect([answer.status, answer.text]).toEqual([403, expect.stringContaining(`on span ${spanId(800)} `)]);
	expect((await server.get("/v1/waiting_annotations", viewer.headers)).json.data).toHaveLength(1);
	await server.context.db.write((transaction) => transaction.deleteFrom("waiting_annotations").execute());
});

test("a note is replaced by its author and by editors", async () => {
	const write = (by: TestPrincipal, note: string) =>
		server.call("POST", "/v1/span_notes", { data: { span_id: spanId(1), note, identifier: "n" } }, by.headers);
	const { id } = (await write(member, "mine")).json.data;
	const text = async () => (await server.get(`/v1/annotations/${id}`, viewer.headers)).json.data.result.explanation;
	expect(await text()).toBe("mine");
	expect((await write(viewer, "taken")).status).toBe(403);
	expect((await write(other, "corrected")).status).toBe(200);
	expect(await text()).toBe("corrected");
});

test("a waiting annotation is replaced by its author and by editors of the project that it names, and replaces others' when its target arrives", async () => {
	const send = (by: TestPrincipal, label: string, project = "") => {
		const data = [onSpan(9, { result: { label } })];
		return server.call("POST", `/v1/span_annotations${project}`, { data }, by.headers);
	};
	const waiting = async () => (await server.get("/v1/waiting_annotations", viewer.headers)).json.data;
	expect((await send(member, "first")).status).toBe(200);
	expect((await send(other, "taken")).status).toBe(403);
	expect((await send(member, "mine")).status).toBe(200);
	expect((await send(member, "in default", "?project=default")).status).toBe(200);
	// Under another key while it waits, and under the same one once its span is there.
	expect((await send(other, "taken", "?project=default")).status).toBe(200);
	await sendSpan(9);
	const work = new WaitingAnnotations(server.context);
	try {
		server.context.events.emit("annotations_wait", { span: 0, trace: 0, session: 0 });
		await expect.poll(waiting).toEqual([]);
		expect(await labelsOf(9)).toEqual(["taken"]);
		expect((await send(admin, "corrected")).status).toBe(200);
		expect(await labelsOf(9)).toEqual(["corrected"]);
	} finally {
		await work[Symbol.asyncDispose]();
	}
});

test("a bulk deletion deletes the caller's own annotations; an admin's deletes all", async () => {
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

test("annotations stay when their author's account is deleted", async () => {
	const leaving = await server.signedIn("MEMBER", "key");
	const url = await annotate(leaving, "left");
	const user = Buffer.from(`User:${leaving.userId}`).toString("base64");
	expect((await server.call("DELETE", `/v1/users/${user}`, undefined, admin.headers)).status).toBe(204);
	expect((await server.get(url, viewer.headers)).json.data).toMatchObject({ name: "left", user_id: null });
});

test("callers who are not admins delete only their own waiting annotations", async () => {
	const late = { data: [onSpan(7)] };
	expect((await server.call("POST", "/v1/span_annotations", late, member.headers)).status).toBe(200);
	const [waiting] = (await server.get("/v1/waiting_annotations", viewer.headers)).json.data;
	const url = `/v1/waiting_annotations/${waiting.id}`;
	expect((await server.call("DELETE", url, undefined, other.headers)).status).toBe(403);
	expect((await server.call("DELETE", url, undefined, member.headers)).status).toBe(204);
	expect((await server.call("DELETE", url, undefined, member.headers)).status).toBe(404);
});
