import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
import { openSecondApp, openTestApp, T0, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const PATH = "/v1/review_queues";
const PROBLEM = { accept: "application/problem+json" };
/** Items that reviewers on two servers take at once. */
const SHARED = 500;

let server: TestApp;
let admin: TestPrincipal;
let lead: TestPrincipal;
let people: readonly TestPrincipal[];
let label: string;
let score: string;
let spanIds: readonly string[];

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	[admin, lead] = [await server.signedIn("ADMIN"), await server.signedIn("MEMBER")];
	people = await Promise.all([1, 2, 3, 4].map(() => server.signedIn("MEMBER")));
	const config = async (body: object) =>
		(await server.call("POST", "/v1/annotation_configs", body, admin.headers)).json.data.id;
	const values = [
		{ label: "good", score: 1 },
		{ label: "bad", score: 0 },
	];
	label = await config({ name: "verdict", type: "CATEGORICAL", optimization_direction: "MAXIMIZE", values });
	const bounds = { lower_bound: 0, upper_bound: 1 };
	score = await config({ name: "quality", type: "CONTINUOUS", optimization_direction: "MAXIMIZE", ...bounds });
	spanIds = Array.from({ length: SHARED }, (_, index) => `${index + 1}`.padStart(16, "a"));
	const spans = spanIds.map((spanId) => ({
		...{ traceId: "2".repeat(32), spanId, name: "step", kind: 1, startTimeUnixNano: `${T0}000000000` },
		endTimeUnixNano: `${T0 + 1}000000000`,
	}));
	const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }];
	const sent = await server.call(
		"POST",
		"/v1/traces",
		{ resourceSpans },
		{ ...admin.headers, "x-project-name": "chat" },
	);
	expect([sent.status, sent.text]).toEqual([200, "{}"]);
});
afterAll(() => server[Symbol.asyncDispose]());

type Caller = Pick<TestApp, "get" | "call">;

const call = (
	method: "POST" | "PUT" | "PATCH" | "DELETE",
	path: string,
	body: unknown,
	who: TestPrincipal,
	more = {},
) => server.call(method, `${PATH}${path}`, body, { ...who.headers, ...PROBLEM, ...more });
const get = (path: string, who: TestPrincipal) => server.get(`${PATH}${path}`, { ...who.headers, ...PROBLEM });

let made = 0;
async function queueOf(items: number, more: object = {}): Promise<string> {
	made += 1;
	const questions = [{ annotation_config_id: label }, { annotation_config_id: score, required: false, tolerance: 0.2 }];
	const answer = await call("POST", "", { name: `queue ${made}`, target: "span", questions, ...more }, lead);
	expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
	const { id } = answer.json.data;
	const targets = spanIds.slice(0, items).map((span_id) => ({ span_id, project: "chat" }));
	const added = await call("POST", `/${id}/items`, { targets }, lead);
	expect(added.json.data).toEqual({ added: items, present: 0 });
	return id;
}

async function take(queue: string, who: TestPrincipal, at: Caller = server) {
	const answer = await at.call("POST", `${PATH}/${queue}/next`, undefined, { ...who.headers, ...PROBLEM });
	if (answer.status === 204) return undefined;
	expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
	return answer.json.data;
}

const answersOf = (verdict: string, quality?: number) => ({
	answers: [
		{ annotation_config_id: label, label: verdict },
		...(quality === undefined ? [] : [{ annotation_config_id: score, score: quality }]),
	],
});
const submit = (queue: string, item: string, who: TestPrincipal, body: object, more = {}) =>
	call("POST", `/${queue}/items/${item}/review`, body, who, more);

async function review(queue: string, who: TestPrincipal, verdict: string, quality?: number): Promise<string> {
	const { item } = await take(queue, who);
	const { status, text } = await submit(queue, item.id, who, answersOf(verdict, quality));
	expect([status, text]).toEqual([200, expect.anything()]);
	return item.id;
}

