import { type Item, type Level, measureAgreement, runInOneGo } from "@spanward/agreement";
import { COHEN_1960, KRIPPENDORFF_2011, type Row, toItems } from "@spanward/agreement/testing";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, T0, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const PATH = "/v1/review_queues";
const PROBLEM = { accept: "application/problem+json" };
/** What a cell that a spreadsheet would run begins with. */
const FORMULAS = ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "＝1"];

let server: TestApp;
let admin: TestPrincipal;
let lead: TestPrincipal;
let one: TestPrincipal;
let other: TestPrincipal;
let viewer: TestPrincipal;
let verdict: string;
let grade: string;
let quality: string;
let remark: string;
let spanIds: readonly string[];

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	[admin, lead] = [await server.signedIn("ADMIN"), await server.signedIn("MEMBER")];
	[one, other] = [await server.signedIn("MEMBER"), await server.signedIn("MEMBER")];
	viewer = await server.signedIn("VIEWER");
	const config = async (body: object) =>
		(await server.call("POST", "/v1/annotation_configs", body, admin.headers)).json.data.id;
	const of = { optimization_direction: "MAXIMIZE" };
	const labels = (...names: string[]) => names.map((label) => ({ label }));
	verdict = await config({ name: "verdict", type: "CATEGORICAL", ...of, values: labels("good", "fair", "bad") });
	const grades = ["1", "2", "3", "4", "5"].map((label) => ({ label, score: Number(label) }));
	grade = await config({ name: "grade", type: "CATEGORICAL", ...of, values: grades });
	quality = await config({ name: "quality", type: "CONTINUOUS", ...of });
	remark = await config({ name: "remark", type: "FREEFORM" });
	spanIds = Array.from({ length: 12 }, (_, index) => `${index + 1}`.padStart(16, "b"));
	const spans = spanIds.map((spanId) => ({
		...{ traceId: "4".repeat(32), spanId, name: "step", kind: 1, startTimeUnixNano: `${T0}000000000` },
		endTimeUnixNano: `${T0 + 1}000000000`,
	}));
	const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }];
	const headers = { ...admin.headers, "x-project-name": "chat" };
	expect((await server.call("POST", "/v1/traces", { resourceSpans }, headers)).text).toBe("{}");
});
afterAll(() => server[Symbol.asyncDispose]());

type Method = "POST" | "PUT" | "PATCH" | "DELETE";
const call = (method: Method, path: string, body: unknown, who: TestPrincipal) =>
	server.call(method, `${PATH}${path}`, body, { ...who.headers, ...PROBLEM });
const get = (path: string, who: TestPrincipal) => server.get(`${PATH}${path}`, { ...who.headers, ...PROBLEM });
const figures = async (queue: string, of: string, who = lead) => {
	const { status, json, text } = await get(`/${queue}/${of}`, who);
	expect([status, text]).toEqual([200, expect.anything()]);
	return json.data;
};

let made = 0;
async function queueOf(items: number, questions: readonly object[], more: object = {}): Promise<string> {
	made += 1;
	const answer = await call("POST", "", { name: `figures ${made}`, target: "span", questions, ...more }, lead);
	expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
	const { id } = answer.json.data;
	const targets = spanIds.slice(0, items).map((span_id) => ({ span_id, project: "chat" }));
	if (items > 0) expect((await call("POST", `/${id}/items`, { targets }, lead)).status).toBe(200);
	return id;
}

async function take(queue: string, who: TestPrincipal) {
	const { status, text, json } = await call("POST", `/${queue}/next`, undefined, who);
	expect([status, text]).toEqual([200, expect.anything()]);
	return json.data;
}

async function review(queue: string, who: TestPrincipal, answer: object, more: object = {}): Promise<string> {
	const { item } = await take(queue, who);
	const { status, text } = await call("POST", `/${queue}/items/${item.id}/review`, { answers: [answer], ...more }, who);
	expect([status, text]).toEqual([200, expect.anything()]);
	return item.id;
}

