import { sharedFingerprint } from "@spanward/error-groups";
import type { Transaction } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import type { Tables } from "#storage/schema.ts";
import { openTestApp, text } from "#test-app.ts";
import { WITH_CLICKHOUSE } from "#test-storage.ts";
import { noteOlderFailures } from "./backfill.ts";
import { type Changer, changeGroup, type StateChange } from "./change-group.ts";
import { deleteExpired } from "./delete-empty.ts";
import { groupErrors } from "./error-grouping.ts";
import { groupWaiting } from "./group-failures.ts";
import { mergeGroups, unmergeGroup } from "./merge-groups.ts";
import { openDue } from "./open-ignored.ts";
import { groupAll, recountErrors } from "./test-grouping.ts";

const server = await openTestApp();
afterAll(() => server[Symbol.asyncDispose]());
const { context } = server;
const { db } = context;

const BY: Changer = { kind: "none", userId: null };
const NOW = Math.floor(Date.now() / 1_000);
const HOUR = 3_600;

interface Draft {
	readonly trace?: number;
	readonly span?: number;
	readonly parent?: number;
	/** Seconds since 1970; an hour ago by default. */
	readonly start?: number;
	readonly name?: string;
	readonly kind?: string;
	/** An error says it; without one the span is OK. */
	readonly message?: string;
	readonly attributes?: Readonly<Record<string, object>>;
	readonly exception?: { readonly type: string; readonly message?: string; readonly stack?: string };
}

let traces = 0;

/** One that no test has used. */
function newTrace(): number {
	traces += 1;
	return traces;
}

function span(draft: Draft): Readonly<Record<string, unknown>> {
	const { trace = newTrace(), span: id = 1, parent, start = NOW - HOUR, kind, message, exception } = draft;
	const hex = (number: number, length: number) => number.toString(16).padStart(length, "0");
	const spanId = (number: number) => `${hex(trace, 8)}${hex(number, 8)}`;
	const attributes = {
		...(kind === undefined ? {} : { "openinference.span.kind": text(kind) }),
		...draft.attributes,
	};
	const ofException = { "exception.type": exception?.type, "exception.message": exception?.message };
	const sent = Object.entries({ ...ofException, "exception.stacktrace": exception?.stack });
	const list = sent.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: text(value) }]));
	return {
		traceId: hex(trace, 32),
		spanId: spanId(id),
		...(parent === undefined ? {} : { parentSpanId: spanId(parent) }),
		name: draft.name ?? "work",
		...{ startTimeUnixNano: `${start}000000000`, endTimeUnixNano: `${start}100000000`, attributes },
		...(message === undefined && exception === undefined ? {} : { status: { code: 2, message: message ?? "" } }),
		...(exception === undefined ? {} : { events: [{ name: "exception", attributes: list }] }),
	};
}

/** Sends spans one export after another, and groups them when all are there. */
async function receive(project: string, ...exports: readonly (readonly Draft[])[]): Promise<void> {
	for (const drafts of exports) await server.send(drafts.map(span), project);
	await groupAll(context);
}

async function idOf(project: string): Promise<number> {
	const row = await db.read.selectFrom("projects").select("id").where("name", "=", project).executeTakeFirstOrThrow();
	return row.id;
}

async function groupsOf(project: string) {
	return await db.read
		.selectFrom("error_groups")
		.selectAll("error_groups")
		.select(({ selectFrom, fn }) =>
			selectFrom("error_occurrences")
				.select(fn.countAll<number>().as("count"))
				.whereRef("group_id", "=", "error_groups.id")
				.$asScalar()
				.$notNull()
				.as("stored"),
		)
		.where("project_id", "=", await idOf(project))
		.orderBy("id")
		.execute();
}

/** Of the only group. */
async function groupOf(project: string) {
	const [group, ...others] = await groupsOf(project);
	if (group === undefined || others.length > 0) throw new Error(`${project} has ${others.length + 1} groups or none`);
	return group;
}