async function stateOf(queue: string, who = lead) {
	return (await get(`/${queue}`, who)).json.data.counts;
}

async function annotations(who: TestPrincipal, spanId = spanIds[0]) {
	const path = `/v1/projects/chat/span_annotations?span_ids=${spanId}&limit=1000`;
	return (await server.get(path, who.headers)).json.data as { name: string; identifier: string; user_id: string }[];
}
const ofQueue = (all: readonly { identifier: string }[], queue: string) => {
	const number = Buffer.from(queue, "base64").toString().split(":")[1];
	return all.filter(
		({ identifier }) => identifier === `review:${number}` || identifier.startsWith(`review:${number}:`),
	);
};

function person(at: number): TestPrincipal {
	const found = people[at];
	if (found === undefined) throw new Error(`there is no person ${at}`);
	return found;
}
const idOf = ({ userId }: TestPrincipal) => encodeGlobalId("User", userId);

async function endLeases(): Promise<void> {
	await server.context.db.write((transaction) =>
		transaction.updateTable("review_turns").set({ reserved_until: 1 }).where("status", "=", "reserved").execute(),
	);
}

test("a queue is made, listed, changed by its entity tag, archived and deleted", async () => {
	const id = await queueOf(2, {
		guidance: "Be **fair**.",
		reviews_required: 2,
		seed: 7,
		due_at: "2027-01-01T00:00:00Z",
	});
	const { json, headers } = await get(`/${id}`, person(0));
	expect(json.data).toMatchObject({
		...{ target: "span", guidance: "Be **fair**.", reviews_required: 2, blind: true, order: "oldest", seed: 7 },
		...{ lease_minutes: 15, due_at: "2027-01-01T00:00:00+00:00", reviewers: null, adjudicators: [] },
		...{ counts: { pending: 2, in_review: 0, disagreement: 0, done: 0, removed: 0 }, created_by: idOf(lead) },
		questions: [
			{ annotation_config_id: label, name: "verdict", required: true, tolerance: 0 },
			{ annotation_config_id: score, name: "quality", required: false, tolerance: 0.2, lower_bound: 0 },
		],
	});
	const tag = { "if-match": String(headers["etag"]) };
	expect((await call("PATCH", `/${id}`, { order: "newest" }, person(0), tag)).json.code).toBe("not_own_review_queue");
	expect((await call("PATCH", `/${id}`, { order: "newest" }, lead, tag)).json.data.order).toBe("newest");
	expect((await call("PATCH", `/${id}`, { order: "random" }, lead, tag)).status).toBe(412);
	expect((await call("PATCH", `/${id}`, { archived: true }, admin)).json.data.archived_at).not.toBeNull();
	expect((await call("POST", `/${id}/next`, undefined, person(0))).json.code).toBe("review_queue_archived");
	expect((await get("?archived=true", person(0))).json.data.map((queue: { id: string }) => queue.id)).toContain(id);
	expect((await call("DELETE", `/${id}`, undefined, lead)).status).toBe(204);
	expect((await get(`/${id}`, lead)).json.code).toBe("review_queue_not_found");
});

