import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { bearer, ON, TestProgram } from "#access/authorization-server/test-program.ts";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { ProjectRole } from "#storage/schema.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { onSpan, spanId, traceId } from "./test-annotations.ts";
import { WaitingAnnotations } from "./waiting.ts";

let server: TestApp;
let work: WaitingAnnotations;
let admin: TestPrincipal;
/** Annotates in `finch`, and sees nothing of `heron`. */
let annotator: TestPrincipal;
/** Changes things in both. */
let editor: TestPrincipal;
let finch: number;
let heron: number;
beforeAll(async () => {
	server = await openTestApp({ ...ON });
	work = new WaitingAnnotations(server.context);
	admin = await server.signedIn("ADMIN");
	annotator = await server.signedIn("MEMBER");
	editor = await server.signedIn("MEMBER");
	finch = await makeRestricted("finch");
	heron = await makeRestricted("heron");
	await grant(finch, annotator, "annotator");
	await grant(finch, editor, "editor");
	await grant(heron, editor, "editor");
});
afterEach(async () => {
	await server.context.db.write((transaction) => transaction.deleteFrom("waiting_annotations").execute());
});
afterAll(async () => {
	await work[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

async function makeRestricted(name: string): Promise<number> {
	const { db, auth } = server.context;
	const { json } = await server.call("POST", "/v1/projects", { name }, admin.headers);
	const id = decodeGlobalId(json.data.id, "Project");
	if (id === undefined) throw new Error(`${json.data.id} is no project`);
	await db.write(async (transaction) => {
		await transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", id).execute();
		await noteRightsChange(transaction);
	});
	auth.rights.invalidate();
	return id;
}

async function grant(projectId: number, { userId }: TestPrincipal, role: ProjectRole): Promise<void> {
	const { db, auth, now } = server.context;
	await db.write(async (transaction) => {
		const row = { project_id: projectId, user_id: userId, team_id: null, role, created_at: now(), created_by: null };
		await transaction.deleteFrom("grants").where("project_id", "=", projectId).where("user_id", "=", userId).execute();
		await transaction.insertInto("grants").values(row).execute();
		await noteRightsChange(transaction);
	});
	auth.rights.invalidate();
}

/** Makes the span with this number, of the trace with the same one, in these projects. */
async function sendSpan(number: number, ...projects: readonly string[]): Promise<void> {
	const context = { trace_id: traceId(number), span_id: spanId(number) };
	const times = { start_time: "2024-01-01T00:00:00Z", end_time: "2024-01-01T00:00:01Z" };
	const span = { name: "s", context, span_kind: "CHAIN", status_code: "OK", ...times };
	for (const project of projects) {
		const created = await server.call("POST", `/v1/projects/${project}/spans`, { data: [span] }, admin.headers);
		if (created.status !== 202) throw new Error(created.text);
	}
}

async function annotate(by: TestPrincipal, data: readonly unknown[], query = "", kind = "span") {
	const headers = { ...by.headers, accept: "application/problem+json" };
	return await server.call("POST", `/v1/${kind}_annotations${query}`, { data }, headers);
}

async function waiting(by: TestPrincipal) {
	return (await server.get("/v1/waiting_annotations", by.headers)).json.data;
}

async function labelsOf(span: number, project: string): Promise<string[]> {
	const url = `/v1/projects/${project}/span_annotations?span_ids=${spanId(span)}&limit=1000`;
	const { data } = (await server.get(url, admin.headers)).json;
	return data.map((item: { result: { label: string } }) => item.result.label);
}

let probes = 0;
/** Looks at all that waits, and waits until it was looked at. */
async function lookAgain(): Promise<void> {
	probes += 1;
	const probe = spanId(0xffff_0000 + probes);
	await annotate(admin, [{ ...onSpan(0), span_id: probe, name: "probe" }]);
	const number = Number.parseInt(probe, 16);
	await sendSpan(number, "finch");
	const left = async () => (await waiting(admin)).filter(({ name }: { name: string }) => name === "probe").length;
	await expect.poll(left).toBe(0);
}

test("R07 an id is looked for among what is seen, and is ambiguous only there", async () => {
	await sendSpan(1, "finch", "heron");
	const data = [{ trace_id: traceId(1), name: "n", annotator_kind: "HUMAN" }];
	const seen = await annotate(annotator, data, "?sync=true", "trace");
	expect(seen.status, seen.text).toBe(200);
	const url = `/v1/projects/finch/trace_annotations?trace_ids=${traceId(1)}`;
	expect((await server.get(url, annotator.headers)).json.data).toHaveLength(1);
	const both = await annotate(editor, data, "?sync=true", "trace");
	expect([both.status, both.json.code]).toEqual([409, "ambiguous_trace"]);
});

test("R08 an annotation of what is only in a hidden project waits as for what is unknown, and is never made there", async () => {
	await sendSpan(2, "heron");
	const [hidden, unknown] = [
		await annotate(annotator, [onSpan(2)], "?sync=true"),
		await annotate(annotator, [onSpan(3)], "?sync=true"),
	];
	expect([hidden.status, hidden.json.detail]).toEqual([404, unknown.json.detail.replace(spanId(3), spanId(2))]);
	for (const span of [2, 3])
		expect((await annotate(annotator, [onSpan(span, { result: { label: "mine" } })])).status).toBe(200);
	await sendSpan(3, "heron");
	await lookAgain();
	const seen = (await waiting(annotator)).map((item: { reason: string }) => item.reason);
	expect(seen).toEqual(["Its span has not arrived.", "Its span has not arrived."]);
	for (const span of [2, 3]) {
		expect(await labelsOf(span, "heron")).toEqual([]);
		await sendSpan(span, "finch");
		await expect.poll(() => labelsOf(span, "finch")).toEqual(["mine"]);
		expect(await labelsOf(span, "heron")).toEqual([]);
	}
	expect(await waiting(annotator)).toEqual([]);
});

test("an annotation waits on where the role of its writer ended before its target arrived", async () => {
	const leaving = await server.signedIn("MEMBER");
	await grant(finch, leaving, "annotator");
	expect((await annotate(leaving, [onSpan(4)], "?project=finch")).status).toBe(200);
	await grant(finch, leaving, "viewer");
	await sendSpan(4, "finch");
	await lookAgain();
	expect(await waiting(leaving)).toMatchObject([{ target_id: spanId(4), reason: "Its span has not arrived." }]);
	expect(await labelsOf(4, "finch")).toEqual([]);
	const [{ id }] = await waiting(leaving);
	expect((await server.call("DELETE", `/v1/waiting_annotations/${id}`, undefined, leaving.headers)).status).toBe(403);
});

test("R04 an editor makes an annotation one's own by writing it again, while the role lasts", async () => {
	await sendSpan(15, "finch");
	const data = [onSpan(15)];
	const send = (by: TestPrincipal) => annotate(by, data, "?sync=true");
	const leaving = await server.signedIn("MEMBER");
	await grant(finch, leaving, "editor");
	const first = (await send(annotator)).json.data;
	const authorOf = async () => (await server.get(`/v1/annotations/${first[0].id}`, admin.headers)).json.data.user_id;
	expect((await send(leaving)).json.data).toEqual(first);
	expect(decodeGlobalId(await authorOf(), "User")).toBe(leaving.userId);
	expect((await send(annotator)).json.code).toBe("annotation_of_another");
	expect((await send(editor)).json.data).toEqual(first);
	await grant(finch, leaving, "annotator");
	expect((await send(leaving)).json.code).toBe("annotation_of_another");
	expect(decodeGlobalId(await authorOf(), "User")).toBe(editor.userId);
});

test("what a limited key wrote stays in its projects, and waits on once the key is gone", async () => {
	const { auth, db } = server.context;
	const makeKey = async (role: "ADMIN" | "MEMBER" = "MEMBER") => {
		const key = await server.signedIn(role, "key");
		for (const project of [finch, heron]) await grant(project, key, "editor");
		await db.write(async (transaction) => {
			const limits = { permissions: JSON.stringify(["read", "annotate"]), has_homes: 1 } as const;
			await transaction.updateTable("api_keys").set(limits).where("id", "=", key.rowId).execute();
			await transaction.insertInto("api_key_projects").values({ key_id: key.rowId, project_id: finch }).execute();
		});
		auth.principals.invalidate();
		return key;
	};
	const [lasting, gone] = [await makeKey(), await makeKey()];
	expect((await annotate(lasting, [onSpan(11)])).status).toBe(200);
	expect((await annotate(gone, [onSpan(12)])).status).toBe(200);
	expect(await waiting(lasting)).toMatchObject([{ target_id: spanId(11) }]);
	await db.write((transaction) => transaction.deleteFrom("api_keys").where("id", "=", gone.rowId).execute());
	await sendSpan(11, "heron");
	await sendSpan(12, "heron", "finch");
	await lookAgain();
	expect(await labelsOf(12, "finch")).toEqual([]);
	expect(await waiting(admin)).toHaveLength(2);
	await sendSpan(11, "finch");
	await expect.poll(() => labelsOf(11, "finch")).toHaveLength(1);
	expect(await labelsOf(11, "heron")).toEqual([]);

	const ofAdmin = await makeKey("ADMIN");
	await annotate(ofAdmin, [onSpan(13, { result: { label: "replaced" } })]);
	await annotate(editor, [onSpan(13, { result: { label: "first" } })], "?project=finch");
	await db.write((transaction) =>
		transaction.updateTable("waiting_annotations").set({ created_at: 1 }).where("project_id", "=", finch).execute(),
	);
	await sendSpan(13, "finch");
	await lookAgain();
	expect(await labelsOf(13, "finch")).toEqual(["replaced"]);
});

test("what a program wrote waits on once its authorization has ended", async () => {
	const program = new TestProgram(server);
	const [lasting, ended] = [await program.tokens(editor), await program.tokens(editor)];
	for (const [span, tokens] of [
		[21, lasting],
		[22, ended],
	] as const) {
		const { status } = await server.call("POST", "/v1/span_annotations", { data: [onSpan(span)] }, bearer(tokens));
		expect(status).toBe(200);
	}
	await program.post("/oauth2/revoke", { token: ended.refresh_token });
	await sendSpan(21, "finch");
	await sendSpan(22, "finch");
	await lookAgain();
	expect(await labelsOf(21, "finch")).toHaveLength(1);
	expect(await labelsOf(22, "finch")).toEqual([]);
});

test("what somebody wrote who is unknown now waits for a target in a project that every member may change", async () => {
	const gone = await server.signedIn("MEMBER");
	await grant(finch, gone, "annotator");
	for (const span of [5, 6]) expect((await annotate(gone, [onSpan(span)])).status).toBe(200);
	const user = Buffer.from(`User:${gone.userId}`).toString("base64");
	expect((await server.call("DELETE", `/v1/users/${user}`, undefined, admin.headers)).status).toBe(204);
	await sendSpan(5, "finch");
	await sendSpan(6, "default");
	await lookAgain();
	expect(await labelsOf(5, "finch")).toEqual([]);
	expect(await labelsOf(6, "default")).toEqual([null]);
});

test("R14 waiting annotations are listed where their project is seen, else for their writers and admins", async () => {
	await annotate(editor, [onSpan(7)], "?project=heron");
	await annotate(editor, [onSpan(7, { name: "in any project" })]);
	await annotate(editor, [onSpan(7)], "?project=finch");
	const mine = await annotate(annotator, [onSpan(8)]);
	expect(mine.status).toBe(200);
	const spans = async (by: TestPrincipal) =>
		(await waiting(by)).map(({ target_id, project_id }: { target_id: string; project_id: string | null }) => [
			target_id,
			project_id === null ? null : decodeGlobalId(project_id, "Project"),
		]);
	const all = [
		[spanId(8), null],
		[spanId(7), finch],
		[spanId(7), null],
		[spanId(7), heron],
	];
	expect(await spans(admin)).toEqual(all);
	expect(await spans(editor)).toEqual(all.slice(1));
	expect(await spans(annotator)).toEqual(all.slice(0, 2));
	expect(await spans(await server.signedIn("VIEWER"))).toEqual([]);

	const page = await server.get("/v1/waiting_annotations?limit=1", annotator.headers);
	const last = await server.get(`/v1/waiting_annotations?limit=1&cursor=${page.json.next_cursor}`, annotator.headers);
	expect([last.json.data.length, last.json.next_cursor]).toEqual([1, null]);

	const remove = async (by: TestPrincipal, id: string) => {
		const headers = { ...by.headers, accept: "application/problem+json" };
		const { status, json } = await server.call("DELETE", `/v1/waiting_annotations/${id}`, undefined, headers);
		return json === undefined ? status : [status, json.code, json.detail];
	};
	const ids = (await waiting(admin)).map(({ id }: { id: string }) => id);
	const unknown = await remove(annotator, Buffer.from("WaitingAnnotation:999999").toString("base64"));
	expect(await remove(annotator, ids[2])).toEqual(unknown);
	expect(await remove(annotator, ids[3])).toEqual(unknown);
	expect(await remove(annotator, ids[1])).toEqual([409, "annotation_of_another", expect.any(String)]);
	expect(await remove(annotator, ids[0])).toBe(204);
});

test("R15 an annotator changes and deletes only own annotations, also not by writing them again", async () => {
	await sendSpan(9, "finch");
	const made = async (by: TestPrincipal, name: string) =>
		`/v1/annotations/${(await annotate(by, [onSpan(9, { name })], "?sync=true")).json.data[0].id}`;
	const own = await made(annotator, "own");
	const foreign = await made(editor, "foreign");
	const change = async (by: TestPrincipal, method: "PATCH" | "DELETE", url: string) => {
		const headers = { ...by.headers, accept: "application/problem+json" };
		const body = method === "PATCH" ? { result: { score: 1 } } : undefined;
		const { status, json } = await server.call(method, url, body, headers);
		return [status, json?.code];
	};
	for (const method of ["PATCH", "DELETE"] as const) {
		expect(await change(annotator, method, foreign)).toEqual([409, "annotation_of_another"]);
		expect(await change(editor, method, own)).toEqual([403, "not_own_annotation"]);
	}

	const names = Array.from({ length: 999 }, (_, index) => `n${index}`);
	const batch = [...names, "foreign"].map((name) => onSpan(9, { name }));
	for (const query of ["?sync=true", ""]) {
		const refused = await annotate(annotator, batch, query);
		expect([refused.status, refused.json.code]).toEqual([409, "annotation_of_another"]);
	}
	expect(await labelsOf(9, "finch")).toHaveLength(2);

	const late = names.map((name) => onSpan(10, { name }));
	expect((await annotate(editor, [late[700]], "?project=finch")).status).toBe(200);
	const refused = await annotate(annotator, late, "?project=finch");
	expect([refused.status, refused.json.code]).toEqual([409, "annotation_of_another"]);
	expect(await waiting(annotator)).toHaveLength(1);
	expect((await annotate(annotator, [onSpan(14, { result: { label: "late" } })])).status).toBe(200);
	expect((await annotate(editor, [onSpan(14, { result: { label: "kept" } })], "?project=finch")).status).toBe(200);
	await server.context.db.write((transaction) =>
		transaction
			.updateTable("waiting_annotations")
			.set({ created_at: 1 })
			.where("target_id", "=", spanId(14))
			.where("project_id", "=", finch)
			.execute(),
	);
	await sendSpan(14, "finch");
	await lookAgain();
	expect(await labelsOf(14, "finch")).toEqual(["kept"]);
	expect(await waiting(annotator)).toContainEqual(
		expect.objectContaining({ reason: "The annotation with its name and identifier is somebody else's." }),
	);

	expect(await change(annotator, "PATCH", own)).toEqual([200, undefined]);
	expect(await change(annotator, "DELETE", own)).toEqual([204, undefined]);
	await made(annotator, "own again");
	const all = "/v1/projects/finch/span_annotations?delete_all=true";
	const { json } = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { name: "annotates", permissions: ["annotate"] } },
		annotator.headers,
	);
	const key: TestPrincipal = { ...annotator, headers: { authorization: `Bearer ${json.data.key}` } };
	expect(await change(key, "DELETE", all)).toEqual([204, undefined]);
	expect(await labelsOf(9, "finch")).toHaveLength(1);
	expect(await change(editor, "DELETE", all)).toEqual([204, undefined]);
	expect(await labelsOf(9, "finch")).toEqual([]);
});
