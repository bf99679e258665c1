import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestServer } from "../server.ts";
import {
	asAdmin,
	Client,
	createAccount,
	createSystemKey,
	createUserKey,
	logIn,
	logInAs,
	startWithAuth,
} from "./accounts.ts";
import { grpcStatus, RawConnection, rawStatus } from "./raw-request.ts";

const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

let server: TestServer;
const keys: Record<string, string> = {};
const sendsAs = (who: string) => (who === "nobody" ? [] : [`authorization: Bearer ${keys[who]}`]);

beforeAll(async () => {
	server = await startWithAuth();
	for (const role of ["VIEWER", "MEMBER", "ADMIN"] as const) {
		keys[role.toLowerCase()] = await createUserKey(await logInAs(server, role));
	}
	keys["system"] = await createSystemKey(server);
});
afterAll(() => server[Symbol.asyncDispose]());

describe("T072 a viewer writes nothing", () => {
	test.each(["x-http-method-override", "x-http-method", "x-method-override"])("by %s neither", async (header) => {
		for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
			expect(await rawStatus(server, "POST /v1/projects", [...sendsAs("viewer"), `${header}: GET`])).toBe(403);
			// What is asked for is a read, and stays one.
			expect(await rawStatus(server, "GET /v1/projects", [...sendsAs("viewer"), `${header}: ${method}`])).toBe(200);
		}
	});

	test("by _method neither", async () => {
		expect(await rawStatus(server, "POST /v1/projects?_method=GET", sendsAs("viewer"))).toBe(403);
		expect(await rawStatus(server, "DELETE /v1/projects/default?_method=GET", sendsAs("viewer"))).toBe(403);
		expect(await rawStatus(server, "GET /v1/projects/default?_method=DELETE", sendsAs("admin"))).toBe(200);
		expect(await rawStatus(server, "GET /v1/projects/default", sendsAs("admin"))).toBe(200);
	});
});

describe("T073 an address that is written in another way opens nothing", () => {
	test.each([
		"/v1//users",
		"//v1/users",
		"/v1/./users",
		"/V1/users",
		"/v1/USERS",
		"/v1/x/../users",
		"/v1/%2e%2e/v1/users",
		"/%2e%2e/v1/users",
		"/assets/..%2fv1/users",
		"/healthz/../v1/users",
		"/v1/users;x",
		"/v1;x/users",
		"/v1/users/",
		"/v1/users//",
		"/v1/users%2f",
		"/v1%2fusers",
		"/v1/%75sers",
		"/v1/users%20",
		"/v1/users%00",
		"/v1\\users",
		"/v1/users?x=/healthz",
		"/v1/users?access=public",
	])("%s", async (path) => {
		// Below /assets/ are files that are open to everybody, and none is outside of it.
		const unknown = path.startsWith("/assets/") ? [400, 401, 404] : [400, 401];
		expect(unknown).toContain(await rawStatus(server, `GET ${path}`));
		for (const who of ["viewer", "member", "system"]) {
			expect([400, 403, 404], who).toContain(await rawStatus(server, `GET ${path}`, sendsAs(who)));
		}
	});

	test("nor does a whole address in the request line", async () => {
		const address = `http://127.0.0.1:${server.port}/v1/users`;
		expect(await rawStatus(server, `GET ${address}`)).toBe(401);
		expect(await rawStatus(server, `GET ${address}`, sendsAs("viewer"))).toBe(403);
		expect(await rawStatus(server, `GET ${address}`, sendsAs("admin"))).toBe(200);
	});

	test.each(["HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "SEARCH"])("nor does %s", async (method) => {
		for (const path of ["/v1/users", "/v1/secrets/any", "/v1/projects"]) {
			expect([400, 401], path).toContain(await rawStatus(server, `${method} ${path}`));
		}
		expect([400, 403, 404, 405]).toContain(await rawStatus(server, `${method} /v1/users`, sendsAs("viewer")));
	});

	test("an encoded slash stays in its id", async () => {
		for (const id of ["..%2f..%2fprojects", "x%2fy", "%2e%2e", "..%5c..", "%252e%252e%252f"]) {
			expect([400, 401]).toContain(await rawStatus(server, `DELETE /v1/users/${id}`));
			expect([400, 403, 404, 405]).toContain(await rawStatus(server, `DELETE /v1/users/${id}`, sendsAs("member")));
			expect([400, 404, 405, 422]).toContain(await rawStatus(server, `DELETE /v1/users/${id}`, sendsAs("admin")));
		}
	});

	test("what is unknown is told to those who are known", async () => {
		expect(await rawStatus(server, "GET /v1/nothing")).toBe(401);
		expect(await rawStatus(server, "GET /v1/nothing", sendsAs("viewer"))).toBe(404);
		expect(await rawStatus(server, "GET /nothing")).not.toBe(401);
	});

	test.each(["POST", "PUT", "PATCH", "DELETE"])("a viewer may %s nothing, known or not", async (method) => {
		for (const path of [
			"/v1/nothing",
			"/v1/datasets/upload",
			"/v1/experiments/x",
			"/v1/user/sessions",
			"/v1/projects/x/y",
		]) {
			expect(await rawStatus(server, `${method} ${path}`), path).toBe(401);
			expect(await rawStatus(server, `${method} ${path}`, sendsAs("viewer")), path).toBe(403);
			const known = await rawStatus(server, `${method} ${path}`, sendsAs("member"));
			expect([400, 404, 405, 422], path).toContain(known);
		}
	});
});