test("what is wrong with a queue or its items is said", async () => {
	const id = await queueOf(1);
	const { name } = (await get(`/${id}`, lead)).json.data;
	const base = { name: "wrong", target: "span", questions: [{ annotation_config_id: label }] };
	const post = async (more: object) => (await call("POST", "", { ...base, ...more }, lead)).json;
	expect((await post({ name })).code).toBe("review_queue_exists");
	const unknown = encodeGlobalId("CategoricalAnnotationConfig", 99_999);
	for (const [more, type] of [
		[{ questions: [{ annotation_config_id: unknown }] }, "unknown_annotation_config"],
		[{ questions: [base.questions[0], base.questions[0]] }, "duplicate_annotation_config"],
		[{ questions: [{ annotation_config_id: label, tolerance: 1 }] }, "tolerance_of_no_number"],
		[{ reviewers: [encodeGlobalId("User", 99_999)] }, "unknown_subject"],
		[{ reviews_required: 2, reviewers: [idOf(person(0))] }, "less_than_equal"],
		[{ blnd: true }, "extra_forbidden"],
	] as const)
		expect((await post(more)).errors[0].type).toBe(type);
	const add = async (target: object) => (await call("POST", `/${id}/items`, { targets: [target] }, lead)).json;
	expect((await add({ trace_id: "2".repeat(32) })).errors[0].type).toBe("wrong_target");
	expect((await add({ span_id: "f".repeat(16) })).code).toBe("span_not_found");
	expect((await add({ span_id: spanIds[0] })).data).toEqual({ added: 0, present: 1 });
	const { item } = await take(id, person(0));
	const wrong = async (answers: object[]) => (await submit(id, item.id, person(0), { answers })).json.errors[0].type;
	expect(await wrong([{ annotation_config_id: score, score: 1 }])).toBe("missing");
	expect(await wrong([{ annotation_config_id: label, label: "fine" }])).toBe("unknown_label");
	expect(await wrong([{ annotation_config_id: label, label: "good", explanation: "so" }])).toBe("extra_forbidden");
	expect(await wrong([{ annotation_config_id: score, score: 2 }])).toBe("out_of_bounds");
});

test("RV01 reviewers on two servers never get the same turn, and none is missing", async () => {
	await using second = await openSecondApp(server);
	const id = await queueOf(SHARED);
	const seen: string[] = [];
	const work = async (who: TestPrincipal, at: Caller) => {
		for (let turn = await take(id, who, at); turn !== undefined; turn = await take(id, who, at)) {
			seen.push(turn.item.id);
			const headers = { ...who.headers, ...PROBLEM };
			const done = await at.call("POST", `${PATH}/${id}/items/${turn.item.id}/review`, answersOf("good"), headers);
			expect([done.status, done.text]).toEqual([200, expect.anything()]);
		}
	};
	await Promise.all([
		work(person(0), server),
		work(person(1), second),
		work(person(2), server),
		work(person(3), second),
	]);
	expect(new Set(seen).size).toBe(SHARED);
	expect(seen).toHaveLength(SHARED);
	expect(await stateOf(id)).toMatchObject({ pending: 0, in_review: 0, done: SHARED });
});

test("orders: newest, priority, and random by the seed", async () => {
	const orderOf = async (more: object) => {
		const id = await queueOf(6, more);
		const targets = [{ span_id: spanIds[10], project: "chat" }];
		await call("POST", `/${id}/items`, { targets, priority: 5 }, lead);
		const order: number[] = [];
		for (let turn = await take(id, person(0)); turn !== undefined; turn = await take(id, person(0))) {
			order.push(spanIds.indexOf(turn.item.target.id));
			await submit(id, turn.item.id, person(0), answersOf("good"));
		}
		return order;
	};
	expect(await orderOf({ order: "newest" })).toEqual([10, 5, 4, 3, 2, 1, 0]);
	expect(await orderOf({ order: "priority" })).toEqual([10, 0, 1, 2, 3, 4, 5]);
	const random = await orderOf({ order: "random", seed: 3 });
	expect(random).not.toEqual(random.toSorted((a, b) => a - b));
	expect(await orderOf({ order: "random", seed: 3 })).toEqual(random);
});