async function decide(queue: string, item: string, answer: object): Promise<void> {
	const { status, text } = await call("POST", `/${queue}/items/${item}/adjudication`, { answers: [answer] }, admin);
	expect([status, text]).toEqual([200, expect.anything()]);
}

const idOf = ({ userId }: TestPrincipal) => encodeGlobalId("User", userId);
const labelled = (label: string, config = verdict) => ({ annotation_config_id: config, label });

type Store = "label" | "score";

/** Fills a queue with what each of several reviewers, who have no account, answered to one question; null for nothing. */
async function insertAnswers(queue: string, config: string, rows: readonly Row[], as: Store): Promise<void> {
	const [queueId = 0, configId = 0] = [rowOf(queue), rowOf(config)];
	await server.context.db.write(async (transaction) => {
		const { id: project_id } = await transaction
			.selectFrom("projects")
			.select("id")
			.where("name", "=", "chat")
			.executeTakeFirstOrThrow();
		for (const [place, row] of rows.entries()) {
			const { id: item_id } = await transaction
				.insertInto("review_items")
				.values({
					...{ queue_id: queueId, project_id, target_row_id: 1_000_000 + place, trace_row_id: null },
					...{ target_id: String(place), priority: 0, random_rank: 0, state: "done", is_published: 1 },
					...{ decision: null, decided_by: null, decided_at: null, created_at: 1, updated_at: 1 },
				})
				.returning("id")
				.executeTakeFirstOrThrow();
			const turns = row.flatMap((value, reviewer) => {
				if (value === null) return [];
				const given = { label: as === "label" ? String(value) : null, score: as === "score" ? value : null };
				const answers = JSON.stringify([{ configId, name: "", ...given, explanation: null }]);
				const times = { reserved_until: 1, started_at: 1, finished_at: 1 };
				return {
					...{ queue_id: queueId, item_id, reviewer: 900_000 + reviewer, status: "done" as const, answers },
					...{ draft: null, source: "API" as const, reason: null, ...times },
				};
			});
			await transaction.insertInto("review_turns").values(turns).execute();
		}
	});
}

function rowOf(id: string): number | undefined {
	return Number(Buffer.from(id, "base64").toString().split(":")[1]);
}

/** Answers from 1 on. */
const COHEN: readonly Row[] = COHEN_1960.map((row) => row.map((value) => (value === null ? null : value + 1)));
const NINE: readonly Row[] = Array.from({ length: 15 }, (_, item) =>
	Array.from({ length: 9 }, (__, rater) => ((item * 7 + rater * rater * (item % 4)) % 3) + 1),
);

const toWire = (estimate: ReturnType<typeof measured>["krippendorffsAlpha"] | undefined) => {
	if (estimate === undefined) return null;
	if (estimate.state !== "measured")
		return { state: estimate.state, value: null, interval: null, pairs: estimate.pairs };
	const { value, interval, pairs } = estimate;
	return { state: "measured", value, interval: interval && { low: interval.low, high: interval.high }, pairs };
};
const measured = (items: readonly Item[], level: Level, answersPerItem: number) =>
	runInOneGo(measureAgreement(items, { level, answersPerItem }));

test.each([
	["four reviewers with holes, labels with scores in order", KRIPPENDORFF_2011, "grade", "ordinal", 0.815, null],
	["four reviewers with holes, numbers", KRIPPENDORFF_2011, "quality", "interval", 0.849, null],
	["two reviewers", COHEN, "grade", "ordinal", undefined, 0.492],
	["nine reviewers", NINE, "grade", "ordinal", undefined, null],
] as const)("RV11 agreement of %s is that of the statistics", async (_name, rows, name, level, alpha, kappa) => {
	const config = name === "grade" ? grade : quality;
	const most = Math.max(...rows.map(({ length }) => length));
	const queue = await queueOf(0, [{ annotation_config_id: config }], { reviews_required: most, blind: false });
	await insertAnswers(queue, config, rows, name === "grade" ? "label" : "score");
	const data = await figures(queue, "agreement");
	const [question] = data.questions;
	const wanted = measured(toItems(rows), level, most);
	expect(question).toMatchObject({ name, level });
	expect(question.agreement).toEqual({
		...{ items: wanted.items, answers: wanted.answers, percent_agreement: toWire(wanted.percentAgreement) },
		...{ cohens_kappa: toWire(wanted.cohensKappa), fleiss_kappa: toWire(wanted.fleissKappa) },
		krippendorffs_alpha: toWire(wanted.krippendorffsAlpha),
	});
	if (alpha !== undefined) expect(question.agreement.krippendorffs_alpha.value).toBeCloseTo(alpha, 3);
	if (kappa !== null) expect(question.agreement.cohens_kappa.value).toBeCloseTo(kappa, 3);
	expect(question.reviewer_pairs).toHaveLength(name === "grade" ? (most * (most - 1)) / 2 : 0);
	expect(data.overall).toEqual(name === "grade" ? question.agreement : null);
});

