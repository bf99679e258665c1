import { connect } from "node:http2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { authorizeExports } from "#ingest/authorize-exports.ts";
import { type GrpcReceiver, listenGrpc } from "#ingest/receive-grpc.ts";
import { encodeSpans, makeSpan, stringAttribute } from "#ingest/test-receiver.ts";
import { SPEND_BACKFILL, SPEND_KEPT_FROM } from "#storage/traces/totals/spend-state.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { countOlderSpend } from "./backfill.ts";
import { deleteOldSpend } from "./retention.ts";

const GRPC_TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const SECOND = 1_000_000_000n;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour that has ended a while ago: nothing depends on when the test runs. */
const START_MS = Math.floor((Date.now() - 2 * DAY_MS) / DAY_MS) * DAY_MS;
const RANGE = `start_time=${iso(START_MS)}&end_time=${iso(START_MS + DAY_MS)}`;

let server: TestApp;
let grpc: GrpcReceiver;
let admin: TestPrincipal;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { auth, config, ingest, log } = server.context;
	grpc = await listenGrpc({
		config: { ...config, SERVICE_GRPC_PORT: 0 },
		host: "127.0.0.1",
		ingest,
		log,
		authorize: authorizeExports(auth, actIn(server.context)),
		onStored: (principal, spans) => auth.keyUses.countSpans(principal, spans),
	});
	admin = await server.signedIn("ADMIN");
});
afterAll(async () => {
	await grpc[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

function iso(ms: number): string {
	return new Date(ms).toISOString();
}

/** An export of one call of a model. */
function call({ tokens, user, at = START_MS }: { tokens: number; user?: string; at?: number }): Buffer {
	const start = BigInt(at) * 1_000_000n;
	const span = makeSpan({
		startTimeUnixNano: start,
		endTimeUnixNano: start + SECOND,
		attributes: [
			stringAttribute("openinference.span.kind", "LLM"),
			{ key: "llm.token_count.prompt", value: { type: "int", value: BigInt(tokens) } },
			...(user === undefined ? [] : [stringAttribute("user.id", user)]),
		],
	});
	return Buffer.from(encodeSpans([span]));
}

async function sendHttp(payload: Buffer, project: string, headers: Readonly<Record<string, string>> = admin.headers) {
	const sent = { "content-type": "application/x-protobuf", "x-project-name": project, ...headers };
	const answer = await server.app.inject({ method: "POST", url: "/v1/traces", headers: sent, payload });
	expect(answer.statusCode, answer.body).toBe(200);
}

async function sendGrpc(message: Buffer, project: string, headers: Readonly<Record<string, string>>): Promise<void> {
	const session = connect(`http://127.0.0.1:${grpc.port}`);
	const head = Buffer.alloc(5);
	head.writeUInt32BE(message.byteLength, 1);
	const sent = { ":method": "POST", ":path": GRPC_TRACES, "content-type": "application/grpc", te: "trailers" };
	const status = await new Promise<number>((resolve, reject) => {
		const stream = session.request({ ...sent, "x-project-name": project, ...headers });
		const note = (answer: object) => {
			if ("grpc-status" in answer && answer["grpc-status"] !== undefined) resolve(Number(answer["grpc-status"]));
		};
		stream.on("response", note);
		stream.on("trailers", note);
		stream.on("error", reject);
		stream.resume();
		stream.end(Buffer.concat([head, message]));
	}).finally(() => session.close());
	expect(status).toBe(0);
}

async function makeKey(name: string, by = admin) {
	const { status, json, text } = await server.call("POST", "/v1/user/api_keys", { data: { name } }, by.headers);
	expect(status, text).toBe(201);
	const { id, key } = json.data as { id: string; key: string };
	return { id, label: `${name} (…${key.slice(-4)})`, headers: { authorization: `Bearer ${key}` } };
}

async function ask(query: string, headers: Readonly<Record<string, string>> = admin.headers) {
	const { status, json, text } = await server.get(`/v1/analytics?of=spend&${query}`, { ...headers });
	expect(status, text).toBe(200);
	return json.data;
}

/** Tokens by the labels of groups. */
async function tokensBy(group: string, more = "", headers = admin.headers): Promise<Record<string, number>> {
	const { series } = await ask(`measure=tokens_total&group_by=${group}&${RANGE}&${more}`, headers);
	return Object.fromEntries(
		series.map((each: { group: { label: string }[]; totals: Record<string, number> }) => [
			each.group[0]?.label,
			each.totals["tokens_total"],
		]),
	);
}

interface SpansOfKey {
	readonly group: readonly { readonly label: string }[];
	readonly totals: { readonly count: number };
	readonly drill_down: { readonly filter: string };
}

interface Counted {
	readonly label: string;
	readonly count: number;
	readonly filter: string;
}

async function projectIdOf(name: string): Promise<string> {
	return (await server.get(`/v1/projects/${name}`, { ...admin.headers })).json.data.id;
}

/** Sends one call of a model as JSON over REST. */
async function create(tokens: number, project: string, headers: Readonly<Record<string, string>>): Promise<void> {
	const span = {
		...{ name: "call", span_kind: "LLM", context: { trace_id: "aa".repeat(16), span_id: "aa".repeat(8) } },
		...{ start_time: iso(START_MS), end_time: iso(START_MS + 1_000), status_code: "OK" },
		attributes: { "llm.token_count.prompt": tokens },
	};
	const sent = await server.call("POST", `/v1/projects/${project}/spans`, { data: [span] }, { ...headers });
	expect(sent.status, sent.text).toBe(202);
}

test("W88 two keys of a project are told apart, over HTTP, gRPC and REST, also after one and its owner are deleted", async () => {
	const owner = await server.signedIn("ADMIN");
	const [first, second] = [await makeKey("batch"), await makeKey("night", owner)];
	await sendHttp(call({ tokens: 5 }), "keys", first.headers);
	await sendGrpc(call({ tokens: 7 }), "keys", second.headers);
	await sendHttp(call({ tokens: 11 }), "keys");
	await create(2, "keys", first.headers);
	const expected = { [first.label]: 7, [second.label]: 7, none: 11 };
	expect(await tokensBy("api_key", "project=keys")).toEqual(expected);
	const { series } = await ask(`measure=tokens_total&group_by=api_key&project=keys&${RANGE}`);
	const ids = series.map((each: { group: { value: string | null }[] }) => each.group[0]?.value);
	expect(new Set(ids)).toEqual(new Set([first.id, second.id, null]));
	expect(series.every((each: { drill_down: unknown }) => each.drill_down === null)).toBe(true);

	expect((await server.call("DELETE", `/v1/user/api_keys/${first.id}`, undefined, admin.headers)).status).toBe(204);
	const user = encodeGlobalId("User", owner.userId);
	expect((await server.call("DELETE", `/v1/users/${user}`, undefined, admin.headers)).status).toBe(204);
	expect(await tokensBy("api_key", "project=keys")).toEqual(expected);
	const spans = await server.get(`/v1/projects/keys/analytics?group_by=api_key&${RANGE}`, { ...admin.headers });
	const facets = await server.get(`/v1/projects/keys/facets?field=api_key&${RANGE}`, { ...admin.headers });
	const counts: [label: string, count: number, filter: string][] = [
		...spans.json.data.series.map((each: SpansOfKey) => [
			each.group[0]?.label,
			each.totals.count,
			each.drill_down.filter,
		]),
		...facets.json.data[0].values.map(({ label, count, filter }: Counted) => [label, count, filter]),
	];
	expect(counts.map(([label, count]) => [label, count]).sort()).toEqual(
		[
			[first.label, 2],
			[second.label, 1],
			["none", 1],
		]
			.flatMap((each) => [each, each])
			.sort(),
	);
	for (const [, count, filter] of counts) {
		const list = await server.get(`/v1/projects/keys/spans?filter=${encodeURIComponent(filter)}`, { ...admin.headers });
		expect(list.json.data, filter).toHaveLength(count);
	}
	expect(counts.some(([, , filter]) => filter === `api_key == '${first.id}'`)).toBe(true);
});

test("W84 what was spent stays when traces and their project are deleted, under its name", async () => {
	await sendHttp(call({ tokens: 3, user: "ann" }), "gone");
	await sendHttp(call({ tokens: 4, user: "bob", at: START_MS + HOUR_MS }), "gone");
	const id = await projectIdOf("gone");
	const byHour = async (which: string) => {
		const { all } = await ask(`measure=tokens_total&measure=cost_total&bucket=hour&${which}&${RANGE}`);
		return all.values["tokens_total"].slice(0, 3);
	};
	expect(await byHour("project=gone")).toEqual([3, 4, 0]);
	expect(await tokensBy("user", "project=gone")).toEqual({ ann: 3, bob: 4 });
	const range = "start_time=1970-01-01T00:00:00Z&end_time=2554-01-01T00:00:00Z";
	await server.call("DELETE", `/v1/projects/gone/traces?${range}`, undefined, admin.headers);
	const spans = await server.get(`/v1/analytics?project=gone&measure=tokens_total&${RANGE}`, { ...admin.headers });
	expect(spans.json.data.all.totals).toEqual({ tokens_total: 0 });
	expect(await byHour("project=gone")).toEqual([3, 4, 0]);
	expect((await server.call("DELETE", `/v1/projects/${id}`, undefined, admin.headers)).status).toBe(204);
	expect((await tokensBy("project"))["gone"]).toBe(7);
	expect((await server.get("/v1/analytics?of=spend&project=gone", { ...admin.headers })).status).toBe(404);
});

test("what was spent where somebody may not read is as if it were not there, in totals too", async () => {
	await sendHttp(call({ tokens: 1 }), "open");
	await sendHttp(call({ tokens: 2 }), "closed");
	const made = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { name: "limited", permissions: ["read"], projects: ["open"] } },
		admin.headers,
	);
	const headers = { authorization: `Bearer ${made.json.data.key}` };
	expect(await tokensBy("project", "", headers)).toEqual({ open: 1 });
	const { all } = await ask(`measure=tokens_total&${RANGE}`, headers);
	expect(all.totals).toEqual({ tokens_total: 1 });
	expect((await server.get("/v1/projects/closed/analytics?of=spend", headers)).status).toBe(404);
	expect((await server.get("/v1/projects/open/analytics?of=spend", { ...admin.headers })).status).toBe(200);
});

test("there is no filter, no list and no short bucket of what was spent", async () => {
	for (const [query, message] of [
		["filter=name%20%3D%3D%20%27a%27", "absent"],
		["q=word", "absent"],
		["distribution=total_cost", "absent"],
		["bucket=minute", "15_minutes"],
		["bucket=5_minutes", "15_minutes"],
		["group_by=model", "project, user, api_key"],
		["measure=count", "cost_total"],
		["annotation_name=a", "annotations"],
	] as const) {
		const refused = await server.get(`/v1/analytics?of=spend&${query}`, { ...admin.headers });
		expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(message)]);
	}
	const automatic = await ask("bucket=auto&range=15m");
	expect(automatic.bucket).toBe("15_minutes");
	expect((await ask("range=24h")).all.totals).toHaveProperty("cost_total");
	const { json } = await server.get("/v1/analytics/schema", { ...admin.headers });
	const spend = json.data.rows.find(({ of }: { of: string }) => of === "spend");
	expect(spend.measures.map(({ name }: { name: string }) => name)).toEqual(["cost_total", "tokens_total"]);
	expect(spend.groups.map(({ name }: { name: string }) => name)).toEqual(["project", "user", "api_key"]);
	expect(spend.number_fields).toEqual([]);
});