test("what waits for somebody is counted and looked at without being taken", async () => {
	const id = await queueOf(4, { reviewers: people.slice(0, 2).map(idOf) });
	const open = async (who: TestPrincipal) => {
		const { data } = (await server.get("/v1/open_reviews", who.headers)).json;
		return data.find(({ queue_id }: { queue_id: string }) => queue_id === id)?.count;
	};
	const upcoming = async (who: TestPrincipal) =>
		(await get(`/${id}/upcoming`, who)).json.data.map((item: { target: { id: string } }) =>
			spanIds.indexOf(item.target.id),
		);
	expect([await open(person(0)), await open(person(2))]).toEqual([4, undefined]);
	expect(await upcoming(person(0))).toEqual([0, 1, 2]);
	const { item } = await take(id, person(0));
	expect([await open(person(0)), await open(person(1))]).toEqual([4, 3]);
	expect([await upcoming(person(0)), await upcoming(person(1))]).toEqual([
		[1, 2, 3],
		[1, 2, 3],
	]);
	await submit(id, item.id, person(0), answersOf("good"));
	expect(await open(person(0))).toBe(3);
	expect((await get(`/${id}/upcoming`, person(2))).json.code).toBe("not_a_reviewer");
	expect((await get(`/${id}`, person(2))).json.data.people).toContainEqual({
		id: idOf(person(1)),
		username: expect.any(String),
	});
	const ofTrace = async () => {
		const path = `/v1/projects/chat/traces/${"2".repeat(32)}/review_items`;
		const { data } = (await server.get(path, person(2).headers)).json;
		return data.filter(({ queue_id }: { queue_id: string }) => queue_id === id);
	};
	expect(await ofTrace()).toMatchObject([
		{ item_id: item.id, target: { kind: "span", id: spanIds[0] }, state: "done" },
		...[1, 2, 3].map((index) => ({ target: { id: spanIds[index] }, state: "pending" })),
	]);
	await call("PATCH", `/${id}`, { archived: true }, lead);
	expect([await open(person(0)), await ofTrace()]).toEqual([undefined, []]);
});

test("at the end of a queue nothing is left until something is added or given back", async () => {
	const id = await queueOf(4, { reviews_required: 2, order: "newest" });
	const placeOf = (turn: { item: { target: { id: string } } }) => spanIds.indexOf(turn.item.target.id);
	const open = async (who: TestPrincipal) => {
		const { data } = (await server.get("/v1/open_reviews", who.headers)).json;
		return data.find(({ queue_id }: { queue_id: string }) => queue_id === id)?.count;
	};
	const all = async (who: TestPrincipal) => {
		const places: number[] = [];
		for (let turn = await take(id, who); turn !== undefined; turn = await take(id, who)) {
			places.push(placeOf(turn));
			await submit(id, turn.item.id, who, answersOf("good"));
		}
		return places;
	};
	expect(await all(person(0))).toEqual([3, 2, 1, 0]);
	expect([await take(id, person(0)), await open(person(0)), await open(person(1))]).toEqual([undefined, undefined, 4]);
	const [first, second] = [await take(id, person(1)), await take(id, person(2))];
	expect([placeOf(first), placeOf(second), await open(person(3))]).toEqual([3, 2, 2]);
	expect(await all(person(3))).toEqual([1, 0]);
	expect([await take(id, person(3)), await open(person(3))]).toEqual([undefined, undefined]);
	await call("POST", `/${id}/items/${second.item.id}/release`, undefined, person(2));
	expect([await open(person(3)), placeOf(await take(id, person(3)))]).toEqual([1, 2]);
	const targets = spanIds.slice(4, 6).map((span_id) => ({ span_id, project: "chat" }));
	expect((await call("POST", `/${id}/items`, { targets }, lead)).status).toBe(200);
	expect([await open(person(0)), await open(person(3)), await all(person(0))]).toEqual([2, 3, [5, 4]]);
});

