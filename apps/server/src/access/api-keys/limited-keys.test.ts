import { connect } from "node:http2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { authorizeExports } from "#ingest/authorize-exports.ts";
import { type GrpcReceiver, listenGrpc } from "#ingest/receive-grpc.ts";
import { encodeSpans, makeSpan } from "#ingest/test-receiver.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const PAGE = "https://app.example.com";
const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const DAY_MICROS = 86_400_000_000;

let server: TestApp;
let grpc: GrpcReceiver;
let member: TestPrincipal;
let admin: TestPrincipal;
beforeAll(async () => {
	server = await openTestApp({
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_TRUSTED_PROXIES: "10.9.0.0/16,127.0.0.1",
		SERVICE_ENABLE_PROMETHEUS: "true",
	});
	const { auth, config, ingest, log } = server.context;
	grpc = await listenGrpc({
		config: { ...config, SERVICE_GRPC_PORT: 0 },
		host: "127.0.0.1",
		ingest,
		log,
		authorize: authorizeExports(auth, actIn(server.context)),
		onStored: (principal, spans) => auth.keyUses.countSpans(principal, spans),
	});
	member = await server.signedIn("MEMBER");
	admin = await server.signedIn("ADMIN");
	await server.call("POST", "/v1/projects", { name: "payments" }, member.headers);
});
afterAll(async () => {
	await grpc[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

const create = (data: object, by = member) =>
	server.call("POST", "/v1/user/api_keys", { data: { name: "limited", ...data } }, by.headers);

/** Makes a key. */
async function keyWith(data: object, by = member) {
	const { status, json, text } = await create(data, by);
	expect(status, text).toBe(201);
	const { id, key } = json.data as { id: string; key: string };
	return { id, key, headers: { authorization: `Bearer ${key}`, accept: "application/problem+json" } };
}

const wire = (spans: number) => Buffer.from(encodeSpans(Array.from({ length: spans }, () => makeSpan())));

/** Exports so many spans over HTTP, from this address. */
async function exportFrom(remoteAddress: string, headers: Record<string, string>, spans = 1) {
	return await server.app.inject({
		method: "POST",
		url: "/v1/traces",
		remoteAddress,
		headers: { "content-type": "application/x-protobuf", ...headers },
		payload: wire(spans),
	});
}

/** `grpc-status` and details of an export over gRPC. */
async function exportGrpc(metadata: Record<string, string>, spans = 1): Promise<[status: number, details: string]> {
	const session = connect(`http://127.0.0.1:${grpc.port}`);
	const message = wire(spans);
	const head = Buffer.alloc(5);
	head.writeUInt32BE(message.byteLength, 1);
	const headers = { ":method": "POST", ":path": TRACES, "content-type": "application/grpc", te: "trailers" };
	return await new Promise<[number, string]>((resolve, reject) => {
		const stream = session.request({ ...headers, ...metadata });
		let details = "";
		stream.on("response", (answer) => {
			details = Buffer.from(String(answer["grpc-status-details-bin"] ?? ""), "base64").toString("latin1");
			if (answer["grpc-status"] !== undefined) resolve([Number(answer["grpc-status"]), details]);
		});
		stream.on("trailers", (trailers) => resolve([Number(trailers["grpc-status"]), details]));
		stream.on("error", reject);
		stream.resume();
		stream.end(Buffer.concat([head, message]));
	}).finally(() => session.close());
}

const keyOf = async (id: string) => (await server.get(`/v1/user/api_keys/${id}`, member.headers)).json.data;

test("R24 a key that may only send reaches OTLP on HTTP and gRPC, and learns nothing", async () => {
	const { key, headers } = await keyWith({ permissions: ["ingest"] }, admin);
	expect(key).toMatch(/^sw_i_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/);
	expect((await exportFrom("127.0.0.1", headers)).statusCode).toBe(200);
	expect((await exportGrpc({ authorization: headers.authorization }))[0]).toBe(0);
	const routes = server.app.mountedRoutes.filter(
		({ config }) => config?.access !== "public" && config?.access !== "ingest",
	);
	for (const { method, url } of routes) {
		for (const name of [method].flat()) {
			const path = url.replace(/:[a-z_]+|\*/g, "meaningless");
			// The pages of traces are the web app for whoever does not ask for text.
			const sent = { ...headers, accept: "text/plain" };
			const { statusCode } = await server.app.inject({ method: name as "GET", url: path, headers: sent });
			expect(statusCode, `${name} ${url}`).toBe(403);
		}
	}
	for (const path of ["/v1/user", "/v1/projects", "/v1/no_such_route"]) {
		const { json, headers: answered } = await server.get(path, headers);
		expect([json.code, answered["www-authenticate"]]).toEqual([
			"key_permission_missing",
			'Bearer error="insufficient_scope", scope="read"',
		]);
	}
	expect((await server.get("/v1/users", headers)).json.code).toBe("key_limited");
});

test.each([
	[["read"], { read: 200, annotate: 403, write: 403, account: 200, keys: 403, ingest: 403 }],
	[["annotate"], { read: 403, annotate: 200, write: 403, account: 200, keys: 403, ingest: 403 }],
	[["write"], { read: 403, annotate: 200, write: 200, account: 200, keys: 403, ingest: 200 }],
	[["ingest", "read"], { read: 200, annotate: 403, write: 403, account: 200, keys: 403, ingest: 200 }],
] as const)(
	"permissions %j admit to what they name, and never to keys and admins' routes",
	async (permissions, may) => {
		const { headers } = await keyWith({ permissions }, admin);
		const note = { data: [] };
		expect({
			read: (await server.get("/v1/projects", headers)).status,
			annotate: (await server.call("POST", "/v1/span_annotations", note, headers)).status,
			write: (await server.call("POST", "/v1/projects", { name: permissions.join() }, headers)).status,
			account: (await server.get("/v1/user", headers)).status,
			keys: (await server.get("/v1/user/api_keys", headers)).status,
			ingest: (await exportFrom("127.0.0.1", headers)).statusCode,
		}).toEqual(may);
		expect((await server.get("/v1/audit_events", headers)).status).toBe(403);
		if (may.ingest === 403) {
			expect(await exportGrpc({ authorization: headers.authorization })).toEqual([7, ""]);
		}
	},
);

test.each([
	["data.scopes", { data: { name: "x", scopes: ["read"] } }, "permissions"],
	["data.scope", { data: { name: "x", scope: "read" } }, "permissions"],
	["data.permission", { data: { name: "x", permission: "read" } }, "permissions"],
	["data.project", { data: { name: "x", project: "a" } }, "projects"],
	["data.project_id", { data: { name: "x", project_id: "a" } }, "projects"],
	["data.ip", { data: { name: "x", ip: "10.0.0.1" } }, "ip_ranges"],
	["data.ips", { data: { name: "x", ips: null } }, "ip_ranges"],
	["data.ip_allowlist", { data: { name: "x", ip_allowlist: [] } }, "ip_ranges"],
	["data.origins", { data: { name: "x", origins: [] } }, "allowed_origins"],
	["data.rate_limit", { data: { name: "x", rate_limit: 1 } }, "limits"],
	["permissions", { data: { name: "x" }, permissions: ["read"] }, "data.permissions"],
	["scopes", { data: { name: "x" }, scopes: ["read"] }, "data.permissions"],
])("R26 %s is refused by name, and no key is made", async (path, body, meant) => {
	const before = (await server.get("/v1/user/api_keys", member.headers)).json.data.length;
	const { status, json } = await server.call("POST", "/v1/user/api_keys", body, member.headers);
	expect(status).toBe(422);
	expect(json.detail).toMatchObject([
		{ type: "extra_forbidden", loc: ["body", ...path.split(".")], msg: expect.stringContaining(meant) },
	]);
	expect((await server.get("/v1/user/api_keys", member.headers)).json.data).toHaveLength(before);
});

test.each([
	[{ permissions: [] }],
	[{ permissions: ["admin"] }],
	[{ projects: ["no such project"] }],
	[{ projects: [] }],
	[{ include_library: true }],
	[{ ip_ranges: [] }],
	[{ ip_ranges: ["10.0.0.0/33"] }],
	[{ ip_ranges: ["localhost"] }],
	[{ ip_ranges: ["::ffff:10.0.0.0/95"] }],
	[{ allowed_origins: [PAGE] }],
	[{ permissions: ["ingest", "read"], allowed_origins: [PAGE] }],
	[{ permissions: ["ingest"], allowed_origins: [`${PAGE}/path`] }],
	[{ permissions: ["ingest"], allowed_origins: ["*"] }],
	[{ limits: { requests_per_minute: 0 } }],
	[{ limits: { spans_per_day: 1_000_000_001 } }],
	[{ limits: { per_minute: 5 } }],
])("refuses %j", async (data) => {
	expect((await create(data)).status).toBe(422);
});

test("answers and lists state all that limits a key, in one spelling", async () => {
	const { json } = await create({
		permissions: ["write", "read", "read"],
		projects: ["payments", "payments"],
		ip_ranges: ["10.1.2.3/8", "2001:DB8:0::/32", "::ffff:10.0.0.1", "::ffff:11.0.0.0/104"],
		limits: { spans_per_day: 5 },
	});
	const stated = {
		permissions: ["read", "write"],
		projects: [{ name: "payments" }],
		include_library: false,
		ip_ranges: ["10.1.2.3/8", "2001:db8::/32", "10.0.0.1", "11.0.0.0/8"],
		allowed_origins: null,
		limits: { requests_per_minute: null, spans_per_day: 5 },
		spans_today: 0,
		replaces: null,
		last_refused_at: null,
	};
	expect(json.data).toMatchObject(stated);
	expect((await server.get("/v1/user/api_keys", member.headers)).json.data[0]).toMatchObject(stated);
	const [listed] = (await server.get("/v1/users/api_keys", admin.headers)).json.data;
	expect(listed).toMatchObject(stated);
});

test("R27 ranges hold for IPv4, IPv6, IPv4 in IPv6, clients of a trusted proxy, and a forged X-Forwarded-For", async () => {
	const { headers, id } = await keyWith({ ip_ranges: ["192.0.2.0/24", "2001:db8::/32"] });
	const statusFrom = async (remoteAddress: string, forwarded?: string) => {
		const sent = { ...headers, ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }) };
		const { statusCode, json } = await server.app.inject({ url: "/v1/projects", remoteAddress, headers: sent });
		return statusCode === 403 ? json().code : statusCode;
	};
	expect(await statusFrom("192.0.2.7")).toBe(200);
	expect(await statusFrom("::ffff:192.0.2.7")).toBe(200);
	expect(await statusFrom("2001:db8:1::1")).toBe(200);
	expect(await statusFrom("10.9.1.1", "192.0.2.7")).toBe(200);
	expect(await statusFrom("10.9.1.1", "198.51.100.1, 192.0.2.7")).toBe(200);
	expect(await statusFrom("10.9.1.1", "::ffff:c000:207")).toBe(200);
	for (const [ip, forwarded] of [
		["198.51.100.1", undefined],
		["2001:db9::1", undefined],
		["10.9.1.1", undefined],
		["198.51.100.1", "192.0.2.7"],
		["10.9.1.1", "192.0.2.7, 198.51.100.1"],
		["192.0.2.7", "198.51.100.1"],
	] as const) {
		expect(await statusFrom(ip, forwarded), `${ip} ${forwarded}`).toBe(
			ip === "192.0.2.7" ? 200 : "key_address_not_allowed",
		);
	}
	const authorization = headers.authorization;
	expect((await exportGrpc({ authorization }))[0]).toBe(7);
	expect((await exportGrpc({ authorization, "x-forwarded-for": "192.0.2.7" }))[0]).toBe(0);
	expect((await exportGrpc({ authorization, "x-forwarded-for": "192.0.2.7, 198.51.100.1" }))[0]).toBe(7);
	const noted = { last_used_ip: "192.0.2.7", last_refused_code: "key_address_not_allowed" };
	await expect.poll(() => keyOf(id)).toMatchObject(noted);
});

test("R28 pages of listed origins send without cookies, others do not, and devices without an origin do", async () => {
	const { headers } = await keyWith({ permissions: ["ingest"], allowed_origins: [`${PAGE.toUpperCase()}/`] });
	const preflight = async (origin: string, url = "/v1/traces") =>
		await server.app.inject({
			method: "OPTIONS",
			url,
			headers: {
				origin,
				"access-control-request-method": "POST",
				"access-control-request-headers": "authorization,content-type",
			},
		});
	const allowed = await preflight(PAGE);
	expect([allowed.statusCode, allowed.headers]).toMatchObject([
		204,
		{
			"access-control-allow-origin": PAGE,
			"access-control-allow-headers": "authorization,content-type",
			"access-control-allow-methods": "POST",
		},
	]);
	expect(allowed.headers).not.toHaveProperty("access-control-allow-credentials");
	for (const answer of [await preflight("https://evil.example.com"), await preflight(PAGE, "/v1/projects")]) {
		expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
		expect(answer.statusCode).toBe(401);
	}
	const sent = await exportFrom("127.0.0.1", { ...headers, origin: PAGE });
	expect([sent.statusCode, sent.headers["access-control-allow-origin"]]).toEqual([200, PAGE]);
	expect(sent.headers).not.toHaveProperty("set-cookie");
	const other = await exportFrom("127.0.0.1", { ...headers, origin: "https://evil.example.com" });
	expect(other.statusCode).toBe(403);
	expect(other.headers).not.toHaveProperty("access-control-allow-origin");
	expect((await exportFrom("127.0.0.1", { ...headers, origin: "null" })).statusCode).toBe(403);
	expect((await exportFrom("127.0.0.1", headers)).statusCode).toBe(200);
});

test("a key sends no more requests a minute than its limit, on HTTP and gRPC", async () => {
	const { headers } = await keyWith({ limits: { requests_per_minute: 3 } });
	const statuses = [];
	for (let count = 0; count < 4; count++) statuses.push((await server.get("/v1/projects", headers)).status);
	expect(statuses).toEqual([200, 200, 200, 429]);
	const refused = await exportFrom("127.0.0.1", headers);
	expect(refused.statusCode).toBe(429);
	expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
	expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(20);
	const [status, details] = await exportGrpc({ authorization: headers.authorization });
	expect([status, details]).toEqual([8, expect.stringContaining("google.rpc.RetryInfo")]);
});

test("R29 a key sends no more spans a day than its limit, however it sends them", async () => {
	const { headers, id } = await keyWith({ limits: { spans_per_day: 5 } });
	expect((await exportFrom("127.0.0.1", headers)).statusCode).toBe(200);
	expect((await exportGrpc({ authorization: headers.authorization }, 2))[0]).toBe(0);
	const attributes = [
		{ key: "event.name", value: { stringValue: "codex.user_prompt" } },
		{ key: "conversation.id", value: { stringValue: "c" } },
	];
	const logRecords = [{ timeUnixNano: "1700000000000000000", attributes }];
	const events = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
	expect((await server.call("POST", "/v1/logs", events, headers)).status).toBe(200);
	const spans = {
		data: [
			{
				name: "one",
				span_kind: "CHAIN",
				context: { trace_id: "a".repeat(32), span_id: "b".repeat(16) },
				start_time: "2023-11-14T22:13:20Z",
				end_time: "2023-11-14T22:13:21Z",
				status_code: "OK",
			},
		],
	};
	const path = "/v1/projects/default/spans";
	expect((await server.call("POST", path, spans, headers)).status).toBe(202);
	const refused = await exportFrom("127.0.0.1", headers);
	expect(refused.statusCode).toBe(429);
	expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(3_600);
	const [status, details] = await exportGrpc({ authorization: headers.authorization });
	expect([status, details]).toEqual([8, expect.stringContaining("google.rpc.RetryInfo")]);
	const again = await server.call("POST", path, spans, headers);
	expect([again.status, again.json.code]).toEqual([429, "key_span_limit"]);
	expect((await server.get("/v1/projects", headers)).status).toBe(200);
	await expect.poll(async () => (await keyOf(id)).spans_today).toBe(5);
});

test("R30 rotation makes a key that is the same in everything; both work until the overlap ends", async () => {
	const limits = { permissions: ["read"], projects: ["payments"], ip_ranges: ["127.0.0.1"] };
	const old = await keyWith({ ...limits, description: "of the dashboard", expires_at: "2100-01-01" });
	const path = `/v1/user/api_keys/${old.id}/rotate`;
	const { status, json } = await server.call("POST", path, { overlap_seconds: 3_600 }, member.headers);
	expect(status).toBe(201);
	expect(json.data).toMatchObject({
		name: "limited",
		description: "of the dashboard",
		permissions: ["read"],
		projects: [{ name: "payments" }],
		ip_ranges: ["127.0.0.1"],
		expires_at: "2100-01-01T00:00:00+00:00",
		replaces: old.id,
		last_used_ip: null,
	});
	const renewed = { ...old.headers, authorization: `Bearer ${json.data.key}` };
	for (const headers of [old.headers, renewed]) expect((await server.get("/v1/projects", headers)).status).toBe(200);
	const before = await keyOf(old.id);
	expect(before.replaced_by).toBe(json.data.id);
	const left = Date.parse(before.expires_at) - Date.now();
	expect([left > 3_000_000, left <= 3_600_000]).toEqual([true, true]);
	await expect.poll(() => keyOf(old.id)).toMatchObject({ last_used_ip: "127.0.0.1" });
	const twice = await server.call("POST", path, {}, { ...member.headers, accept: "application/problem+json" });
	expect([twice.status, twice.json.code]).toEqual([409, "key_already_replaced"]);

	const atOnce = `/v1/user/api_keys/${json.data.id}/rotate`;
	const third = await server.call("POST", atOnce, { overlap_seconds: 0, expires_at: null }, member.headers);
	expect(third.json.data).not.toHaveProperty("expires_at");
	expect((await server.get("/v1/projects", renewed)).status).toBe(401);
	expect((await server.get("/v1/projects", { authorization: `Bearer ${third.json.data.key}` })).status).toBe(200);
});

test("R31 a change takes away at once, and gives nothing", async () => {
	const { headers, id } = await keyWith({ permissions: ["read", "write"], projects: ["payments", "default"] });
	const path = `/v1/user/api_keys/${id}`;
	const change = (body: object) =>
		server.call("PATCH", path, body, { ...member.headers, accept: "application/problem+json" });
	expect((await server.call("POST", "/v1/span_annotations", { data: [] }, headers)).status).toBe(200);
	const narrowed = await change({
		permissions: ["read", "annotate"],
		projects: ["payments"],
		expires_at: "2100-01-01",
	});
	expect(narrowed.json.data).toMatchObject({ permissions: ["read", "annotate"], projects: [{ name: "payments" }] });
	expect((await server.call("POST", "/v1/datasets", {}, headers)).status).toBe(403);
	for (const [field, value] of [
		["permissions", ["read", "write"]],
		["permissions", ["read", "ingest"]],
		["permissions", null],
		["projects", ["payments", "default"]],
		["projects", null],
		["include_library", true],
		["expires_at", "2100-01-02"],
		["expires_at", null],
	] as const) {
		const { status, json } = await change({ [field]: value });
		expect([status, json.code, json.field], field).toEqual([409, "key_cannot_widen", field]);
	}
	expect((await change({ permission: ["read"] })).json.errors).toMatchObject([{ type: "extra_forbidden" }]);
	const renamed = { name: "other", description: null, limits: { requests_per_minute: 9 }, ip_ranges: ["127.0.0.1"] };
	expect((await change(renamed)).json.data).toMatchObject({ name: "other", limits: { requests_per_minute: 9 } });
	expect((await change({ limits: null, ip_ranges: null })).json.data).toMatchObject({
		limits: { requests_per_minute: null },
		ip_ranges: null,
		permissions: ["read", "annotate"],
	});
	const entries = await server.context.db.read
		.selectFrom("audit_events")
		.selectAll()
		.where("action", "=", "api_key.update")
		.where("actor_id", "=", member.userId)
		.orderBy("id")
		.execute();
	expect(JSON.parse(entries[0]?.details ?? "")).toMatchObject({
		"permissions.before": '["read","write"]',
		"permissions.after": '["read","annotate"]',
	});
});

test("keys of the system are limited, changed and rotated by admins, and others' keys by nobody else", async () => {
	const made = await server.call(
		"POST",
		"/v1/system/api_keys",
		{ data: { name: "ci", permissions: ["read", "ingest"] } },
		admin.headers,
	);
	const path = `/v1/system/api_keys/${made.json.data.id}`;
	expect((await server.get(path, admin.headers)).json.data).toMatchObject({ permissions: ["read", "ingest"] });
	const narrowed = await server.call("PATCH", path, { permissions: ["ingest"] }, admin.headers);
	expect(narrowed.json.data).toMatchObject({ hint: expect.stringMatching(/^sw_s_/), created_by: {} });
	const rotated = await server.call("POST", `${path}/rotate`, undefined, admin.headers);
	expect(rotated.json.data.key).toMatch(/^sw_i_/);
	expect((await exportFrom("127.0.0.1", { authorization: `Bearer ${rotated.json.data.key}` })).statusCode).toBe(200);

	const own = await keyWith({});
	for (const [method, suffix] of [
		["PATCH", ""],
		["POST", "/rotate"],
	] as const) {
		const foreign = await server.call(method, `/v1/user/api_keys/${own.id}${suffix}`, {}, admin.headers);
		expect(foreign.status).toBe(404);
		expect((await server.call(method, `${path}${suffix}`, {}, member.headers)).status).toBe(403);
	}
	const other = await server.signedIn("MEMBER");
	expect((await server.get(`/v1/user/api_keys/${own.id}`, other.headers)).status).toBe(404);
	expect((await server.get(`/v1/user/api_keys/${own.id}`, admin.headers)).status).toBe(200);
});

test("a key lasts no longer than the policy says", async () => {
	const setMax = async (max_key_days: number | null) => {
		const row = { id: 1, version: 1, library_access: "open", max_key_days } as const;
		const rest = { default_project_access: null, open_role_of_members: null, members_create_projects: null };
		await server.context.db.write(async (transaction) => {
			await transaction.deleteFrom("access_policy").execute();
			await transaction
				.insertInto("access_policy")
				.values({ ...row, ...rest })
				.execute();
		});
	};
	const { id } = await keyWith({});
	const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
	await setMax(30);
	try {
		expect((await create({})).status).toBe(422);
		expect((await create({ expires_at: inDays(31) })).status).toBe(422);
		expect((await create({ expires_at: inDays(29) })).status).toBe(201);
		const rotate = (body: object) => server.call("POST", `/v1/user/api_keys/${id}/rotate`, body, member.headers);
		expect((await rotate({})).status).toBe(422);
		expect((await rotate({ expires_at: inDays(29) })).status).toBe(201);
	} finally {
		await setMax(null);
	}
});

test("lists are sorted by last use, and show what has not been used for long", async () => {
	const owner = await server.signedIn("MEMBER");
	const ages = { never: null, lately: 1, "long ago": 100 };
	for (const [name, days] of Object.entries(ages)) {
		const { id } = await keyWith({ name }, owner);
		const rowId = Number(Buffer.from(id, "base64").toString().split(":")[1]);
		const at = days === null ? null : server.context.now() - days * DAY_MICROS;
		await server.context.db.write((transaction) =>
			transaction.updateTable("api_keys").set({ last_used_at: at }).where("id", "=", rowId).execute(),
		);
	}
	const names = async (query: string, path = "/v1/user/api_keys") => {
		const { json } = await server.get(`${path}?${query}`, path.includes("users") ? admin.headers : owner.headers);
		return json.data.map(({ name }: { name: string }) => name);
	};
	expect(await names("sort=last_used_at")).toEqual(["lately", "long ago", "never"]);
	expect(await names("sort=last_used_at&order=asc")).toEqual(["never", "long ago", "lately"]);
	expect(await names("unused_days=90")).toEqual(["long ago"]);
	expect(await names("unused_days=90", "/v1/users/api_keys")).toEqual(["long ago"]);
	const seen: string[] = [];
	let cursor = "";
	do {
		const query = `limit=2&sort=last_used_at&cursor=${encodeURIComponent(cursor)}`;
		const { json } = await server.get(`/v1/users/api_keys?${query}`, admin.headers);
		seen.push(...json.data.map(({ name }: { name: string }) => name));
		cursor = json.next_cursor ?? "";
	} while (cursor !== "");
	// Other keys of this file are still being noted as used.
	expect(seen.filter((name) => name in ages)).toEqual(["lately", "long ago", "never"]);
});

test("a key that was refused says when and why", async () => {
	const { headers, id } = await keyWith({ permissions: ["read"] });
	await server.call("POST", "/v1/datasets", {}, headers);
	expect(await server.context.metrics.text()).toMatch(
		/^spanward_api_key_refused_total\{code="key_permission_missing"\} \d+$/m,
	);
	const refused = { last_refused_at: expect.any(String), last_refused_code: "key_permission_missing" };
	await expect.poll(() => keyOf(id)).toMatchObject(refused);
});

test("an unknown id is answered as one of somebody else", async () => {
	const id = encodeGlobalId("UserApiKey", 999_999);
	expect((await server.get(`/v1/user/api_keys/${id}`, member.headers)).status).toBe(404);
	expect((await server.call("PATCH", `/v1/user/api_keys/${id}`, {}, member.headers)).status).toBe(404);
});