test("credentials that came twice are none", async () => {
	const header = `authorization: Bearer ${keys["admin"]}`;
	expect(await rawStatus(server, "GET /v1/users", [header])).toBe(200);
	expect(await rawStatus(server, "GET /v1/users", [header, header])).toBe(401);
	expect(await rawStatus(server, "GET /v1/users", [header, "Authorization: Bearer x"])).toBe(401);
	expect(await grpcStatus(server, TRACES, [["authorization", `Bearer ${keys["member"]}`]])).toBe(0);
	const twice = ["authorization", `Bearer ${keys["member"]}`] as const;
	expect(await grpcStatus(server, TRACES, [twice, twice])).toBe(16);
});

describe("T081 exports", () => {
	test("over gRPC: a viewer is denied, who sends nothing or nonsense is unknown", async () => {
		const as = (token: string | undefined) => [["authorization", `Bearer ${token}`] as const];
		for (const path of [TRACES, "/opentelemetry.proto.collector.logs.v1.LogsService/Export", "/any.other/Method"]) {
			// A message that does not decode: nobody looked at it.
			const message = Uint8Array.of(255, 255);
			expect(await grpcStatus(server, path, [], message)).toBe(16);
			expect(await grpcStatus(server, path, as("nonsense"), message)).toBe(16);
			expect(await grpcStatus(server, path, [["cookie", `service-access-token=${keys["member"]}`]], message)).toBe(16);
			expect(await grpcStatus(server, path, as(keys["viewer"]), message)).toBe(7);
			expect([0, 7, 16]).not.toContain(await grpcStatus(server, path, as(keys["member"]), message));
		}
		for (const who of ["member", "admin", "system"]) expect(await grpcStatus(server, TRACES, as(keys[who]))).toBe(0);
	});

	test.each(["/v1/traces", "/v1/logs", "/v1/metrics", "/api/public/otel/v1/traces"])(
		"to %s: refused as google.rpc.Status, before the body is looked at",
		async (path) => {
			const send = (who: string, type: string) =>
				fetch(server.url + path, {
					method: "POST",
					headers: { "content-type": type, ...(who === "nobody" ? {} : { authorization: `Bearer ${keys[who]}` }) },
					body: "\xff not a message",
				});
			for (const [who, status, code] of [
				["nobody", 401, 16],
				["viewer", 403, 7],
			] as const) {
				const json = await send(who, "application/json");
				expect([json.status, json.headers.get("content-type")?.split(";")[0]]).toEqual([status, "application/json"]);
				expect(await json.json()).toMatchObject({ code, message: expect.any(String) });
				const protobuf = await send(who, "application/x-protobuf");
				expect([protobuf.status, protobuf.headers.get("content-type")]).toEqual([status, "application/x-protobuf"]);
				// Field 1, a number: the code.
				expect([...new Uint8Array(await protobuf.arrayBuffer()).slice(0, 2)]).toEqual([8, code]);
				expect((await send(who, "text/plain")).status).toBe(status);
			}
			expect((await send("nobody", "application/json")).headers.get("www-authenticate")).toMatch(
				/^Bearer realm="service", resource_metadata="/,
			);
		},
	);
});