test("what was given back, left by somebody or added since comes before what a reviewer has not come to", async () => {
	const id = await queueOf(6, { reviews_required: 2, order: "priority" });
	const placeOf = ({ item }: { item: { target: { id: string } } }) => spanIds.indexOf(item.target.id);
	const pass = async (who: TestPrincipal) => {
		const turn = await take(id, who);
		await submit(id, turn.item.id, who, answersOf("good"));
		return placeOf(turn);
	};
	const held = [await take(id, person(1)), await take(id, person(2))] as const;
	expect(held.map(placeOf)).toEqual([0, 0]);
	expect([await pass(person(0)), await pass(person(0))]).toEqual([1, 2]);
	await call("POST", `/${id}/items/${held[0].item.id}/release`, undefined, person(1));
	expect(await pass(person(0))).toBe(0);
	expect(await pass(person(0))).toBe(3);
	await call("POST", `/${id}/items`, { targets: [{ span_id: spanIds[20], project: "chat" }], priority: 3 }, lead);
	expect([await pass(person(0)), await pass(person(0))]).toEqual([20, 4]);
	expect(placeOf(await take(id, person(3)))).toBe(20);
	expect(placeOf(await take(id, person(1)))).toBe(0 + 1);
});

test("RV02 after the lease saving is refused, and the draft comes back with the item", async () => {
	const id = await queueOf(1);
	const { item } = await take(id, person(0));
	const draft = `/${id}/items/${item.id}/draft`;
	expect((await call("PUT", draft, answersOf("bad"), person(0))).status).toBe(204);
	await endLeases();
	expect((await take(id, person(1))).item.id).toBe(item.id);
	expect((await submit(id, item.id, person(0), answersOf("bad"))).json).toMatchObject({
		status: 409,
		code: "lease_lost",
	});
	expect(await take(id, person(0))).toBeUndefined();
	expect((await call("POST", `/${id}/items/${item.id}/release`, undefined, person(1))).status).toBe(204);
	expect(await take(id, person(0))).toMatchObject({ item: { id: item.id }, draft: answersOf("bad") });
	expect((await submit(id, item.id, person(0), answersOf("bad"))).status).toBe(200);
});

test("RV03 a save that is sent again makes one review", async () => {
	const id = await queueOf(1);
	const { item } = await take(id, person(0));
	const key = { "idempotency-key": "save-1" };
	const first = await submit(id, item.id, person(0), answersOf("good"), key);
	// As after a process that ended between the commit and the answer.
	await server.context.db.write((transaction) => transaction.deleteFrom("idempotency_keys").execute());
	const again = await submit(id, item.id, person(0), answersOf("good"), key);
	expect(again.json).toEqual(first.json);
	expect(again.json.data.reviews).toHaveLength(1);
	expect(ofQueue(await annotations(lead), id)).toHaveLength(1);
	expect(await server.context.db.read.selectFrom("review_revisions").selectAll().execute()).toEqual([]);
});

test("a review takes the next item along where that is asked for", async () => {
	const queue = await queueOf(2, { reviews_required: 1 });
	const first = await take(queue, person(0));
	const submitted = async (item: string, query = "?next=true") =>
		(await call("POST", `/${queue}/items/${item}/review${query}`, answersOf("good"), person(0))).json;
	const { data, next } = await submitted(first.item.id);
	expect(data).toMatchObject({ id: first.item.id, state: "done" });
	expect(next).toMatchObject({ item: { state: "in_review" }, draft: null });
	expect(next.item.id).not.toBe(first.item.id);
	expect(await take(queue, person(0))).toEqual({ ...next, reserved_until: expect.any(String) });
	expect(await submitted(next.item.id, "")).toEqual({ data: expect.objectContaining({ state: "done" }) });
	expect(await submitted(next.item.id)).toEqual({ data: expect.objectContaining({ state: "done" }), next: null });
	await call("DELETE", `/${queue}`, undefined, lead);
});

