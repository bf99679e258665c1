import { readFile } from "node:fs/promises";
import { connect } from "node:http2";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import { lackOf } from "#access/auth/may-call.ts";
import { KEY_PERMISSIONS, type KeyPrincipal } from "#http/principal.ts";
import { authorizeExports } from "#ingest/authorize-exports.ts";
import { type AuthorizeExport, admitEveryExport, listenGrpc } from "#ingest/receive-grpc.ts";
import { CALLERS, type Caller, readRows, toRow } from "./permissions-table.ts";
import { openTestApp, type TestApp } from "./test-app.ts";
import { makePasswordDue, TEST_SECRETS } from "./test-principals.ts";

const on = await openTestApp({
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_LDAP_HOST: "localhost",
	SERVICE_LDAP_USER_SEARCH_BASE_DNS: '["dc=example,dc=com"]',
	SERVICE_LDAP_ATTR_EMAIL: "mail",
	SERVICE_LDAP_GROUP_ROLE_MAPPINGS: '[{"group_dn":"*","role":"VIEWER"}]',
});
const off = await openTestApp();
const grpcOn = await openGrpc(on, authorizeExports(on.context.auth, actIn(on.context)));
const grpcOff = await openGrpc(off, admitEveryExport);
const rows = await readRows();
afterAll(async () => {
	for (const opened of [grpcOn, grpcOff, on, off]) await opened[Symbol.asyncDispose]();
});

await Promise.all([on.app.ready(), off.app.ready()]);
const routes = on.app.mountedRoutes.flatMap(({ method, url, config, constraints }) =>
	[method].flat().map((name) => ({
		...{ method: name, path: url, policy: config?.access ?? "none" },
		accept: constraints === undefined ? {} : { accept: "text/plain" },
	})),
);
const GRPC_METHODS = [
	"/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	"/opentelemetry.proto.collector.logs.v1.LogsService/Export",
	"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
	"/any.other/Method",
];

test.each(routes.filter(({ method }) => method !== "HEAD"))(
	"$method $path answers as the table says",
	async (route) => {
		const { method, path, policy, accept } = route;
		const url = path.replace(/:[a-z_]+|\*/g, "meaningless");
		const statuses = await forEachCaller(async (caller, headers) => {
			const { app } = caller === "auth off" ? off : on;
			const { statusCode } = await app.inject({ method: method as "GET", url, headers: { ...headers, ...accept } });
			if (path.startsWith("/auth/") || (method !== "GET" && statusCode < 400)) callers.delete(`${caller} cookie`);
			return statusCode;
		});
		expectRow(`${method} ${path}`, toRow(method, path, policy, statuses));
	},
);

test.each(GRPC_METHODS)("gRPC %s answers as the table says", async (path) => {
	const codes = await forEachCaller(async (caller, headers) => {
		const { port } = caller === "auth off" ? grpcOff : grpcOn;
		return await callGrpc(port, path, headers);
	}, "metadata");
	expectRow(`gRPC ${path}`, toRow("gRPC", path, "ingest", codes));
});

test("E82 every row of the table is a route, and every route answers HEAD under the policy of GET", () => {
	const mounted = new Set(routes.map(({ method, path }) => `${method} ${path}`));
	const known = new Set([...mounted, ...GRPC_METHODS.map((path) => `gRPC ${path}`)]);
	expect([...rows.keys()].filter((route) => !known.has(route))).toEqual([]);
	const policies = new Map(routes.map(({ method, path, policy }) => [`${method} ${path}`, policy]));
	for (const { path, policy } of routes.filter(({ method }) => method === "HEAD")) {
		expect(policies.get(`GET ${path}`), path).toBe(policy);
	}
});