test("W90 answers are partial until what was stored before an upgrade is counted, from the latest hour back", async () => {
	const { context } = server;
	for (const hour of [0, 1, 2]) await sendHttp(call({ tokens: 10 + hour, at: START_MS + hour * HOUR_MS }), "older");
	const byHour = async () => {
		const answer = await ask(`measure=tokens_total&bucket=hour&project=older&${RANGE}`);
		const { all, is_partial, covered_start_time } = answer;
		const covered = covered_start_time === null ? null : Date.parse(covered_start_time) - START_MS;
		return [all.values["tokens_total"].slice(0, 4), is_partial, covered];
	};
	const complete = [[10, 11, 12, 0], false, null];
	expect(await byHour()).toEqual(complete);
	const fill = async (value: string) => {
		await context.db.write(async (transaction) => {
			await transaction.deleteFrom("spend").execute();
			await transaction.deleteFrom("state").where("name", "=", SPEND_BACKFILL).execute();
			await transaction.insertInto("state").values({ name: SPEND_BACKFILL, value }).execute();
		});
	};
	await fill("{}");
	expect(await byHour()).toEqual([[null, null, null, null], true, DAY_MS]);
	const strict = await server.get(`/v1/analytics?of=spend&strict=true&${RANGE}`, { ...admin.headers });
	expect([strict.status, strict.text]).toEqual([503, expect.stringContaining("is still being counted")]);

	// Stopped before anything, it begins anew; with a position, what is later than that is left as it is.
	await countOlderSpend(context, AbortSignal.abort());
	expect((await byHour())[1]).toBe(true);
	const hour = Math.floor(START_MS / HOUR_MS) + 1;
	await fill(JSON.stringify({ hour, project: Number.MAX_SAFE_INTEGER }));
	expect(await byHour()).toEqual([[null, null, 0, 0], true, 2 * HOUR_MS]);
	await countOlderSpend(context, new AbortController().signal);
	expect(await byHour()).toEqual([[10, 0, 0, 0], false, null]);
	await fill("{}");
	await countOlderSpend(context, new AbortController().signal);
	expect(await byHour()).toEqual(complete);
	expect(await context.db.read.selectFrom("state").selectAll().where("name", "=", SPEND_BACKFILL).execute()).toEqual(
		[],
	);
});

test("what was spent is kept for 800 days, and a recount does not bring back what is older", async () => {
	const { context } = server;
	const oldMs = START_MS - 799 * DAY_MS;
	await sendHttp(call({ tokens: 2, at: oldMs }), "ages");
	await sendHttp(call({ tokens: 3 }), "ages");
	const all = `measure=tokens_total&project=ages&start_time=${iso(oldMs)}&end_time=${iso(START_MS + DAY_MS)}`;
	const keepAt = (ms: number) => deleteOldSpend({ ...context, now: () => ms * 1_000 }, new AbortController().signal);
	await keepAt(START_MS);
	expect((await ask(all)).all.totals).toEqual({ tokens_total: 5 });
	await keepAt(START_MS + 2 * DAY_MS);
	expect((await ask(all)).all.totals).toEqual({ tokens_total: 3 });
	// A clock that jumps back does not make it expected again.
	const read = () => context.db.read.selectFrom("state").select("value").where("name", "=", SPEND_KEPT_FROM).execute();
	const noted = await read();
	await keepAt(START_MS);
	expect(await read()).toEqual(noted);
	let found = 0;
	for await (const progress of context.repairs.run({ kind: "totals", isDryRun: true })) found += progress.found;
	expect(found).toBe(0);
});