test("RV04 nothing has the answer of another before a blind item is done", async () => {
	const id = await queueOf(1, { reviews_required: 2 });
	const secret = "quokka";
	const config = { name: "remark", type: "FREEFORM" };
	const { id: remark } = (await server.call("POST", "/v1/annotation_configs", config, admin.headers)).json.data;
	await call("PATCH", `/${id}`, { questions: [{ annotation_config_id: remark }] }, lead);
	const { item } = await take(id, person(0));
	const body = { answers: [{ annotation_config_id: remark, explanation: secret }] };
	const own = await submit(id, item.id, person(0), body);
	expect(own.json.data.reviews[0].answers[0].explanation).toBe(secret);
	const reads = [
		`${PATH}/${id}`,
		...[`${PATH}/${id}/items`, `${PATH}/${id}/items/${item.id}`, `${PATH}/${id}/own_reviews`],
		`/v1/projects/chat/span_annotations?span_ids=${spanIds[0]}&limit=1000`,
		...["spans", "traces"].map((list) => `/v1/projects/chat/${list}?include=annotations&limit=1000`),
		`/v1/projects/chat/traces/${"2".repeat(32)}`,
		`/v1/projects/chat/annotation_names`,
	];
	const readers = [lead, person(1), person(2), await server.signedIn("VIEWER"), await server.signedIn("SYSTEM"), admin];
	for (const path of reads)
		for (const who of readers) {
			const { status, text } = await server.get(path, who.headers);
			expect([path, status, text]).toEqual([path, 200, expect.not.stringContaining(secret)]);
		}
	const turn = await take(id, person(1));
	expect(turn.item).toMatchObject({ turns_done: 1, reviews: [] });
	await submit(id, item.id, person(1), { answers: [{ annotation_config_id: remark, explanation: "other" }] });
	expect((await get(`/${id}/items/${item.id}`, person(1))).text).toContain(secret);
	expect(ofQueue(await annotations(person(1)), id).map(({ identifier }) => identifier)).toHaveLength(2);
});

test("RV05 answers within the tolerance agree, and others are a disagreement", async () => {
	const id = await queueOf(3, { reviews_required: 3 });
	for (const at of [0, 1, 2]) {
		await review(id, person(at), "good", [0.5, 0.6, 0.7][at]);
		await review(id, person(at), at === 2 ? "bad" : "good");
		await review(id, person(at), "good", [0.5, 0.6, 0.71][at]);
	}
	const { json } = await get(`/${id}/items`, lead);
	expect(json.data.map(({ state }: { state: string }) => state)).toEqual(["done", "disagreement", "disagreement"]);
	expect((await get(`/${id}/items?state=disagreement`, lead)).json.data).toHaveLength(2);
	expect(json.data[1].reviews).toEqual([]);
});

test("RV06 the answer of an adjudicator is the gold one, and reviews cannot be changed afterwards", async () => {
	const id = await queueOf(1, { reviews_required: 2, adjudicators: [idOf(person(2))] });
	const item = await review(id, person(0), "good");
	expect((await submit(id, item, person(0), answersOf("bad", 0.5))).status).toBe(200);
	await review(id, person(1), "good");
	const undecided = (await get(`/${id}/items/${item}`, person(2))).json.data;
	expect(undecided).toMatchObject({ state: "disagreement", reviews: [{ reviewer: null }, { reviewer: null }] });
	expect(ofQueue(await annotations(lead), id)).toEqual([]);
	const path = `/${id}/items/${item}/adjudication`;
	expect((await call("POST", path, answersOf("bad"), person(0))).json.code).toBe("not_adjudicator");
	expect((await call("POST", path, answersOf("bad"), person(2))).json.data).toMatchObject({
		...{
			state: "done",
			decision: { decided_by: { id: idOf(person(2)) }, answers: [{ name: "verdict", label: "bad" }] },
		},
		reviews: [{ reviewer: { id: idOf(person(0)) } }, { reviewer: { id: idOf(person(1)) } }],
	});
	const number = Buffer.from(id, "base64").toString().split(":")[1];
	const written = ofQueue(await annotations(lead), id).map(({ identifier }) => identifier);
	expect(written.toSorted()).toEqual(
		[
			`review:${number}`,
			...[person(0), person(0), person(1)].map(({ userId }) => `review:${number}:${userId}`),
		].toSorted(),
	);
	expect((await submit(id, item, person(0), answersOf("good"))).json.code).toBe("review_decided");
	expect((await call("DELETE", `/${id}?delete_annotations=true`, undefined, lead)).status).toBe(204);
	expect(ofQueue(await annotations(lead), id)).toEqual([]);
});