test("RV11 labels without scores are nominal, one category is undefined, and a few pairs are too few", async () => {
	const of = async (rows: readonly Row[], labels: readonly string[]) => {
		const queue = await queueOf(0, [{ annotation_config_id: verdict }], { reviews_required: 2, blind: false });
		const named = await server.context.db.read
			.selectFrom("review_queues")
			.select("questions")
			.where("id", "=", rowOf(queue) ?? 0)
			.executeTakeFirstOrThrow();
		const [question] = JSON.parse(named.questions);
		question.values = labels.map((label) => ({ label, score: null }));
		await server.context.db.write((transaction) =>
			transaction
				.updateTable("review_queues")
				.set({ questions: JSON.stringify([question]) })
				.where("id", "=", rowOf(queue) ?? 0)
				.execute(),
		);
		await insertAnswers(queue, verdict, rows, "label");
		return (await figures(queue, "agreement")).questions[0];
	};
	const nominal = await of(KRIPPENDORFF_2011, ["1", "2", "3", "4", "5"]);
	expect(nominal.level).toBe("nominal");
	expect(nominal.agreement.krippendorffs_alpha.value).toBeCloseTo(0.743, 3);
	const same = await of(
		Array.from({ length: 10 }, () => [1, 1]),
		["1", "2"],
	);
	const undefinedOne = { state: "undefined", value: null, interval: null, pairs: 10 };
	expect(same.agreement).toMatchObject({
		...{ percent_agreement: { state: "measured", value: 1 }, cohens_kappa: undefinedOne },
		...{ fleiss_kappa: undefinedOne, krippendorffs_alpha: undefinedOne },
	});
	const [pair] = same.reviewer_pairs;
	expect(pair).toMatchObject({
		reviewers: [{ id: null }, { id: null }],
		matrix: {
			labels: ["1", "2"],
			counts: [
				[10, 0],
				[0, 0],
			],
			pairs: 10,
		},
	});
	const few = await of(KRIPPENDORFF_2011.slice(1, 2), ["1", "2", "3"]);
	expect(few.agreement.krippendorffs_alpha).toEqual({ state: "too_few", value: null, interval: null, pairs: 6 });
});

test("agreement that was asked for before is that of now, whatever has changed since", async () => {
	const questions = [{ annotation_config_id: grade }];
	const queue = await queueOf(2, questions, { reviews_required: 2, blind: false });
	const summary = async (who = lead) => {
		const {
			items,
			questions: [{ agreement, against_gold }],
		} = await figures(queue, "agreement", who);
		return [items, agreement.answers, against_gold.length];
	};
	expect(await summary()).toEqual([0, 0, 0]);
	const item = await review(queue, one, labelled("1", grade));
	expect([await summary(), await summary()]).toEqual([
		[1, 0, 0],
		[1, 0, 0],
	]);
	await review(queue, other, labelled("1", grade));
	expect([await summary(), await summary(admin)]).toEqual([
		[1, 2, 0],
		[1, 2, 0],
	]);
	const grades = async () => (await figures(queue, "agreement")).questions[0].reviewer_pairs[0].matrix.counts;
	const alike = await grades();
	const body = { answers: [labelled("3", grade)] };
	expect((await call("POST", `/${queue}/items/${item}/review`, body, other)).status).toBe(200);
	expect(await grades()).not.toEqual(alike);
	await decide(queue, item, labelled("3", grade));
	expect(await summary()).toEqual([1, 2, 2]);
	expect((await call("DELETE", `/${queue}/items/${item}`, undefined, lead)).status).toBe(204);
	expect(await summary()).toEqual([0, 0, 0]);
});