test("docs/keys.md says which permission opens which routes", async () => {
	const text = await readFile(join(import.meta.dirname, "../../../docs/keys.md"), "utf8");
	const documented = new Map(
		[...text.matchAll(/^\| `?([a-z]+)`?(?: \(.*?\)| — .*?)? \|(( yes)? \|){4}$/gm)].map(([line, policy = ""]) => [
			policy,
			line
				.split("|")
				.slice(2, -1)
				.map((cell) => cell.trim() === "yes"),
		]),
	);
	const mounted = on.app.mountedRoutes.filter(({ config }) => config?.access !== "public");
	const declared = mounted.flatMap(({ url, config }) => {
		const { access, role, limitedKeys } = config ?? {};
		if (access === undefined) return [];
		const policy = access === "write" && role === "annotator" ? "annotate" : access;
		const opens = KEY_PERMISSIONS.map((permission) => {
			const limits = { permissions: new Set([permission]) };
			const key = { kind: "system_key", limits } as unknown as KeyPrincipal;
			return limitedKeys !== "refused" && lackOf(key, policy) === undefined;
		});
		const isRefused = limitedKeys === "refused" || !documented.has(policy);
		return [{ url, row: isRefused ? "everything" : policy, opens }];
	});
	for (const { url, row, opens } of declared) expect(documented.get(row), `${url} ${row}`).toEqual(opens);
	expect(new Set(declared.map(({ row }) => row))).toEqual(new Set(documented.keys()));
});

function expectRow(route: string, measured: string): void {
	const advice = `docs/permissions.md disagrees; if the specification says what the service does, the row is\n${measured}\n`;
	expect(measured === rows.get(route), advice).toBe(true);
}

/**
 * Headers of callers, by caller and kind of credentials, kept for further calls; a call that may have ended the session
 * removes them.
 */
const callers = new Map<string, Record<string, string>>();

/** One answer for each column. */
async function forEachCaller(
	call: (caller: Caller, headers: Record<string, string>) => Promise<number>,
	as: "cookie" | "metadata" = "cookie",
): Promise<number[]> {
	const answers = [];
	for (const caller of CALLERS) {
		const name = `${caller} ${as}`;
		const headers = callers.get(name) ?? (await headersOf(caller, as));
		callers.set(name, headers);
		answers.push(await call(caller, headers));
	}
	return answers;
}

async function headersOf(caller: Caller, as: "cookie" | "metadata"): Promise<Record<string, string>> {
	switch (caller) {
		case "nothing":
		case "auth off":
			return {};
		case "bad token":
			return { authorization: "Bearer meaningless" };
		case "viewer":
		case "member":
		case "admin":
			return await sessionOf(caller, false, as);
		case "reset due":
			return await sessionOf("admin", true, as);
		case "viewer key":
		case "member key":
		case "admin key":
		case "system key":
			return (await on.signedIn(ROLES[caller], "key")).headers;
		case "admin secret":
			return { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };
	}
}

const ROLES = {
	viewer: "VIEWER",
	member: "MEMBER",
	admin: "ADMIN",
	"viewer key": "VIEWER",
	"member key": "MEMBER",
	"admin key": "ADMIN",
	"system key": "SYSTEM",
} as const;

/** A session as a browser shows it, or as a program that has only the token. */
async function sessionOf(role: "viewer" | "member" | "admin", passwordDue: boolean, as: "cookie" | "metadata") {
	const principal = await on.signedIn(ROLES[role]);
	if (passwordDue) await makePasswordDue(on.context, principal);
	const { authorization } = principal.headers;
	return as === "metadata" ? { authorization } : { cookie: authorization.replace("Bearer ", "service-access-token=") };
}

async function openGrpc({ context }: TestApp, authorize: AuthorizeExport) {
	const { config, ingest, log } = context;
	return await listenGrpc({
		config: { ...config, SERVICE_GRPC_PORT: 0 },
		host: "127.0.0.1",
		ingest,
		log,
		authorize,
	});
}

/** The `grpc-status` of a call without a message. */
function callGrpc(port: number, path: string, metadata: Record<string, string>): Promise<number> {
	const session = connect(`http://127.0.0.1:${port}`);
	const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...metadata };
	return new Promise<number>((resolve, reject) => {
		const stream = session.request(headers);
		stream.on("response", ({ "grpc-status": status }) => resolve(Number(status)));
		stream.on("error", reject);
		stream.end();
	}).finally(() => session.close());
}