async function occurrencesOf(project: string) {
	return await db.read
		.selectFrom("error_occurrences")
		.selectAll()
		.where("project_id", "=", await idOf(project))
		.orderBy("start_micros")
		.execute();
}

async function activityOf(groupId: number) {
	const rows = await db.read
		.selectFrom("error_activity")
		.select(["action", "details"])
		.where("group_id", "=", groupId)
		.orderBy("id")
		.execute();
	return rows.map(({ action, details }) => [action, JSON.parse(details)]);
}

async function change(groupId: number, state: StateChange): Promise<void> {
	await db.write((transaction) => changeGroup(transaction, groupId, { state }, { by: BY, now: context.now() }));
}

async function expire(before: number): Promise<void> {
	await deleteExpired(db, before, new AbortController().signal);
}

async function recount(project: string): Promise<readonly string[]> {
	return await recountErrors(context, [await idOf(project)]);
}

const RATE_LIMIT =
	"Error code: 429 - {'error': {'message': 'Rate limit reached', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}";

describe("occurrences", () => {
	/** One failure of a provider on four levels, with a sibling that did not fail. */
	function levels(trace: number): Draft[] {
		return [
			{ trace, span: 1, name: "agent", message: "" },
			{ trace, span: 2, parent: 1, name: "chain", exception: { type: "RateLimitError", message: RATE_LIMIT } },
			{ trace, span: 3, parent: 2, name: "step", message: `in step: ${RATE_LIMIT}` },
			{
				...{ trace, span: 4, parent: 3, kind: "LLM", name: "call", message: RATE_LIMIT },
				attributes: { "llm.provider": text("openai"), "llm.model_name": text("gpt-4o"), "user.id": text("ann") },
			},
			{ trace, span: 5, parent: 1, name: "sibling" },
		];
	}

	test("W37 one failure on four levels is one occurrence, of the deepest span, in any order and in batches of one", async () => {
		const [a, b, c] = [levels(newTrace()), levels(newTrace()).toReversed(), levels(newTrace())];
		await receive("w37", a);
		for (const draft of b) await receive("w37", [draft]);
		await receive("w37", ...[2, 4, 0, 3, 1].map((at) => [c[at] ?? {}]));
		expect(await groupOf("w37")).toMatchObject({ total_count: 3, stored: 3, state: "open" });
		expect(await occurrencesOf("w37")).toMatchObject(
			Array.from({ length: 3 }, () => ({ kind: "provider_error", user_id: "ann", model: "gpt-4o" })),
		);
		expect(await recount("w37")).toEqual([]);
	});

	// What a failure says decides, wherever its trace is.
	describe.skipIf(WITH_CLICKHOUSE)("W36 what people call one problem is one group, in any order and batches", () => {
		const rateLimit = (used: number, wait: number) =>
			`Rate limit reached for gpt-4o in organization org-a${used} on tokens per min (TPM): Limit 30000, Used ${used}, Requested 512. Please try again in ${wait}.2s.`;
		const stack = (line: number, library: string) =>
			`Traceback (most recent call last):\n  File "/app/shop/orders.py", line ${line}, in pay\n    post()\n  File "/usr/lib/python3.12/site-packages/${library}.py", line 3, in post\n    pass\nValueError: x`;
		const valueError = (line: number, library: string): Draft => ({
			exception: { type: "ValueError", message: "x", stack: stack(line, library) },
		});
		const ofModel = (message: string, provider = "openai"): Draft => ({
			...{ kind: "LLM", message },
			attributes: { "llm.provider": text(provider) },
		});
		const refused = (code: string): Draft =>
			ofModel(`Error code: 429 - {'error': {'message': 'No', 'type': 'requests', 'code': '${code}'}}`);
		const keyError = (key: string): Draft => ({ exception: { type: "KeyError", message: `'${key}'` } });
		const ofTool = (name: string): Draft => ({
			kind: "TOOL",
			message: "gone",
			attributes: { "tool.name": text(name) },
		});
		const withheld = (reason: string): Draft => ({ kind: "LLM", attributes: { "llm.finish_reason": text(reason) } });
		const ROWS: readonly (readonly [rows: string, groups: number, drafts: readonly Draft[]])[] = [
			["a rate limit with other figures", 1, [ofModel(rateLimit(29_871, 1)), ofModel(rateLimit(30_000, 7))]],
			...[
				["ports", "Failed to fetch (127.0.0.1:56736)", "Failed to fetch (127.0.0.1:61449)"] as const,
				["columns", "expected value at line 1 column 190", "expected value at line 1 column 300"] as const,
				["addresses in memory", "no method of object at 0x7f3a12bc", "no method of object at 0x55d0aa01"] as const,
				["temporary paths", "cannot read /tmp/tmpab12/x.json", "cannot read /tmp/tmpzz98/x.json"] as const,
			].map(([rows, ...messages]) => [rows, 1, messages.map((message) => ({ message }))] as const),
			["lines and frames of libraries", 1, [valueError(12, "requests"), valueError(40, "httpx")]],
			["numbers in names of spans", 1, ["step-75", "step-76"].map((name) => ({ name, message: "stuck" }))],
			["codes of a provider", 2, [refused("rate_limit_exceeded"), refused("insufficient_quota")]],
			["quoted keys", 2, [keyError("city"), keyError("country")]],
			["providers", 2, ["openai", "anthropic"].map((provider) => ofModel("Request timed out.", provider))],
			["tools", 2, [ofTool("search"), ofTool("weather")]],
			["reasons", 2, [withheld("content_filter"), withheld("refusal")]],
		];

		test.each(ROWS)("%s: %i", async (rows, groups, drafts) => {
			const project = `w36 ${rows}`;
			await receive(project, drafts);
			expect(await groupsOf(project)).toHaveLength(groups);
		});

		test("all in one trace", async () => {
			/** Below a root that did not fail. */
			const wholeTrace = (): Draft[] => {
				const trace = newTrace();
				const children = ROWS.flatMap(([, , drafts]) => drafts);
				return [
					{ trace, span: 1, name: "root" },
					...children.map((draft, index) => ({ ...draft, trace, span: index + 2, parent: 1 })),
				];
			};
			const found = async (project: string) =>
				(await groupsOf(project)).map(({ fingerprint, total_count }) => [fingerprint, total_count]).toSorted();
			await receive("w36 at once", wholeTrace());
			const expected = await found("w36 at once");
			expect(expected).toHaveLength(ROWS.reduce((sum, [, groups]) => sum + groups, 0));
			await receive(
				"w36 one by one",
				...wholeTrace()
					.toReversed()
					.map((draft) => [draft]),
			);
			expect(await found("w36 one by one")).toEqual(expected);
			// Grouped in between, the root in the middle.
			const all = wholeTrace();
			for (const part of [2, 0, 1])
				await receive(
					"w36 in parts",
					all.filter((_, index) => index % 3 === part),
				);
			expect(await found("w36 in parts")).toEqual(expected);
			expect(await recount("w36 in parts")).toEqual([]);
		});
	});

	test("W38 a child that comes after its parents were counted takes their place", async () => {
		const trace = newTrace();
		const [agent, chain, step, call] = levels(trace);
		await receive("w38", [agent ?? {}, chain ?? {}]);
		expect((await groupOf("w38")).total_count).toBe(1);
		await receive("w38", [step ?? {}]);
		await receive("w38", [call ?? {}]);
		expect(await groupOf("w38")).toMatchObject({ total_count: 1, stored: 1 });
		expect(await occurrencesOf("w38")).toMatchObject([{ kind: "provider_error" }]);
		expect(await recount("w38")).toEqual([]);
	});

	test("W39 and W40 own frames and the explicit fingerprint decide", async () => {
		const stack = (line: number, name: string) =>
			`Traceback (most recent call last):\n  File "/app/shop/orders.py", line ${line}, in ${name}\n    pass\nValueError: x`;
		await receive("w39", [
			{ exception: { type: "ValueError", message: "x", stack: stack(12, "pay") } },
			{ exception: { type: "ValueError", message: "x", stack: stack(40, "pay") } },
			{ exception: { type: "ValueError", message: "x", stack: stack(12, "ship") } },
			{ message: "one thing", attributes: { "error.fingerprint": text("mine") } },
			{ message: "another", kind: "TOOL", attributes: { "error.fingerprint": text("mine") } },
		]);
		expect((await groupsOf("w39")).map(({ total_count }) => total_count).toSorted()).toEqual([1, 2, 2]);
	});

	test("W41 a withheld answer is a refusal, though its span is OK", async () => {
		const finished = (reason: string): Draft => ({ kind: "LLM", attributes: { "llm.finish_reason": text(reason) } });
		await receive("w41", [finished("content_filter"), finished("stop")]);
		expect(await occurrencesOf("w41")).toMatchObject([{ kind: "refusal" }]);
	});

	test("takes user, session, release and environment of the trace where the span has none", async () => {
		const trace = newTrace();
		const ofRoot = { "user.id": text("ann"), "session.id": text("s"), release: text("1.0") };
		await receive("inherited", [
			{ trace, span: 1, attributes: { ...ofRoot, "deployment.environment.name": text("prod") } },
			{ trace, span: 2, parent: 1, kind: "TOOL", name: "search", message: "no", attributes: { release: text("1.1") } },
		]);
		expect(await occurrencesOf("inherited")).toMatchObject([
			{ user_id: "ann", session_id: "s", release: "1.1", environment: "prod", tool: "search", kind: "tool_failure" },
		]);
		expect(await groupOf("inherited")).toMatchObject({ first_release: "1.1", last_release: "1.1" });
	});

	test("heeds the settings of the project", async () => {
		await server.send([span({})], "set");
		const settings = { release_key: "build", own_code: "[]", kinds: JSON.stringify(["error"]), updated_at: 1 };
		const project_id = await idOf("set");
		await db.write((it) =>
			it
				.insertInto("error_settings")
				.values({ ...settings, project_id })
				.execute(),
		);
		await receive("set", [
			{ message: "broke", attributes: { build: text("77"), release: text("1.0") } },
			{ kind: "TOOL", message: "not collected" },
		]);
		expect(await occurrencesOf("set")).toMatchObject([{ kind: "error", release: "77" }]);
	});

	test("W48 an export that is sent twice counts once", async () => {
		const drafts = levels(newTrace());
		await receive("w48", drafts, drafts);
		await receive("w48", drafts);
		expect(await groupOf("w48")).toMatchObject({ total_count: 1, stored: 1 });
	});

	test("W48 a process that dies while it groups, and two that do it at once, count each failure once", async () => {
		const never = new AbortController().signal;
		const now = { quietMs: 0, longestMs: 0 };
		await server.send(
			Array.from({ length: 50 }, (_, at) => span({ message: `it broke: ${at % 2 === 0 ? "a" : "b"}` })),
			"killed",
		);
		const dying = {
			...context,
			db: {
				...{ isShared: db.isShared, read: db.read, check: () => db.check() },
				[Symbol.asyncDispose]: async () => undefined,
				write: <T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> =>
					db.write(async (transaction) => {
						await work(transaction);
						throw new Error("killed before its commit");
					}),
			},
		};
		await expect(groupWaiting(dying, now, never)).rejects.toThrow("killed");
		expect(await groupsOf("killed")).toEqual([]);
		await Promise.all([groupWaiting(context, now, never), groupWaiting(context, now, never)]);
		await groupAll(context);
		expect((await groupsOf("killed")).map(({ total_count, stored }) => [total_count, stored])).toEqual([
			[25, 25],
			[25, 25],
		]);
		expect(await recount("killed")).toEqual([]);
	});

	test.skipIf(WITH_CLICKHOUSE)(
		"W50 what is beyond 10,000 groups shares one for each kind and type, and is counted",
		async () => {
			await server.send([span({})], "w50");
			const projectId = await idOf("w50");
			await fillGroups(projectId, 9_999);
			const letter = (at: number) => String.fromCharCode(97 + at);
			const drafts = Array.from({ length: 26 }, (_, at) => ({
				message: `no ${letter(at)}${letter(25 - at)}`,
				trace: newTrace(),
			}));
			await receive("w50", drafts);
			await receive(
				"w50",
				drafts.map((draft) => ({ ...draft, trace: newTrace() })),
			);
			const groups = (await groupsOf("w50")).filter(({ stored }) => stored > 0);
			expect(groups.map(({ stored }) => stored).toSorted((a, b) => a - b)).toEqual([2, 50]);
			expect(groups.at(-1)?.fingerprint).toBe(sharedFingerprint("error", ""));
			expect(await recount("w50")).toEqual([]);
		},
	);

	test.skipIf(WITH_CLICKHOUSE)("W50 a storm of 5,000 failures of 500 kinds is counted to the last one", async () => {
		const letter = (at: number) => String.fromCharCode(97 + at);
		const problems = Array.from({ length: 500 }, (_, at) => `no ${letter(at % 26)}${letter(Math.floor(at / 26))}`);
		const storms = Array.from({ length: 10 }, newTrace).map((trace) =>
			problems.map((message, at) => ({ message, trace, span: at + 1 })),
		);
		await receive("storm", ...storms);
		const counts = (await groupsOf("storm")).map(({ total_count, stored }) => [total_count, stored]);
		expect(counts).toEqual(problems.map(() => [10, 10]));
		expect(await recount("storm")).toEqual([]);
	});

	async function fillGroups(projectId: number, count: number): Promise<void> {
		const totals = { total_count: 0, first_seen: 1, last_seen: 1, first_release: null, last_release: null };
		for (let at = 0; at < count; at += 500) {
			const names = Array.from({ length: Math.min(500, count - at) }, (_, number) => `filled ${at + number}`);
			await db.write(async (transaction) => {
				const made = await transaction
					.insertInto("error_groups")
					.values(
						names.map((fingerprint) => ({
							...{ project_id: projectId, fingerprint, ...totals, revision: 2, created_at: 1, updated_at: 1 },
						})),
					)
					.returning(["id", "fingerprint"])
					.execute();
				const described = { version: 1, kind: "error", type: null, title: "", message: "" } as const;
				await transaction
					.insertInto("error_group_fingerprints")
					.values(
						made.map(({ id, fingerprint }) => ({
							...{ project_id: projectId, fingerprint, group_id: id, ...totals, ...described },
							...{ culprit: "{}", grouping: "{}" },
						})),
					)
					.execute();
			});
		}
	}
});