test("RV04 figures and exports reveal nothing of a blind item before it is done", async () => {
	const secret = "quokka";
	const questions = [{ annotation_config_id: verdict, note: true }];
	const queue = await queueOf(1, questions, { reviews_required: 2 });
	const item = await review(queue, one, { ...labelled("good"), explanation: secret });
	const readers = [lead, other, viewer, await server.signedIn("SYSTEM"), admin];
	const paths = [
		"agreement",
		"progress",
		"calibration?annotation_name=verdict&format=csv",
		"export",
		"export?format=jsonl",
	];
	for (const who of readers) {
		const answers = await Promise.all(paths.map((path) => get(`/${queue}/${path}`, who)));
		expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
		for (const { text } of answers) expect(text).not.toContain(secret);
		expect(answers[0]?.json.data).toMatchObject({
			...{ items: 0, questions: [{ reviewer_pairs: [], against_gold: [], agreement: { answers: 0 } }] },
		});
		expect(answers[4]?.text).toBe("");
	}
	expect(await figures(queue, "calibration?annotation_name=verdict", admin)).toMatchObject({
		gold_items: 0,
		differing: 0,
	});
	expect((await get(`/${queue}/export`, one)).text).toContain(secret);

	await review(queue, other, labelled("bad"));
	const usernames = [one.username, other.username];
	const ofLead = await figures(queue, "agreement");
	expect(ofLead).toMatchObject({ items: 0, disagreements_left_out: 1 });
	expect((await get(`/${queue}/export?format=jsonl`, lead)).text).toBe("");
	const ofDecider = await get(`/${queue}/agreement`, admin);
	expect(ofDecider.json.data).toMatchObject({
		items: 1,
		disagreements_left_out: 0,
		questions: [{ reviewer_pairs: [] }],
	});
	const nameless = await get(`/${queue}/export`, admin);
	expect(nameless.text).toContain(secret);
	for (const username of usernames) for (const { text } of [ofDecider, nameless]) expect(text).not.toContain(username);

	await decide(queue, item, labelled("bad"));
	for (const who of [lead, viewer]) {
		const {
			questions: [question],
		} = await figures(queue, "agreement", who);
		expect(question.reviewer_pairs[0].reviewers.map(({ username }: { username: string }) => username)).toEqual(
			usernames,
		);
		expect(question.against_gold).toMatchObject([
			{
				reviewer: { id: idOf(one) },
				matrix: {
					labels: ["good", "fair", "bad"],
					counts: [
						[0, 0, 0],
						[0, 0, 0],
						[1, 0, 0],
					],
				},
			},
			{
				reviewer: { id: idOf(other) },
				matrix: {
					counts: [
						[0, 0, 0],
						[0, 0, 0],
						[0, 0, 1],
					],
				},
			},
		]);
		const rows: { source: string }[] = parse((await get(`/${queue}/export`, who)).text, { columns: true });
		expect(rows.map(({ source }) => source)).toEqual(["review", "review", "decision"]);
	}
});

test("figures and exports are of projects that the caller sees", async () => {
	await server.call("POST", "/v1/projects", { name: "hidden" }, admin.headers);
	const queue = await queueOf(1, [{ annotation_config_id: verdict }]);
	const item = await review(queue, one, labelled("good"));
	const access = await server.call("PATCH", "/v1/projects/hidden/access", { access: "restricted" }, admin.headers);
	expect([access.status, access.text]).toEqual([200, expect.anything()]);
	expect(await figures(queue, "progress")).toMatchObject({ items: 1, done: 1, reviews: 1 });
	const { json } = await server.get("/v1/projects/hidden", admin.headers);
	await server.context.db.write((transaction) =>
		transaction
			.updateTable("review_items")
			.set({ project_id: decodeGlobalId(json.data.id, "Project") ?? 0 })
			.where("id", "=", rowOf(item) ?? 0)
			.execute(),
	);
	for (const [who, count] of [
		[lead, 0],
		[admin, 1],
	] as const) {
		expect(await figures(queue, "progress", who)).toMatchObject({ items: count, done: count, reviews: count });
		expect(await figures(queue, "agreement", who)).toMatchObject({ items: count });
		expect(await figures(queue, "calibration?annotation_name=x", who)).toMatchObject({ gold_items: count });
		expect((await get(`/${queue}/export?format=jsonl`, who)).text.includes(item)).toBe(count === 1);
	}
});

