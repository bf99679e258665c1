import { decodeScope, decodeSpan } from "@spanward/otlp";
import { expect, it } from "vitest";
import { RightsChanged, readRightsVersion } from "#storage/projects/rights-version.ts";
import type { Tables } from "#storage/schema.ts";
import type { ProjectsOfWrite } from "../span-batch.ts";
import { HOUR_0, spanHex, testLog, testSpan, traceHex } from "../test-spans.ts";
import {
	allSessions,
	allTraces,
	identities,
	type OpenStore,
	projectId,
	type StoreUnderTest,
	storedIdentities,
} from "./store-under-test.ts";

export function conformsInWrites(open: OpenStore): void {
	it("returns a span as it was sent", async () => {
		await using store = await open();
		const span = testSpan({ trace: 7, span: 8, start: 1, startNanos: 7, attributes: { question: "why?", n: 3 } });
		await store.writer.write([span], []);
		const [stored] = await store.traces.findSpansBySpanId(spanHex(8));
		expect(stored?.content.span).toEqual(new Uint8Array(span.bytes));
		expect(stored && decodeSpan(stored.content.span).attributes).toHaveLength(3);
		expect(stored && decodeScope(stored.content.scope).name).toBe("test");
		expect(stored?.content.resourceSchemaUrl).toBe("https://opentelemetry.io/schemas/1.30.0");
		expect(stored?.summary).toMatchObject({
			traceId: traceHex(7),
			spanId: spanHex(8),
			start: { micros: HOUR_0 + 1, nanos: 7 },
			kind: "CHAIN",
			sessionId: null,
		});
	});

	it("ignores a span that is sent again, in the same batch or later", async () => {
		await using store = await open();
		const spans = [1, 2, 3].map((span) => testSpan({ span, start: span, tokens: { prompt: 5 } }));
		const [first, second] = spans;
		if (first === undefined || second === undefined) throw new Error("there are three");
		expect(await store.writer.write([first, second, first], [])).toMatchObject({ written: 2, duplicates: 1 });
		const before = await allTraces(store, await projectId(store));
		const again = await store.writer.write([second, first], []);
		expect(again).toEqual({ written: 0, duplicates: 2, logRecords: 0, changes: [] });
		expect(await allTraces(store, await projectId(store))).toEqual(before);
		expect(await store.writer.write(spans, [])).toMatchObject({ written: 1, duplicates: 2 });
		expect(await storedIdentities(store, "default")).toEqual(identities(spans));
		for (const { spanId, bytes } of spans)
			expect((await store.traces.findSpansBySpanId(spanId))[0]?.content.span).toEqual(new Uint8Array(bytes));
	});

	it("treats a span id with another start, trace or project as another span", async () => {
		await using store = await open();
		const spans = [
			testSpan({}),
			testSpan({ start: 1 }),
			testSpan({ startNanos: 1 }),
			testSpan({ trace: 2 }),
			testSpan({ project: "other" }),
		];
		expect(await store.writer.write(spans, [])).toMatchObject({ written: 5 });
		expect(await store.traces.findSpansBySpanId(spanHex(1))).toHaveLength(5);
		expect(await store.traces.findTracesByTraceIds([traceHex(1)])).toHaveLength(2);
		const other = await projectId(store, "other");
		expect(await store.traces.findTracesByTraceIds([traceHex(1)], other)).toMatchObject([{ spanCount: 1 }]);
		expect(await store.traces.findSpansBySpanId(spanHex(1), { projectId: other })).toHaveLength(1);
		expect(await store.traces.findSpansBySpanId(spanHex(1), { traceId: traceHex(2) })).toHaveLength(1);
	});

	it("a session id belongs to its project", async () => {
		await using store = await open();
		await store.writer.write(
			[testSpan({ trace: 1, session: "s" }), testSpan({ trace: 2, session: "s", project: "other" })],
			[],
		);
		expect(await store.traces.findSessionsBySessionId("s")).toHaveLength(2);
		const [session] = await allSessions(store, await projectId(store, "other"));
		expect(session).toMatchObject({ sessionId: "s", traceCount: 1 });
		expect(await store.traces.findSession(session?.id ?? 0)).toEqual(session);
	});

	it("keeps spans of 1970, of 2100, and those that end before they start", async () => {
		await using store = await open();
		const year2100 = 4_102_444_800_000_000 - HOUR_0;
		const spans = [
			testSpan({ trace: 1, start: -HOUR_0, duration: 5 }),
			testSpan({ trace: 2, start: year2100, duration: 5 }),
			testSpan({ trace: 3, start: 10, duration: -7_000_000 }),
		];
		await store.writer.write(spans, []);
		const traces = await allTraces(store, await projectId(store));
		expect(traces.map((trace) => [trace.start.micros, trace.end.micros - trace.start.micros])).toEqual([
			[0, 5],
			[HOUR_0 + 10, -7_000_000],
			[HOUR_0 + year2100, 5],
		]);
		const metrics = await store.traces.metrics({
			projectId: await projectId(store),
			startMicros: 0,
			endMicros: 2 * HOUR_0 + year2100,
			bucket: "day",
		});
		expect(metrics.map((point) => point.spanCount)).toEqual([1, 1, 1]);
	});

	it("keeps times and token counts of any size, shown as exactly as numbers can", async () => {
		await using store = await open();
		const far = { micros: 18_446_744_073_709_552, nanos: 615 };
		const span = { ...testSpan({ tokens: { prompt: Number.MAX_SAFE_INTEGER } }), start: far, end: far };
		const other = testSpan({ span: 2, tokens: { prompt: Number.MAX_SAFE_INTEGER } });
		expect(await store.writer.write([span, other], [])).toMatchObject({ written: 2 });
		expect(await store.writer.write([span, other], [])).toMatchObject({ written: 0, duplicates: 2 });
		const project = await projectId(store);
		const [trace] = await allTraces(store, project);
		expect(trace).toMatchObject({ spanCount: 2, end: { micros: Number.MAX_SAFE_INTEGER } });
		expect(trace?.tokens.prompt).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
		expect(await store.traces.findSpansBySpanId(spanHex(1))).toHaveLength(1);
		const day = { projectId: project, startMicros: 0, endMicros: 2 * Number.MAX_SAFE_INTEGER, bucket: "day" } as const;
		expect(await store.traces.metrics(day)).toHaveLength(2);
	});

	it("keeps texts with any characters", async () => {
		await using store = await open();
		const name = "a\u0000b \u{1f600} ' \"";
		await store.writer.write([testSpan({ name, session: name, user: name, model: name, input: name })], []);
		const [trace] = await allTraces(store, await projectId(store));
		const shown = store.shown?.(name) ?? name;
		expect(trace).toMatchObject({ rootName: shown, sessionId: shown, userId: shown, firstInput: shown });
		expect(await store.traces.findSessionsBySessionId(name)).toHaveLength(1);
	});

	it("attaches log records to their span in either order, and ignores repeated ones", async () => {
		await using store = await open();
		const llm = (trace: number) => testSpan({ trace, kind: "LLM", attributes: { "gen_ai.system": "openai" } });
		const late = testLog({ trace: 1, content: "late question" });
		const early = testLog({ trace: 2, content: "early question" });
		expect(await store.writer.write([llm(1)], [early])).toMatchObject({ logRecords: 1 });
		expect(await store.writer.write([llm(2)], [late, late])).toMatchObject({ logRecords: 1 });
		expect(await store.writer.write([], [late, early])).toMatchObject({ logRecords: 0, changes: [] });
		for (const [trace, log] of [[1, late] as const, [2, early] as const]) {
			const [stored] = await store.traces.findSpansBySpanId(spanHex(1), { traceId: traceHex(trace) });
			expect(stored?.content.logs).toEqual([new Uint8Array(log.bytes)]);
		}
	});

	it("joins log records only to spans of the project that they were sent to, and takes them along", async () => {
		await using store = await open();
		const attributes = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
		const span = (project: string) => testSpan({ project, kind: "LLM", attributes });
		const early = testLog({ project: "a", content: "early question" });
		const late = testLog({ project: "a", content: "late question" });
		await store.writer.write([span("a")], [early]);
		await store.writer.write([span("b")], []);
		await store.writer.write([], [late, testLog({ project: "c", content: "of nobody" })]);
		const logsIn = async (project: string) => {
			const found = await store.traces.findSpansBySpanId(spanHex(1), { projectId: await projectId(store, project) });
			return found.flatMap(({ content }) => content.logs.map((log) => Buffer.from(log)));
		};
		const firstTrace = async (project: string) => {
			const [trace] = await allTraces(store, await projectId(store, project));
			return trace;
		};
		const logRecordsOf = async (project: string) => {
			const counted = await store.traces.countDependents("trace", [(await firstTrace(project))?.id ?? 0]);
			return counted.logRecords;
		};
		const both = [early, late].map(({ bytes }) => Buffer.from(bytes)).sort(Buffer.compare);
		expect((await logsIn("a")).sort(Buffer.compare)).toEqual(both);
		expect(await logsIn("b")).toEqual([]);
		expect([await logRecordsOf("a"), await logRecordsOf("b")]).toEqual([2, 0]);
		expect((await firstTrace("a"))?.firstInput).toContain("question");
		expect((await firstTrace("b"))?.firstInput).toBeNull();

		// The same record in two projects is one of each.
		await store.writer.write([], [{ ...early, projectName: "b" }]);
		expect(await logsIn("b")).toEqual([Buffer.from(early.bytes)]);
		await store.traces.transferTraces([(await firstTrace("a"))?.id ?? 0], await projectId(store, "b"));
		expect((await logsIn("b")).sort(Buffer.compare)).toEqual(both);
		expect(await logsIn("a")).toEqual([]);
		await store.traces.transferTraces([(await firstTrace("b"))?.id ?? 0], await projectId(store, "a"));
		expect((await logsIn("a")).sort(Buffer.compare)).toEqual(both);

		await store.writer.write([span("b")], [testLog({ project: "b", content: "stays" })]);
		await store.traces.deleteTrace((await firstTrace("a"))?.id ?? 0);
		expect(await logsIn("b")).toHaveLength(1);
		await store.writer.write([span("a")], []);
		expect(await logsIn("a")).toEqual([]);
	});

	it("reports which traces a write added or changed", async () => {
		await using store = await open();
		const first = await store.writer.write([testSpan({ trace: 1 }), testSpan({ trace: 2, project: "b" })], []);
		expect(first.changes).toHaveLength(2);
		const second = await store.writer.write([testSpan({ trace: 1, span: 2 })], []);
		expect(second.changes).toEqual([first.changes.find((change) => change.projectId === second.changes[0]?.projectId)]);
	});

	it("tells which pairs of trace id and span id exist in a project", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ trace: 1, span: 1 }), testSpan({ trace: 2, span: 2, project: "b" })], []);
		const pair = (trace: number, span: number) => ({ traceId: traceHex(trace), spanId: spanHex(span) });
		const pairs = [pair(1, 1), pair(1, 2), pair(2, 2)];
		expect(await store.traces.findExistingSpans(await projectId(store), pairs)).toEqual([pair(1, 1)]);
		expect(await store.traces.findExistingSpans(await projectId(store, "b"), pairs)).toEqual([pair(2, 2)]);
	});
}

