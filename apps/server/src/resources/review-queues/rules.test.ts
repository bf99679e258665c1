import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import { awayFromEndOf, DAY_MS, MINUTE_MS } from "#test-clock.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { followRules } from "./follow-rules.ts";

const PATH = "/v1/review_queues";

let server: TestApp;
let admin: TestPrincipal;
let lead: TestPrincipal;
let other: TestPrincipal;
let config: string;

beforeAll(async () => {
	// Rules count what they add per day.
	await awayFromEndOf(DAY_MS, MINUTE_MS);
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	[admin, lead, other] = [
		await server.signedIn("ADMIN"),
		await server.signedIn("MEMBER"),
		await server.signedIn("MEMBER"),
	];
	const made = await call("POST", "/v1/annotation_configs", { name: "remark", type: "FREEFORM" }, admin);
	config = made.json.data.id;
	expect((await call("POST", "/v1/projects", { name: "watched" }, admin)).status).toBe(200);
});
afterAll(() => server[Symbol.asyncDispose]());

const call = (
	method: "POST" | "PUT" | "PATCH" | "DELETE",
	path: string,
	body: unknown,
	{ headers }: TestPrincipal,
	more = {},
) => server.call(method, path, body, { ...headers, accept: "application/problem+json", ...more });

let made = 0;
async function queueOf(target: "span" | "trace" | "session", rule?: object): Promise<string> {
	made += 1;
	const body = { name: `ruled ${made}`, target, questions: [{ annotation_config_id: config }] };
	const { id } = (await call("POST", PATH, body, lead)).json.data;
	if (rule !== undefined) await put(id, rule);
	return id;
}

async function put(queue: string, rule: object, who = lead) {
	const answer = await call("PUT", `${PATH}/${queue}/rule`, { project: "watched", filter: "", ...rule }, who);
	expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
	return answer.json.data;
}

const ruleOf = async (queue: string) => (await server.get(`${PATH}/${queue}/rule`, lead.headers)).json.data;
const follow = () => followRules(server.context, 0, new AbortController().signal);

/** Sends spans of these traces, at this position of each. */
async function send(traces: readonly number[], position = 1, of = "0", attributes: object = {}): Promise<void> {
	const spans = traces.map((trace) => ({
		...{ traceId: `${trace}`.padStart(32, of), spanId: `${position}${`${trace}`.padStart(15, of)}` },
		...{ name: position === 1 ? "first" : "later", kind: 1, attributes: Object.entries(attributes).map(toAttribute) },
		...{ startTimeUnixNano: `${Date.now()}000000`, endTimeUnixNano: `${Date.now() + 1}000000` },
	}));
	const body = { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }] };
	const { status, text } = await call("POST", "/v1/traces", body, admin, { "x-project-name": "watched" });
	expect([status, text]).toEqual([200, "{}"]);
}