test("progress has reviewers, days, the middle of what reviews took, and when it would end", async () => {
	const queue = await queueOf(12, [{ annotation_config_id: verdict }]);
	const { item } = await take(queue, one);
	const draft = { answers: [], seconds: 12.34 };
	expect((await call("PUT", `/${queue}/items/${item.id}/draft`, draft, one)).status).toBe(204);
	expect((await take(queue, one)).draft).toEqual({ answers: [], seconds: 12.3 });
	await review(queue, one, labelled("good"));
	await review(queue, one, labelled("good"), { seconds: 20 });
	await review(queue, other, labelled("good"), { seconds: 100_000 });
	await review(queue, other, labelled("good"));
	const skipped = await take(queue, other);
	await call("POST", `/${queue}/items/${skipped.item.id}/skip`, { reason: "broken" }, other);
	const early = await figures(queue, "progress", viewer);
	expect(early).toMatchObject({
		...{ items: 12, done: 4, left: 7, disagreements: 1, removed: 0, reviews: 4, reviews_left: 7, skips: 1 },
		...{ median_seconds: 20, decisions: 0, estimated_end: null },
		reviewers: [
			{ reviewer: { id: idOf(one) }, reviews: 2, skips: 0, median_seconds: 16.15 },
			{ reviewer: { id: idOf(other) }, reviews: 2, skips: 1, median_seconds: 600 },
		],
	});
	await decide(queue, skipped.item.id, labelled("bad"));
	for (let count = 0; count < 6; count += 1) await review(queue, one, labelled("good"));
	const late = await figures(queue, "progress");
	expect(late).toMatchObject({ done: 11, left: 1, disagreements: 0, reviews_left: 1, decisions: 1 });
	const sums = (of: "reviews" | "skips" | "decisions") =>
		late.days.reduce((sum: number, day: Record<string, number>) => sum + (day[of] ?? 0), 0);
	expect([sums("reviews"), sums("skips"), sums("decisions")]).toEqual([10, 1, 1]);
	expect(Date.parse(late.estimated_end)).toBeGreaterThan(Date.now());
	await call("PATCH", `/${queue}`, { archived: true }, lead);
	expect((await figures(queue, "progress")).estimated_end).toBeNull();
	const wrong = await call("PUT", `/${queue}/items/${item.id}/draft`, { answers: [], seconds: -1 }, one);
	expect(wrong.status).toBe(422);
});