/** What a write reads and makes beside the traces. */
export function conformsInNewProjects(open: OpenStore): void {
	it("makes projects with the access that rules and the policy say, and their makers as managers", async () => {
		await using store = await open();
		const maker = await insertUser(store);
		await setPolicy(store, { default_project_access: "restricted", members_create_projects: null });
		const rules = [
			{ pattern: "pay-*", access_of_new: "open" as const },
			{ pattern: "*-secret", access_of_new: "restricted" as const },
		];
		for (const rule of rules) await insertRule(store, rule);
		const names = ["pay-api", "pay-secret", "other"];
		const made: string[] = [];
		const projects: ProjectsOfWrite = {
			decidedBy: [await readRightsVersion(store.db.read)],
			makerOf: (name) => (name === "other" ? null : maker),
			onMade: () => made.push("made"),
		};
		const spans = names.map((project, index) => testSpan({ trace: index + 1, project }));
		expect(await store.writer.write(spans, [], projects)).toMatchObject({ written: 3 });
		const stored = await store.db.read
			.selectFrom("projects")
			.leftJoin("grants", "grants.project_id", "projects.id")
			.select(["name", "access", "user_id", "role"])
			.where("name", "in", names)
			.orderBy("projects.id")
			.execute();
		expect(stored.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))).toEqual([
			{ name: "pay-api", access: "open", user_id: maker, role: "manager" },
			{ name: "pay-secret", access: "restricted", user_id: maker, role: "manager" },
			{ name: "other", access: "restricted", user_id: null, role: null },
		]);
		expect(made).not.toEqual([]);
		// So that servers notice which do not see the highest row number change.
		const after = await readRightsVersion(store.db.read);
		expect(after.version).toBeGreaterThan(projects.decidedBy[0]?.version ?? 0);
		await store.writer.write([testSpan({ trace: 9, project: "by variable" })], [], {
			...{ decidedBy: [after], makerOf: () => null, pinnedAccess: "open" },
		});
		const pinned = store.db.read.selectFrom("projects").select("access").where("name", "=", "by variable");
		expect(await pinned.executeTakeFirst()).toEqual({ access: "open" });
	});

	it("writes nothing when rights have changed since it was decided, or for a project that must not be made", async () => {
		await using store = await open();
		const spans = [testSpan({}), testSpan({ trace: 2, project: "new" })];
		const decidedBy = await readRightsVersion(store.db.read);
		const mustExist: ProjectsOfWrite = { decidedBy: [decidedBy], makerOf: () => undefined };
		await expect(store.writer.write(spans, [], mustExist)).rejects.toThrow(RightsChanged);
		await setPolicy(store, { default_project_access: null, members_create_projects: 0 });
		const outdated: ProjectsOfWrite = { decidedBy: [decidedBy], makerOf: () => null };
		await expect(store.writer.write(spans, [testLog({ content: "question" })], outdated)).rejects.toThrow(
			RightsChanged,
		);
		expect(await storedIdentities(store, "default")).toEqual([]);
		expect(await store.db.read.selectFrom("projects").select("name").execute()).toEqual([{ name: "default" }]);
		const current = { ...outdated, decidedBy: [await readRightsVersion(store.db.read)] };
		expect(await store.writer.write(spans, [], current)).toMatchObject({ written: 2 });
		// What it has made itself is a change for the next one.
		await expect(store.writer.write([testSpan({ span: 2 })], [], current)).rejects.toThrow(RightsChanged);
	});
}