describe("T082 a large body that nobody may send", () => {
	const HUNDRED_MEGABYTES = 100 * 1_024 * 1_024;

	test.each([
		["POST /v1/traces", "nobody", "content-type: application/x-protobuf", 401],
		["POST /v1/traces", "viewer", "content-type: application/json", 403],
		["POST /v1/projects", "nobody", "content-type: application/json", 401],
		["PUT /v1/secrets", "member", "content-type: application/json", 403],
		["POST /v1/metrics", "nobody", "content-type: application/x-protobuf", 401],
	] as const)("%s by %s is answered without reading it", async (line, who, type, status) => {
		for (const length of [`content-length: ${HUNDRED_MEGABYTES}`, "transfer-encoding: chunked"]) {
			using connection = await RawConnection.open(server);
			const { socket } = connection;
			const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
			connection.send(line, [type, length, ...sendsAs(who)]);
			expect(await connection.status()).toBe(status);
			expect(connection.received.toLowerCase()).toContain("connection: close");
			const piece = length.startsWith("content") ? Buffer.alloc(65_536) : `10000\r\n${"x".repeat(65_536)}\r\n`;
			let taken = 0;
			const push = () => {
				if (!socket.destroyed) {
					socket.write(piece, (error) => {
						if (error !== undefined && error !== null) return;
						taken += 65_536;
						push();
					});
				}
			};
			push();
			await closed;
			// What the two kernels hold, and no more.
			expect(taken).toBeLessThan(HUNDRED_MEGABYTES / 4);
		}
	});

	test("who asks first is not told to go on", async () => {
		using refused = await RawConnection.open(server);
		const headers = ["content-type: application/json", "content-length: 16", "expect: 100-continue"];
		refused.send("POST /v1/projects", headers);
		expect(await refused.status()).toBe(401);
		using admitted = await RawConnection.open(server);
		admitted.send("POST /v1/projects", [...headers, ...sendsAs("member")]);
		expect(await admitted.status()).toBe(100);
		admitted.socket.write('{"name":"asked"}');
		while (!admitted.received.includes("HTTP/1.1 200")) await sleep(5);
	});
});

describe("T083 lists", () => {
	test("take no other limit than a whole number up to theirs, and no cursor but their own", async () => {
		const document = (await (await asAdmin(server).send("GET", "/openapi.json")).json()) as {
			paths: Record<string, { get?: { parameters?: { name: string }[] } }>;
		};
		const admin = asAdmin(server);
		const lists = Object.entries(document.paths)
			.filter(
				([path, { get }]) => get?.parameters?.some(({ name }) => name === "limit") && !/\.(ndjson|arrow)$/.test(path),
			)
			.map(([path]) => path.replace("{project_identifier}", "default"))
			.filter((path) => !path.includes("{"));
		expect(lists).toEqual(
			expect.arrayContaining(["/v1/projects", "/v1/users", "/v1/users/api_keys", "/v1/projects/default/traces"]),
		);
		const base64 = (text: string) => Buffer.from(text).toString("base64");
		const wrong = [
			...["0", "-1", "1e3", "NaN", "Infinity", "100000000", "1.5", "0x10", "1_0", "99999999999999999999", "''"].map(
				(limit) => `limit=${encodeURIComponent(limit)}`,
			),
			...["1", "x", "' OR 1=1 --", base64("Nothing:1"), base64("1:DATETIME:' OR 1=1"), "\u0000", base64("1;drop")].map(
				(cursor) => `cursor=${encodeURIComponent(cursor)}`,
			),
		];
		const failures: string[] = [];
		const { data: users } = await (await admin.send("GET", "/v1/users?limit=1")).json();
		const needed: readonly (readonly [RegExp, string])[] = [
			[/\/default\/.*_annotations$/, "identifier=x&"],
			[/\/facets$/, "field=model&"],
			[/^\/v1\/access_check$/, `subject=user:${users[0].id}&`],
		];
		for (const list of lists) {
			const about = needed.find(([path]) => path.test(list))?.[1] ?? "";
			const right = await admin.send("GET", `${list}?${about}limit=1`);
			if (right.status !== 200) failures.push(`${right.status} ${list}?${about}limit=1`);
			for (const query of wrong) {
				const { status } = await admin.send("GET", `${list}?${about}${query}`);
				if (status !== 422) failures.push(`${status} ${list}?${about}${query}`);
			}
		}
		expect(failures).toEqual([]);
	});
});