test("RV16 an export that is opened in a spreadsheet runs no formula, and has what was deleted", async () => {
	const queue = await queueOf(FORMULAS.length, [{ annotation_config_id: remark }], { reviews_required: 1 });
	for (const explanation of FORMULAS) await review(queue, one, { annotation_config_id: remark, explanation });
	const [first] = (await get(`/${queue}/items`, lead)).json.data;
	await server.call("DELETE", `/v1/spans/${first.target.global_id}`, undefined, admin.headers);
	const { text, headers } = await get(`/${queue}/export`, lead);
	expect(headers["content-type"]).toContain("text/csv");
	expect(headers["content-disposition"]).toMatch(/^attachment; filename="figures \d+\.csv"/);
	const rows: Record<string, string>[] = parse(text, { columns: true });
	for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
	expect(rows.map(({ explanation }) => explanation?.slice(1))).toEqual(FORMULAS);
	expect(rows.map(({ item_state }) => item_state)).toEqual(["removed", ...FORMULAS.slice(1).map(() => "done")]);
	const plain: Record<string, string>[] = parse((await get(`/${queue}/export?escape_formulas=false`, lead)).text, {
		columns: true,
	});
	expect(plain.map(({ explanation }) => explanation)).toEqual(FORMULAS);
	const lines = await get(`/${queue}/export?format=jsonl`, lead);
	expect(
		lines.text
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line))[1],
	).toEqual({
		...{ item_id: expect.any(String), item_state: "done", target_kind: "span", target_id: spanIds[1] },
		...{ project_id: expect.any(String), reviewer_id: idOf(one), reviewer: one.username, source: "review" },
		...{ annotation_config_id: remark, question: "remark", label: null, score: null, explanation: FORMULAS[1] },
		...{ seconds: null, answered_at: expect.any(String) },
	});
	expect((await get(`/${queue}/export?fromat=csv`, lead)).json.errors[0].type).toBe("extra_forbidden");
	expect((await get(`/${queue}/calibration?annotation_name=x`, lead)).json.errors[0].type).toBe("unknown_question");
});

test("RV24 a judge is compared with the gold answers", async () => {
	const gold = ["good", "good", "good", "good", "fair", "fair", "fair", "bad", "bad", "bad", "bad"];
	const judged = ["good", "good", "good", "fair", "fair", "fair", "bad", "bad", "bad", "good"];
	const used = spanIds.slice(1);
	const queue = await queueOf(0, [{ annotation_config_id: verdict }]);
	const targets = used.map((span_id) => ({ span_id, project: "chat" }));
	expect((await call("POST", `/${queue}/items`, { targets }, lead)).json.data.added).toBe(11);
	for (const label of gold) await review(queue, one, labelled(label));
	const annotate = async (data: readonly object[]) => {
		const answer = await server.call("POST", "/v1/span_annotations?sync=true", { data }, admin.headers);
		expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
	};
	const judge = { name: "judge", annotator_kind: "LLM" };
	await annotate([{ ...judge, span_id: used[0], result: { label: "bad" }, identifier: "older" }]);
	await annotate(
		judged.map((label, place) => ({
			...judge,
			...{ span_id: used[place], result: { label, explanation: `=because ${place}` } },
		})),
	);
	expect((await get(`/${queue}/annotation_names`, viewer)).json.data).toContainEqual({
		...{ name: "judge", items: 10, has_labels: true, has_scores: false },
	});
	const once = { name: "asked once", type: "CATEGORICAL", optimization_direction: "NONE", values: [{ label: "good" }] };
	const { id: config } = (await server.call("POST", "/v1/annotation_configs", once, admin.headers)).json.data;
	const alone = await queueOf(0, [{ annotation_config_id: config }]);
	expect((await call("POST", `/${alone}/items`, { targets: targets.slice(0, 1) }, lead)).json.data.added).toBe(1);
	await review(alone, one, labelled("good", config));
	const names: { name: string }[] = (await get(`/${alone}/annotation_names`, viewer)).json.data;
	expect(names.map(({ name }) => name)).not.toContain("asked once");
	const path = `/${queue}/calibration?annotation_name=judge`;
	const { json } = await get(`${path}&limit=2`, viewer);
	expect(json.data).toMatchObject({
		...{ annotation_name: "judge", name: "verdict", type: "CATEGORICAL", gold_items: 11, compared: 10, differing: 3 },
		matrix: {
			labels: ["good", "fair", "bad"],
			counts: [
				[3, 1, 0],
				[0, 2, 1],
				[1, 0, 2],
			],
			pairs: 10,
		},
		percent_agreement: { state: "measured", value: 0.7, pairs: 10 },
		cohens_kappa: { state: "measured", value: expect.closeTo((0.7 - 0.34) / 0.66, 9) },
		labels: [
			{ label: "good", precision: 0.75, recall: 0.75, f1: 0.75, gold: 4, judged: 4 },
			{ label: "fair", precision: expect.closeTo(2 / 3, 9), recall: expect.closeTo(2 / 3, 9), gold: 3, judged: 3 },
			{ label: "bad", precision: expect.closeTo(2 / 3, 9), f1: expect.closeTo(2 / 3, 9), gold: 3, judged: 3 },
		],
		differences: [
			{
				target: { id: used[3] },
				gold: { label: "good", is_decision: false },
				judged: { label: "fair", explanation: "=because 3", annotator_kind: "LLM" },
			},
			{ target: { id: used[6] } },
		],
	});
	const next = await get(`${path}&limit=2&cursor=${encodeURIComponent(json.next_cursor)}`, viewer);
	expect(next.json).toMatchObject({ data: { differences: [{ target: { id: used[9] } }] }, next_cursor: null });
	const table: Record<string, string>[] = parse((await get(`${path}&format=csv`, viewer)).text, { columns: true });
	expect(
		table.map(({ target_id, gold_label, label, explanation }) => [target_id, gold_label, label, explanation]),
	).toEqual([3, 6, 9].map((place) => [used[place], gold[place], judged[place], `'=because ${place}`]));
	expect((await figures(queue, "calibration?annotation_name=judge&identifier=older")).compared).toBe(1);
	const own = `review:${rowOf(queue)}:${one.userId}`;
	expect(await figures(queue, `calibration?annotation_name=verdict&identifier=${own}`)).toMatchObject({
		compared: 0,
		percent_agreement: { state: "too_few", pairs: 0 },
	});
	await decide(queue, json.data.differences[0].item_id, labelled("fair"));
	const decided = await figures(queue, "calibration?annotation_name=judge&gold=decisions");
	expect(decided).toMatchObject({ gold_items: 1, compared: 1, differing: 0 });
	expect((await figures(queue, "calibration?annotation_name=judge")).differing).toBe(2);
});