describe("the life of a group", () => {
	const broke = (more: Draft = {}): Draft => ({ message: "it broke", ...more });

	test("W42 a resolved group stays so for spans that started before, and comes back once for those after", async () => {
		await receive("w42", [broke()]);
		const { id } = await groupOf("w42");
		await change(id, { state: "resolved" });
		await receive("w42", [broke()]);
		expect(await groupOf("w42")).toMatchObject({ state: "resolved", total_count: 2 });
		await receive("w42", [broke({ start: NOW + HOUR })], [broke({ start: NOW + HOUR })]);
		await receive("w42", [broke({ start: NOW + HOUR })]);
		expect(await groupOf("w42")).toMatchObject({ state: "open", total_count: 5, regressed_at: expect.any(Number) });
		expect((await activityOf(id)).map(([action]) => action)).toEqual(["resolved", "regressed"]);
	});

	test("W43 resolved in a release, only later releases bring it back", async () => {
		const of = (release: string, start: number, more: Draft = {}): Draft => ({
			...more,
			...{ start, attributes: { release: text(release) } },
		});
		await receive("w43", [of("1.9", NOW - 3 * HOUR, broke()), of("2.0", NOW - 2 * HOUR)]);
		const { id } = await groupOf("w43");
		await change(id, { state: "resolved", inRelease: "2.0" });
		await receive("w43", [of("1.9", NOW + HOUR, broke()), of("2.0", NOW + HOUR, broke())]);
		expect(await groupOf("w43")).toMatchObject({ state: "resolved", total_count: 3 });
		await receive("w43", [of("2.1", NOW + 2 * HOUR, broke())]);
		expect(await groupOf("w43")).toMatchObject({
			state: "open",
			total_count: 4,
			first_release: "1.9",
			last_release: "2.1",
		});
		expect((await activityOf(id)).at(-1)).toMatchObject(["regressed", { release: "2.1" }]);
	});

	test("W43 a release that nobody has seen counts from when it was named", async () => {
		await receive("w43b", [broke({ attributes: { release: text("1.9") } })]);
		const { id } = await groupOf("w43b");
		await change(id, { state: "resolved", inRelease: "2.0" });
		await receive("w43b", [broke({ start: NOW + HOUR, attributes: { release: text("1.9") } })]);
		expect((await groupOf("w43b")).state).toBe("resolved");
		await receive("w43b", [broke({ start: NOW + HOUR, attributes: { release: text("2.1") } })]);
		expect((await groupOf("w43b")).state).toBe("open");
	});

	test("W44 ignored until ten more, the tenth opens it; by users; until a time; for ever", async () => {
		const failures = (count: number, user = "ann") =>
			Array.from({ length: count }, () => broke({ attributes: { "user.id": text(user) } }));
		await receive("w44", failures(3));
		const { id } = await groupOf("w44");
		await change(id, { state: "ignored", until: { occurrences: 10 } });
		await receive("w44", failures(9));
		expect((await groupOf("w44")).state).toBe("ignored");
		await receive("w44", failures(1));
		expect(await groupOf("w44")).toMatchObject({ state: "open", regressed_at: null });
		await change(id, { state: "ignored", until: { users: 2 } });
		await receive("w44", failures(5, "ben"));
		expect((await groupOf("w44")).state).toBe("ignored");
		await receive("w44", failures(1, "cat"));
		expect((await groupOf("w44")).state).toBe("open");
		await change(id, { state: "ignored", until: { time: context.now() + 1e9 } });
		await db.write((transaction) => openDue(transaction, context.now(), 10));
		expect((await groupOf("w44")).state).toBe("ignored");
		await db.write((transaction) => openDue(transaction, context.now() + 1e9, 10));
		expect((await groupOf("w44")).state).toBe("open");
		const reopened = (await activityOf(id)).filter(([action]) => action === "unignored");
		expect(reopened.map(([, details]) => details)).toEqual([
			{ until: "occurrences" },
			{ until: "users" },
			{ until: "time" },
		]);
		await change(id, { state: "ignored" });
		await clearTraces("w44");
		await expire(context.now() + 1e12);
		expect(await groupOf("w44")).toMatchObject({ state: "ignored", stored: 0 });
	});

	test("a group without occurrences goes some time after it was last seen", async () => {
		await receive("empty", [broke({ start: NOW - HOUR })]);
		const { last_seen } = await groupOf("empty");
		await expire(last_seen + 1);
		expect(await groupOf("empty")).toMatchObject({ stored: 1 });
		await clearTraces("empty");
		await expire(last_seen);
		expect(await groupOf("empty")).toMatchObject({ stored: 0 });
		await expire(last_seen + 1);
		expect(await groupsOf("empty")).toEqual([]);
	});

	test("W46 merged groups count together, with what comes, and apart again", async () => {
		const failures = (one: number, other: number) => [
			...Array.from({ length: one }, () => broke()),
			...Array.from({ length: other }, () => broke({ message: "nobody answers" })),
		];
		await receive("w46", failures(2, 3));
		const [first, second] = await groupsOf("w46");
		if (first === undefined || second === undefined) throw new Error("two groups");
		const write = { by: BY, now: context.now() };
		expect(await db.write((it) => mergeGroups(it, first.id, [second.id, first.id], write))).toEqual({
			...{ outcome: "merged", groups: 1 },
		});
		expect(await groupOf("w46")).toMatchObject({ id: first.id, total_count: 5, stored: 5 });
		await receive("w46", failures(1, 1));
		expect(await groupOf("w46")).toMatchObject({ total_count: 7, stored: 7 });
		expect(await recount("w46")).toEqual([]);
		const all = await db.write((it) => unmergeGroup(it, first.id, [first.fingerprint, second.fingerprint], write));
		expect(all).toEqual({ outcome: "all_fingerprints" });
		const unmerged = await db.write((it) => unmergeGroup(it, first.id, [second.fingerprint], write));
		expect(unmerged).toMatchObject({ outcome: "unmerged" });
		await receive("w46", failures(1, 1));
		const counts = (await groupsOf("w46")).map(({ fingerprint, total_count, stored }) => [
			fingerprint,
			total_count,
			stored,
		]);
		expect(counts).toEqual([
			[first.fingerprint, first.total_count + 2, first.total_count + 2],
			[second.fingerprint, second.total_count + 2, second.total_count + 2],
		]);
		expect(await recount("w46")).toEqual([]);
	});

	test("no group of another project can be merged", async () => {
		await receive("merge-a", [broke()]);
		await receive("merge-b", [broke()]);
		const [a, b] = [await groupOf("merge-a"), await groupOf("merge-b")];
		const merged = await db.write((it) => mergeGroups(it, a.id, [b.id], { by: BY, now: context.now() }));
		expect(merged).toEqual({ outcome: "not_found", groupIds: [b.id] });
	});
});