test("RV07 what all skip is an adjudicator's", async () => {
	const reviewers = [idOf(person(0)), idOf(person(1)), idOf(person(2))];
	const id = await queueOf(1, { reviews_required: 2, reviewers });
	expect((await call("POST", `/${id}/next`, undefined, person(3))).json.code).toBe("not_a_reviewer");
	const skip = async (who: TestPrincipal) => {
		const { item } = await take(id, who);
		expect((await call("POST", `/${id}/items/${item.id}/skip`, { reason: "not sure" }, who)).status).toBe(204);
		return item.id;
	};
	const item = await skip(person(0));
	expect(await take(id, person(0))).toBeUndefined();
	expect(await stateOf(id)).toMatchObject({ disagreement: 0 });
	await skip(person(1));
	expect((await get(`/${id}/items/${item}`, admin)).json.data).toMatchObject({
		...{ state: "disagreement", turns_done: 2 },
		reviews: [{ status: "skipped", reason: "not sure" }, { status: "skipped" }],
	});
	expect(await take(id, person(2))).toBeUndefined();
});

test("RV12 who becomes a viewer loses the turn on all servers, RV13 and so does an account that is deleted", async () => {
	await using second = await openSecondApp(server);
	const id = await queueOf(2, { reviews_required: 1 });
	const [demoted, deleted] = [await server.signedIn("MEMBER", "key"), await server.signedIn("MEMBER")];
	const done = await review(id, deleted, "good");
	const { item } = await take(id, demoted, second);
	expect(await take(id, deleted)).toBeUndefined();
	const demotion = await server.call("PATCH", `/v1/users/${idOf(demoted)}`, { role: "VIEWER" }, admin.headers);
	expect([demotion.status, demotion.text]).toEqual([200, expect.anything()]);
	for (const at of [server, second])
		expect((await at.call("POST", `${PATH}/${id}/next`, undefined, { ...demoted.headers, ...PROBLEM })).status).toBe(
			403,
		);
	expect((await submit(id, item.id, demoted, answersOf("good"))).status).toBe(403);
	expect((await take(id, deleted)).item.id).toBe(item.id);
	const gone = await server.call("DELETE", `/v1/users/${idOf(deleted)}`, undefined, admin.headers);
	expect(gone.status).toBe(204);
	expect((await take(id, person(0))).item.id).toBe(item.id);
	const shown = (await get(`/${id}/items/${done}`, lead)).json.data;
	expect(shown.reviews).toMatchObject([{ reviewer: { id: null, username: null }, answers: [{ label: "good" }] }]);
	const key = await server.signedIn("SYSTEM");
	expect((await call("POST", `/${id}/next`, undefined, key)).json.code).toBe("not_a_reviewer");
	const viewer = await server.signedIn("VIEWER");
	expect((await call("POST", `/${id}/next`, undefined, viewer)).status).toBe(403);
});