describe("T084 a right that is taken away while a request runs", () => {
	test.each([
		["POST", "/v1/projects", '{"name":"late"}'],
		["PUT", "/v1/projects/default", '{"description":"late"}'],
		["PUT", "/v1/secrets", '{"secrets":[{"key":"LATE","value":"x"}]}'],
		["POST", "/v1/projects/default/spans", '{"data":[]}'],
		["POST", "/v1/system/api_keys", '{"data":{"name":"late"}}'],
	])("%s %s: its body counts for nothing", async (method, path, body) => {
		const { id, email, password } = await createAccount(server, "ADMIN");
		const client = await logIn(server, email, password);
		const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		using connection = await RawConnection.open(server);
		const headers = ["content-type: application/json", `content-length: ${body.length}`];
		const proof = path.endsWith("api_keys")
			? `cookie: ${cookie}`
			: `authorization: Bearer ${await createUserKey(client)}`;
		connection.send(`${method} ${path}`, [...headers, proof]);
		connection.socket.write(body.slice(0, 5));
		await sleep(300);
		await asAdmin(server).data("PATCH", `/v1/users/${id}`, { role: "VIEWER" });
		connection.socket.write(body.slice(5));
		expect([401, 403]).toContain(await connection.status());
	});

	test.each(["log-out", "deleted key", "deleted user"])("a live view ends soon after: %s", async (how) => {
		const { id, email, password } = await createAccount(server, "VIEWER");
		const client = await logIn(server, email, password);
		const made = await client.data("POST", "/v1/user/api_keys", { data: { name: "live" } });
		const reader = how === "deleted key" ? new Client(server, made.key) : client;
		const response = await reader.send("GET", "/v1/projects/default/stream");
		expect(response.status).toBe(200);
		let ended = false;
		const reading = (async () => {
			for await (const _ of response.body ?? []) expect(ended).toBe(false);
			ended = true;
		})();
		await sleep(1_500);
		expect(ended).toBe(false);
		if (how === "log-out") await client.send("POST", "/auth/logout");
		if (how === "deleted key") await client.data("DELETE", `/v1/user/api_keys/${made.id}`);
		if (how === "deleted user") await asAdmin(server).data("DELETE", `/v1/users/${id}`);
		await expect.poll(() => ended).toBe(true);
		await reading;
	});
});

test("refused calls are in the audit log, once a minute for each actor and route", async () => {
	const viewer = await logInAs(server, "VIEWER");
	const { id } = await viewer.data("GET", "/v1/user");
	for (let count = 0; count < 20; count++) expect((await viewer.send("GET", "/v1/users")).status).toBe(403);
	expect((await viewer.send("PUT", "/v1/secrets", {})).status).toBe(403);
	const entries = await asAdmin(server).data("GET", `/v1/audit_events?action=access.denied&actor=${id}`);
	const named = entries.map(({ code, target }: { code: string; target: { name: string } }) => [code, target.name]);
	expect(named.toSorted()).toEqual([
		["admin_only", "GET /v1/users"],
		["admin_only", "PUT /v1/secrets"],
	]);
});