test("a blind queue gives items without annotations by models, if it hides them", async () => {
	const questions = [{ annotation_config_id: verdict }];
	const refused = await call(
		"POST",
		"",
		{ name: "open", target: "span", questions, hide_model_annotations: true },
		lead,
	);
	expect(refused.json.errors[0].type).toBe("not_blind");
	const data = ["LLM", "CODE", "HUMAN"].map((annotator_kind) => ({
		...{ name: `by ${annotator_kind}`, annotator_kind, span_id: spanIds[11], result: { label: "x" } },
	}));
	await server.call("POST", "/v1/span_annotations?sync=true", { data }, admin.headers);
	const queue = await queueOf(0, questions, { blind: true, hide_model_annotations: true });
	await call("POST", `/${queue}/items`, { targets: [{ span_id: spanIds[11], project: "chat" }] }, lead);
	const namesOf = async () =>
		(await take(queue, one)).annotations
			.map(({ name }: { name: string }) => name)
			.filter((name: string) => name.startsWith("by "))
			.toSorted();
	expect(await namesOf()).toEqual(["by HUMAN"]);
	const shown = await call("PATCH", `/${queue}`, { hide_model_annotations: false }, lead);
	expect(shown.json.data.hide_model_annotations).toBe(false);
	expect(await namesOf()).toEqual(["by CODE", "by HUMAN", "by LLM"]);
	const trace_id = "4".repeat(32);
	const ofTrace = data.map(({ span_id: _, ...annotation }) => ({ ...annotation, trace_id }));
	await server.call("POST", "/v1/trace_annotations?sync=true", { data: ofTrace }, admin.headers);
	const traces = await queueOf(0, questions, { target: "trace", blind: true, hide_model_annotations: true });
	await call("POST", `/${traces}/items`, { targets: [{ trace_id }] }, lead);
	const ofTurn: { name: string; target: string }[] = (await take(traces, one)).annotations;
	expect(ofTurn.filter(({ target }) => target === "trace")).toMatchObject([{ name: "by HUMAN" }]);
	expect(ofTurn.every(({ name }) => !["by LLM", "by CODE", "judge"].includes(name))).toBe(true);
	const open = await queueOf(0, questions);
	const late = await call("PATCH", `/${open}`, { hide_model_annotations: true }, lead);
	expect(late.json.errors[0].type).toBe("not_blind");
});
