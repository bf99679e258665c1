import { expect, test } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import { authorizeExports } from "#ingest/authorize-exports.ts";
import { openTestApp, otlpSpan, type TestApp } from "#test-app.ts";
import { createTestPlace } from "#test-storage.ts";

const AUTH = { SERVICE_ENABLE_AUTH: "true" };

/** Sends a span twice, one without an id, an export of no known type and one without credentials. */
async function sendAll(server: TestApp, headers: Record<string, string>): Promise<void> {
	const send = async (spans: readonly object[], sent: Record<string, string>) => {
		const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }];
		const { status } = await server.call("POST", "/v1/traces", { resourceSpans }, sent);
		return status;
	};
	const good = otlpSpan({ spanId: "1".padStart(16, "0") });
	expect(await send([good, { ...good, spanId: "" }], headers)).toBe(200);
	expect(await send([good], headers)).toBe(200);
	expect(await send([good], {})).toBe(401);
	expect(await send([good], { authorization: "Bearer unknown" })).toBe(401);
	expect(await send([good], { ...headers, "content-type": "text/plain" })).toBe(415);
}

test("W20 what becomes of exports to two servers is added up over a restart", async () => {
	await using place = await createTestPlace();
	const settings = (port: number) => ({ ...place.settings, ...AUTH, SERVICE_PORT: String(port) });
	const first = await openTestApp(settings(6_001));
	const { headers: sender } = await first.signedIn("SYSTEM", "key");
	await sendAll(first, sender);
	await first[Symbol.asyncDispose]();
	const second = await openTestApp(settings(6_002));
	await sendAll(second, sender);
	await second[Symbol.asyncDispose]();
	await using third = await openTestApp(settings(6_001));
	const measures = ["accepted_spans", "duplicate_spans", "rejected_spans", "refused_requests"];
	const ask = async (query: string, headers = sender) =>
		await third.get(`/v1/analytics?of=ingest&${query}&${measures.map((name) => `measure=${name}`).join("&")}`, headers);
	const { json } = await ask("group_by=reason&range=15m&bucket=minute");
	const { series, all, source, overlapping } = json.data;
	const table = Object.fromEntries(
		series.map(({ group, totals }: { group: { label: string }[]; totals: Record<string, number> }) => [
			group[0]?.label,
			measures.map((name) => totals[name]),
		]),
	);
	// The span is stored once, by the first of four exports.
	expect(table).toEqual({
		none: [4, 3, 0, 0],
		invalid_span_id: [0, 0, 2, 0],
		unauthorized: [0, 0, 0, 4],
		unsupported_media_type: [0, 0, 0, 2],
	});
	expect(all.totals).toEqual({ accepted_spans: 4, duplicate_spans: 3, rejected_spans: 2, refused_requests: 6 });
	expect(all.values.refused_requests.reduce((a: number, b: number) => a + b)).toBe(6);
	expect([source, overlapping, all.drill_down]).toEqual(["totals", false, null]);
	const servers = (await ask("group_by=server&range=15m")).json.data.series;
	expect(servers.map(({ totals }: { totals: Record<string, number> }) => totals["refused_requests"])).toEqual([3, 3]);
	expect((await third.get("/v1/analytics?of=ingest&range=15m", sender)).json.data.all.totals).toEqual({
		accepted_spans: 4,
	});
	expect((await ask("range=15m", (await third.signedIn("VIEWER")).headers)).status).toBe(200);
	for (const [query, message] of [
		["filter=name", "absent"],
		["project=default", "absent"],
		["distribution=accepted_spans", "absent"],
		["group_by=model", "reason, server"],
		["annotation_name=a", "annotations"],
	]) {
		const refused = await third.get(`/v1/analytics?of=ingest&${query}`, sender);
		expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(message ?? "")]);
	}
	for (const path of ["facets?field=name&of=ingest", "attribute_keys?of=annotations"])
		expect((await third.get(`/v1/projects/default/${path}`, sender)).status).toBe(422);
});

test("a call over gRPC without credentials is a refused request", async () => {
	await using server = await openTestApp(AUTH);
	const { auth, ingest } = server.context;
	const authorize = authorizeExports(auth, actIn(server.context), (error) => ingest.countDenial(error));
	const call = (method: string) => authorize({ method, sent: { headers: {}, rawHeaders: [] }, ip: "127.0.0.1" });
	expect(await call("/opentelemetry.proto.collector.trace.v1.TraceService/Export")).toMatchObject({
		refused: { code: 16 },
	});
	await call("/unknown.Service/Export");
	expect(ingest.health()).toMatchObject({ refusedRequests: { unauthorized: 1 }, lastError: null });
});

test("what becomes of exports is not for keys that are limited to some projects", async () => {
	await using server = await openTestApp(AUTH);
	const { headers } = await server.signedIn("ADMIN");
	const made = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { name: "limited", permissions: ["read"], projects: ["default"] } },
		headers,
	);
	const { status, json } = await server.get("/v1/analytics?of=ingest", {
		authorization: `Bearer ${made.json.data.key}`,
		accept: "application/problem+json",
	});
	expect([status, json.code]).toEqual([403, "key_limited"]);
});