function toAttribute([key, value]: readonly [string, unknown]): object {
	return { key, value };
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

async function countOf(queue: string): Promise<number> {
	return (await server.get(`${PATH}/${queue}`, lead.headers)).json.data.counts.pending;
}

test("RV17 a rule at 20 % adds about a fifth, and decides each trace once although its spans come in three requests", async () => {
	const queue = await queueOf("trace", { sample: 0.2 });
	const ofSpans = await queueOf("span", { sample: 0.2, filter: "name == 'first'" });
	const traces = numbers(1, 600);
	await send(traces);
	await follow();
	const decided = await countOf(queue);
	for (const position of [2, 3]) {
		await send(traces, position);
		await follow();
	}
	expect(await countOf(queue)).toBe(decided);
	// Five standard deviations of a binomial distribution.
	const bound = 5 * Math.sqrt(600 * 0.2 * 0.8);
	for (const count of [decided, await countOf(ofSpans)]) {
		expect(count).toBeGreaterThan(120 - bound);
		expect(count).toBeLessThan(120 + bound);
	}
	expect(await ruleOf(queue)).toMatchObject({ sample: 0.2, added: decided, added_today: decided, error: null });
	const preview = await call(
		"PUT",
		`${PATH}/${queue}/rule?preview=true`,
		{ project: "watched", filter: "", sample: 0.2, daily_limit: 1 },
		lead,
	);
	expect(preview.json.data).toEqual({ matching: 600, sampled: decided, is_complete: true });
	expect((await ruleOf(queue)).daily_limit).toBeNull();
	for (const id of [queue, ofSpans]) await call("DELETE", `${PATH}/${id}`, undefined, lead);
});

test("a rule adds what matches since it was set, no more than its daily limit, and rests while it is off or its queue archived", async () => {
	await send(numbers(1, 3), 1, "a");
	const queue = await queueOf("trace", { filter: "name == 'first'" });
	const limited = await queueOf("trace", { daily_limit: 2 });
	const sessions = await queueOf("session", {});
	await follow();
	expect([await countOf(queue), await countOf(limited)]).toEqual([0, 0]);
	await send(numbers(11, 3), 1, "a", { "session.id": text("talk") });
	await send(numbers(21, 2), 2, "a");
	await follow();
	expect([await countOf(queue), await countOf(limited), await countOf(sessions)]).toEqual([3, 2, 1]);
	await put(queue, { filter: "name == 'first'", enabled: false });
	await call("PATCH", `${PATH}/${sessions}`, { archived: true }, lead);
	await send(numbers(31, 1), 1, "a", { "session.id": text("more") });
	await follow();
	await put(queue, { filter: "name == 'first'" });
	await call("PATCH", `${PATH}/${sessions}`, { archived: false }, lead);
	await follow();
	expect([await countOf(queue), await countOf(sessions)]).toEqual([3, 1]);
	await send(numbers(41, 1), 1, "a", { "session.id": text("last") });
	await follow();
	expect([await countOf(queue), await countOf(limited), await countOf(sessions)]).toEqual([4, 2, 2]);
	for (const id of [queue, limited, sessions]) await call("DELETE", `${PATH}/${id}`, undefined, lead);
});

test("a rule that is killed goes on where it was, and nothing is added twice", async () => {
	const queue = await queueOf("trace", {});
	await send(numbers(1, 4), 1, "b");
	const { db } = server.context;
	const rows = () => db.read.selectFrom("review_rules").selectAll().execute();
	const [before] = await rows();
	await follow();
	expect(await countOf(queue)).toBe(4);
	// As if its last transaction had been lost after another process had done the same.
	await db.write((transaction) =>
		transaction
			.updateTable("review_rules")
			.set({ decided_row: before?.decided_row ?? 0 })
			.execute(),
	);
	await follow();
	expect(await countOf(queue)).toBe(4);
	expect(await ruleOf(queue)).toMatchObject({ added: 4 });
	await call("DELETE", `${PATH}/${queue}`, undefined, lead);
	expect(await rows()).toEqual([]);
});

test("rules are of who made the queue, act with their rights, and say why they were switched off", async () => {
	const queue = await queueOf("span");
	const path = `${PATH}/${queue}/rule`;
	const body = { project: "watched", filter: "" };
	expect((await server.get(path, lead.headers)).status).toBe(404);
	expect((await call("PUT", path, body, other)).json.code).toBe("not_own_review_queue");
	expect((await call("PUT", path, { ...body, sample: 1.1 }, lead)).status).toBe(422);
	expect((await call("PUT", path, { ...body, smple: 1 }, lead)).json.errors[0].type).toBe("extra_forbidden");
	expect((await call("PUT", path, { ...body, filter: "latency_ms >" }, lead)).status).toBe(400);
	expect((await call("PUT", path, { ...body, project: "none" }, lead)).json.code).toBe("project_not_found");
	expect((await call("PUT", path, body, lead)).status).toBe(200);
	const tag = String((await server.get(path, lead.headers)).headers["etag"]);
	expect((await call("PUT", path, body, lead, { "if-match": tag })).status).toBe(200);
	expect((await call("DELETE", path, undefined, lead, { "if-match": tag })).status).toBe(412);
	await call("PATCH", "/v1/projects/watched/access", { access: "restricted" }, admin);
	expect((await server.get(path, other.headers)).status).toBe(404);
	await send([1], 1, "d");
	await follow();
	expect((await server.get(path, admin.headers)).json.data).toMatchObject({
		...{ enabled: false, added: 0, error: expect.stringContaining("not for you") },
	});
	expect((await call("DELETE", path, undefined, admin)).status).toBe(204);
	expect((await call("DELETE", path, undefined, admin)).json.code).toBe("review_rule_not_found");
	const { json } = await server.get(`/v1/audit_events?target=${encodeURIComponent(queue)}`, admin.headers);
	expect(json.data.map(({ details }: { details?: { rule?: string } }) => details?.rule)).toEqual([
		...["deleted", "set", "set"],
		undefined,
	]);
});