async function insertUser({ db }: StoreUnderTest): Promise<number> {
	const user = {
		username: "ada",
		username_key: "ada",
		email: "ada@example.com",
		role: "MEMBER",
		auth_method: "LOCAL",
	} as const;
	const nothing = {
		password_hash: "of no password",
		oauth2_provider: null,
		oauth2_issuer: null,
		oauth2_client_id: null,
	};
	const neither = { oauth2_user_id: null, ldap_unique_id: null, profile_picture_url: null, last_login_at: null };
	const { id } = await db.write((transaction) =>
		transaction
			.insertInto("users")
			.values({ ...user, ...nothing, ...neither, password_due: 0, password_replaced: 0, created_at: 1, updated_at: 1 })
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	return id;
}

type Policy = Pick<Tables["access_policy"], "default_project_access" | "members_create_projects">;

async function setPolicy({ db }: StoreUnderTest, policy: Policy): Promise<void> {
	await db.write(async (transaction) => {
		const row = { id: 1, version: 1, library_access: "open", open_role_of_members: null, max_key_days: null } as const;
		await transaction
			.insertInto("access_policy")
			.values({ ...row, ...policy })
			.execute();
	});
}

async function insertRule({ db }: StoreUnderTest, rule: Pick<Tables["access_rules"], "pattern" | "access_of_new">) {
	await db.write((transaction) =>
		transaction
			.insertInto("access_rules")
			.values({ ...rule, description: null, created_at: 1, updated_at: 1 })
			.execute(),
	);
}