async function clearTraces(project: string): Promise<void> {
	const url = `/v1/projects/${project}/traces?start_time=1970-01-01&end_time=2554-01-01`;
	expect((await server.call("DELETE", url)).status).toBeLessThan(300);
}

describe("changes of traces", () => {
	test("filters find spans by their group and by how they failed", async () => {
		const trace = newTrace();
		await receive("filtered", [
			{ trace, span: 1, name: "root" },
			{ trace, span: 2, parent: 1, name: "tool", kind: "TOOL", message: "no rooms" },
			{ trace, span: 3, parent: 1, name: "broken", message: "it broke" },
		]);
		const found = async (filter: string, of = "spans") => {
			const url = `/v1/projects/filtered/${of}?filter=${encodeURIComponent(filter)}`;
			const { status, json } = await server.get(url);
			expect(status).toBe(200);
			return json.data.map(({ name }: { name: string }) => name).toSorted();
		};
		expect(await found("error_kind == 'TOOL_FAILURE'")).toEqual(["tool"]);
		expect(await found("error_kind in ('error', 'refusal')")).toEqual(["broken"]);
		expect(await found("error_kind is None")).toEqual(["root"]);
		const [tool] = await occurrencesOf("filtered");
		const group = (await groupsOf("filtered")).find(({ id }) => id === tool?.group_id);
		expect(await found(`error_group == '${group?.fingerprint}'`)).toEqual(["tool"]);
		expect(await found(`error_group != '${group?.fingerprint}'`)).toEqual(["broken"]);
		expect(await found(`any(x.error_group == '${group?.fingerprint}' for x in spans)`, "traces")).toHaveLength(1);
	});

	test("W45 of deleted traces the total and the first time stay", async () => {
		const [old, young] = [newTrace(), newTrace()];
		await receive("w45", [
			{ trace: old, message: "it broke", start: NOW - 2 * HOUR },
			{ trace: young, message: "it broke" },
		]);
		const before = await groupOf("w45");
		const [row] = await occurrencesOf("w45");
		await context.traces.deleteTrace(row?.trace_row_id ?? 0);
		await groupAll(context);
		const { total_count, first_seen, last_seen } = before;
		expect(await groupOf("w45")).toMatchObject({ total_count, first_seen, last_seen, stored: 1 });
		expect(await recount("w45")).toEqual([]);
	});

	test("the failure of a deleted span is that of the span above it", async () => {
		const trace = newTrace();
		await receive("shrunk", [
			{ trace, span: 1, name: "chain", exception: { type: "ValueError", message: "no rooms" } },
			{
				trace,
				span: 2,
				parent: 1,
				kind: "TOOL",
				name: "search",
				exception: { type: "ValueError", message: "no rooms" },
			},
		]);
		const [tool] = await occurrencesOf("shrunk");
		expect(tool?.kind).toBe("tool_failure");
		await context.traces.deleteSpan(tool?.span_row_id ?? 0);
		await groupAll(context);
		expect(await occurrencesOf("shrunk")).toMatchObject([{ kind: "exception" }]);
		expect(await recount("shrunk")).toEqual([]);
	});

	test("failures of a trace that is moved are in the group of the other project", async () => {
		const [moved, both] = [newTrace(), newTrace()];
		await receive("from", [
			{ trace: moved, message: "it broke" },
			{ trace: both, message: "it broke" },
			{ message: "it broke" },
		]);
		await receive("to", [
			{ trace: both, message: "it broke" },
			{ trace: both, span: 2, message: "nobody answers" },
		]);
		const [first, second] = await occurrencesOf("from");
		const ids = [first?.trace_row_id ?? 0, second?.trace_row_id ?? 0];
		await context.traces.transferTraces(ids, await idOf("to"));
		expect((await occurrencesOf("from")).length).toBe(1);
		await groupAll(context);
		expect(await groupOf("from")).toMatchObject({ total_count: 1, stored: 1 });
		expect((await groupsOf("to")).map(({ total_count, stored }) => [total_count, stored])).toEqual([
			[2, 2],
			[1, 1],
		]);
		expect([...(await recount("from")), ...(await recount("to"))]).toEqual([]);
	});

	test("nothing is left of a deleted project", async () => {
		await receive("deleted", [{ message: "it broke" }]);
		const id = await idOf("deleted");
		const [group] = await groupsOf("deleted");
		await change(group?.id ?? 0, { state: "resolved" });
		await context.traces.deleteProject(id);
		await groupAll(context);
		for (const table of ["error_groups", "error_group_fingerprints", "error_occurrences"] as const)
			expect(await db.read.selectFrom(table).selectAll().where("project_id", "=", id).execute()).toEqual([]);
	});

	test("W90 failures and refusals from before the upgrade are grouped, those of the last 90 days", async () => {
		await server.send(
			[
				span({ message: "it broke" }),
				span({ message: "it broke", start: NOW - 100 * 24 * HOUR }),
				span({ kind: "LLM", attributes: { "llm.finish_reason": text("content_filter") } }),
				span({ kind: "LLM", attributes: { "llm.finish_reason": text("stop") } }),
			],
			"older",
		);
		const value = JSON.stringify({ before: context.now(), project: await idOf("older") });
		await db.write(async (transaction) => {
			await transaction.deleteFrom("error_backlog").execute();
			await transaction.insertInto("state").values({ name: "error_backfill", value }).execute();
		});
		await noteOlderFailures(context, new AbortController().signal);
		await groupAll(context);
		expect((await occurrencesOf("older")).map(({ kind }) => kind).toSorted()).toEqual(["error", "refusal"]);
		expect(await db.read.selectFrom("state").selectAll().where("name", "=", "error_backfill").execute()).toEqual([]);
	});
});

describe("the job", () => {
	test("groups failures behind receiving", async () => {
		await using _work = groupErrors(context, { quietMs: 0, longestMs: 0 });
		await server.send([span({ message: "it broke" })], "behind");
		await expect.poll(async () => (await groupsOf("behind")).map(({ stored }) => stored)).toEqual([1]);
	});

	test("nothing is noted where failures are not grouped", async () => {
		await using off = await openTestApp({ SERVICE_ENABLE_ERROR_GROUPS: "false" });
		await off.send([span({ message: "it broke" })]);
		expect(await off.context.db.read.selectFrom("error_backlog").selectAll().execute()).toEqual([]);
	});
});