test("an item whose project a reviewer does not see is not given to them, and not shown", async () => {
	await server.call("POST", "/v1/projects", { name: "hidden" }, admin.headers);
	const spans = [
		{
			traceId: "3".repeat(32),
			spanId: "3".repeat(16),
			name: "step",
			kind: 1,
			startTimeUnixNano: "1",
			endTimeUnixNano: "2",
		},
	];
	const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }];
	await server.call("POST", "/v1/traces", { resourceSpans }, { ...admin.headers, "x-project-name": "hidden" });
	const restricted = await server.call("PATCH", "/v1/projects/hidden/access", { access: "restricted" }, admin.headers);
	expect([restricted.status, restricted.text]).toEqual([200, expect.anything()]);
	const id = await queueOf(1);
	const targets = [{ span_id: "3".repeat(16) }];
	expect((await call("POST", `/${id}/items`, { targets }, lead)).json.code).toBe("span_not_found");
	const added = await call("POST", `/${id}/items`, { targets, priority: 9 }, admin);
	expect(added.json.data).toEqual({ added: 1, present: 0 });
	const hidden = (await get(`/${id}/items`, admin)).json.data[1];
	expect((await get(`/${id}/items`, lead)).json.data).toHaveLength(1);
	expect((await get(`/${id}/items/${hidden.id}`, lead)).json.code).toBe("review_item_not_found");
	expect(await stateOf(id)).toMatchObject({ pending: 1 });
	await review(id, person(0), "good");
	expect(await take(id, person(0))).toBeUndefined();
	expect((await take(id, admin)).item.id).toBe(hidden.id);
});

test("RV28 two queues that ask the same of the same span keep their answers apart", async () => {
	const queues = [await queueOf(1), await queueOf(1)] as const;
	await review(queues[0], person(0), "good");
	await review(queues[1], person(0), "bad");
	const all = await annotations(lead);
	for (const id of queues) expect(ofQueue(all, id)).toMatchObject([{ name: "verdict", user_id: idOf(person(0)) }]);
});

test("RV30 what is made, changed, filled, decided and deleted is in the audit log, and single answers are not", async () => {
	const id = await queueOf(1);
	await call("PATCH", `/${id}`, { description: "more" }, lead);
	expect((await call("POST", `/${id}/items`, { filter: "", project: "chat", limit: 1 }, lead)).status).toBe(202);
	const item = await review(id, person(0), "good");
	await call("POST", `/${id}/items/${item}/adjudication`, answersOf("bad"), admin);
	await call("DELETE", `/${id}/items/${item}`, undefined, lead);
	await call("DELETE", `/${id}`, undefined, lead);
	const { json } = await server.get(`/v1/audit_events?target=${encodeURIComponent(id)}`, admin.headers);
	expect(json.data.map(({ action }: { action: string }) => action)).toEqual(
		["delete", "remove_items", "adjudicate", "fill", "update", "fill", "create"].map((verb) => `review_queue.${verb}`),
	);
});

test("an item whose target was deleted is passed over", async () => {
	const id = await queueOf(2);
	const [first] = (await get(`/${id}/items`, lead)).json.data;
	const deleted = await server.call("DELETE", `/v1/spans/${first.target.global_id}`, undefined, admin.headers);
	expect(deleted.status).toBe(204);
	expect((await take(id, person(0))).item.id).not.toBe(first.id);
	expect(await stateOf(id)).toMatchObject({ removed: 1, in_review: 1 });
});

test("who makes queues finds people who may review by their exact username, and by email who manages a project", async () => {
	const viewer = await server.signedIn("VIEWER");
	const find = async (q: string, who = lead) =>
		await server.get(`/v1/review_people?q=${encodeURIComponent(q)}`, { ...who.headers, ...PROBLEM });
	const { username, email } = person(0);
	expect((await find(` ${username.toUpperCase()} `)).json.data).toEqual([{ id: idOf(person(0)), username }]);
	for (const q of [username.slice(0, -1), "%", viewer.username, "SYSTEM"])
		expect((await find(q)).json.data).toEqual([]);
	expect((await find(email, person(1))).json.data).toEqual([]);
	expect((await find(email, admin)).json.data).toEqual([{ id: idOf(person(0)), username }]);
	expect((await find(username, viewer)).status).toBe(403);
	expect((await server.get(`/v1/review_people?q=a&role=x`, { ...lead.headers, ...PROBLEM })).json.errors[0].type).toBe(
		"extra_forbidden",
	);
	const statuses = new Set<number>();
	for (let count = 0; count < 30; count++) statuses.add((await find("x")).status);
	expect(statuses).toEqual(new Set([200, 429]));
});
