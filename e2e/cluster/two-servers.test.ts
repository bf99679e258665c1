import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { status as grpcStatus, Metadata } from "@grpc/grpc-js";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import pg from "pg";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { asAdmin, Client, createAccount, createUserKey, logIn, WITH_ACCOUNTS } from "../access/accounts.ts";
import type { TestServer } from "../server.ts";
import { HAS_POSTGRES, type Servers, startTwoServers, testOnPostgres as test } from "./servers.ts";

const READ = "/v1/projects";
const USERS = "/v1/users";

let servers: Servers;
let one: TestServer;
let two: TestServer;
beforeAll(async () => {
	if (!HAS_POSTGRES) return;
	servers = await startTwoServers(WITH_ACCOUNTS);
	({ one, two } = servers);
});
afterAll(() => servers?.[Symbol.asyncDispose]());

/** The same browser, whose requests a balancer sends to another server. */
function moved(client: Client, to: TestServer): Client {
	const other = new Client(to);
	for (const [name, value] of client.cookies) other.cookies.set(name, value);
	return other;
}

async function statusOf(client: Client, path: string): Promise<number> {
	return (await client.send("GET", path)).status;
}

/** Sends spans one after the other over gRPC, as applications do, until the server refuses one for good. */
class EndlessExports {
	sent = 0;
	/** Code of gRPC with which it ended. */
	readonly refused: Promise<number | undefined>;
	readonly #exporter: OTLPTraceExporter;

	constructor(server: TestServer, key: string, project: string) {
		const metadata = new Metadata();
		metadata.set("authorization", `Bearer ${key}`);
		metadata.set("x-project-name", project);
		this.#exporter = new OTLPTraceExporter({ url: `http://${server.grpcAddress}`, metadata });
		this.refused = this.#exportUntilRefused();
	}

	async #exportUntilRefused(): Promise<number | undefined> {
		for (;;) {
			const error = await this.#export();
			if (error !== undefined) return "code" in error ? Number(error.code) : undefined;
			this.sent += 1;
		}
	}

	async #export(): Promise<Error | undefined> {
		const exported = Promise.withResolvers<Error | undefined>();
		const exporter: SpanExporter = {
			export: (spans, done) =>
				this.#exporter.export(spans, (result) => {
					done(result);
					exported.resolve(result.error);
				}),
			shutdown: async () => {},
		};
		const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
		provider.getTracer("test").startSpan("sent over gRPC").end();
		return await exported.promise;
	}
}

describe("accounts and rights on two servers that share a database", () => {
	test("T017 servers that start together on an empty database make each account once", async () => {
		const roles = (await servers.sql("select role from users where email like '%localhost%' or role = 'SYSTEM'"))
			.split("\n")
			.sort();
		expect(roles).toEqual(["ADMIN", "SYSTEM"]);
		expect(await servers.sql("select count(*) from projects")).toBe("1");
	});

	test("T006 T007 wrong passwords on both count together, and lock out on both and after a restart", async () => {
		const { email, password } = await createAccount(one, "MEMBER");
		const attempt = async (on: TestServer, given: string) =>
			(await new Client(on).send("POST", "/auth/login", { email, password: given })).status;
		for (const on of [one, two, one, two, one]) expect(await attempt(on, "wrong-password")).toBe(401);
		for (const on of [one, two]) expect(await attempt(on, password)).toBe(429);
		await two.stop();
		await two.start();
		expect(await attempt(two, password)).toBe(429);
	});

	test("T004 of 40 guesses at once on both five are checked", async () => {
		const { email } = await createAccount(one, "MEMBER");
		const answers = await Promise.all(
			Array.from({ length: 40 }, (_, index) =>
				new Client(index % 2 === 0 ? one : two).send("POST", "/auth/login", { email, password: "wrong-password" }),
			),
		);
		expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
	});

	test("T034 T035 a token is exchanged once on whichever server, and its reuse ends the session on both", async () => {
		const { email, password } = await createAccount(one, "MEMBER");
		const client = await logIn(one, email, password);
		const at = [one, two, one, two].map((server) => moved(client, server));
		const answers = await Promise.all(at.map((each) => each.send("POST", "/auth/refresh")));
		expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
		const pairs = new Set(at.map((each) => JSON.stringify([...each.cookies].sort())));
		expect(pairs.size).toBe(1);
		const [live = client] = at;
		await moved(live, two).send("POST", "/auth/refresh");
		await moved(live, one).send("POST", "/auth/refresh"); // the last one within its grace
		expect((await moved(client, two).send("POST", "/auth/refresh")).status).toBe(401);
		for (const server of [one, two]) await expect.poll(() => statusOf(moved(live, server), READ)).toBe(401);
	});

	test("T037 T040 T041 T042 who logged out, lost a role or is gone is refused by the other server soon", async () => {
		const leaving = await createAccount(one, "MEMBER");
		const changed = await createAccount(one, "MEMBER");
		const deleted = await createAccount(one, "MEMBER");
		const demoted = await createAccount(one, "ADMIN");
		const sessions = {
			leaving: await logIn(one, leaving.email, leaving.password),
			changed: await logIn(one, changed.email, changed.password),
			thief: await logIn(one, changed.email, changed.password),
			deleted: await logIn(one, deleted.email, deleted.password),
			demoted: await logIn(one, demoted.email, demoted.password),
		};
		const deletedKey = new Client(two, await createUserKey(sessions.deleted));
		const demotedKey = new Client(two, await createUserKey(sessions.demoted));
		const elsewhere = {
			leaving: moved(sessions.leaving, two),
			thief: moved(sessions.thief, two),
			deleted: moved(sessions.deleted, two),
		};
		// Known there before.
		for (const client of [...Object.values(elsewhere), deletedKey]) expect(await statusOf(client, READ)).toBe(200);
		expect(await statusOf(demotedKey, USERS)).toBe(200);

		const admin = asAdmin(one);
		await sessions.leaving.send("POST", "/auth/logout");
		await sessions.changed.data("PATCH", "/v1/user", {
			password: "third-Password3!",
			current_password: changed.password,
		});
		expect((await admin.send("DELETE", `${USERS}/${deleted.id}`)).status).toBe(204);
		await admin.data("PATCH", `${USERS}/${demoted.id}`, { role: "MEMBER" });

		for (const client of [...Object.values(elsewhere), deletedKey])
			await expect.poll(() => statusOf(client, READ)).toBe(401);
		expect((await elsewhere.leaving.send("POST", "/auth/refresh")).status).toBe(401);
		await expect.poll(() => statusOf(demotedKey, USERS)).toBe(403);
		expect(await statusOf(moved(sessions.changed, two), READ)).toBe(200);
	});

	test("R05 R32 what runs on one server ends soon after the other took the grant, the role or the owner of a key away; a system key goes on", async () => {
		const admin = asAdmin(one);
		const { id: project } = await admin.data("POST", "/v1/projects", { name: "restricted here" });
		const access = `/v1/projects/${project}/access`;
		const padding = "x".repeat(5_000);
		const at = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
		for (let part = 0; part < 4; part += 1) {
			const data = Array.from({ length: 1_000 }, () => ({
				...{ name: "large", span_kind: "CHAIN", status_code: "OK", ...at, attributes: { padding } },
				context: { trace_id: randomBytes(16).toString("hex"), span_id: randomBytes(8).toString("hex") },
			}));
			await admin.send("POST", `/v1/projects/${project}/spans`, { data });
		}
		const { id, email, password } = await createAccount(one, "MEMBER");
		const subject = { user: id };
		await admin.data("PATCH", access, { access: "restricted", set: [{ subject, role: "editor" }] });
		const member = moved(await logIn(one, email, password), two);
		const keyText = await createUserKey(member);
		const key = new Client(two, keyText);
		const read = (client: Client) => statusOf(client, `/v1/projects/${project}/spans?limit=1`);
		const send = async () => {
			const span = { traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex"), name: "sent" };
			const times = { startTimeUnixNano: "1790000000000000000", endTimeUnixNano: "1790000001000000000" };
			const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...times }] }] }] };
			return (await key.send("POST", "/v1/traces", body, { "x-project-name": "restricted here" })).status;
		};
		await expect.poll(() => read(key)).toBe(200);
		await expect.poll(send).toBe(200);

		const systemData = { name: "of the system", permissions: ["read"], projects: [project, "default"] };
		const maker = await createAccount(one, "ADMIN");
		const makers = await logIn(one, maker.email, maker.password);
		const systemKey = await makers.data("POST", "/v1/system/api_keys", { data: systemData });
		const system = new Client(two, systemKey.key);
		expect(await read(system)).toBe(200);
		const exports = new EndlessExports(two, keyText, "restricted here");
		await expect.poll(() => exports.sent).toBeGreaterThan(2);
		const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const view = await fetch(`${two.url}/v1/projects/${project}/stream`, { headers: { cookie } });
		const download = await fetch(`${two.url}/v1/projects/${project}/spans.ndjson`, { headers: { cookie } });
		expect([view.status, download.status]).toEqual([200, 200]);
		await admin.data("PATCH", access, { remove: [subject] });

		const removedAt = performance.now();
		expect(await exports.refused).toBe(grpcStatus.PERMISSION_DENIED);
		let shown = "";
		for await (const text of view.body?.pipeThrough(new TextDecoderStream()) ?? []) shown += text;
		expect(shown).toMatch(/event: end\ndata: {"reason":"access_ended"}\n\n$/);
		await expect.poll(() => read(member)).toBe(404);
		await expect.poll(() => read(key)).toBe(404);
		await expect.poll(send).toBe(403);
		// A system key has nobody's role: it goes on, until it is limited to less.
		expect(await read(system)).toBe(200);
		await admin.data("PATCH", `/v1/system/api_keys/${systemKey.id}`, { projects: ["default"] });
		await expect.poll(() => read(system)).toBe(404);
		await expect(download.text()).rejects.toThrow();
		// Ten times what is promised.
		expect(performance.now() - removedAt).toBeLessThan(20_000);

		await admin.data("PATCH", access, { set: [{ subject, role: "editor" }] });
		await expect.poll(() => read(key)).toBe(200);
		await expect.poll(send).toBe(200);

		await admin.data("PATCH", `${USERS}/${id}`, { role: "VIEWER" });
		await expect.poll(send).toBe(403);
		expect(await read(key)).toBe(200);
		for (const each of [id, maker.id]) expect((await admin.send("DELETE", `${USERS}/${each}`)).status).toBe(204);
		await expect.poll(() => read(key)).toBe(401);
		expect(await send()).toBe(401);
		expect(await statusOf(system, "/v1/projects/default")).toBe(200);
	});
});

describe("limits and versions", () => {
	test("R29 a key that may send 10,000 spans a day sends no more to both servers together", async () => {
		const admin = asAdmin(one);
		const data = { name: "counted", permissions: ["ingest"], limits: { spans_per_day: 10_000 } };
		const made = await admin.data("POST", "/v1/system/api_keys", { data });
		const spans = (sent: number) =>
			Array.from({ length: 500 }, (_, index) => ({
				...{ traceId: (sent + index + 1).toString(16).padStart(32, "a"), name: "counted" },
				spanId: (sent + index + 1).toString(16).padStart(16, "a"),
				...{ startTimeUnixNano: "1790000000000000000", endTimeUnixNano: "1790000001000000000" },
			}));
		let sent = 0;
		let accepted = 0;
		let reachedAt: number | undefined;
		/** @returns whether it was accepted */
		const send = async (server: TestServer) => {
			const body = { resourceSpans: [{ scopeSpans: [{ spans: spans(sent) }] }] };
			sent += 500;
			const answer = await new Client(server, made.key).send("POST", "/v1/traces", body);
			if (answer.status === 429) {
				expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
				return false;
			}
			expect(answer.status).toBe(200);
			accepted += 500;
			if (accepted >= 10_000) reachedAt ??= performance.now();
			return true;
		};
		const untilRefused = async (server: TestServer) => {
			while (await send(server)) await sleep(100);
		};
		await Promise.all([untilRefused(one), untilRefused(two)]);
		expect(accepted).toBeGreaterThanOrEqual(10_000);
		// Ten times what they take to tell each other.
		expect(performance.now() - (reachedAt ?? 0)).toBeLessThan(40_000);
		const stored = "select coalesce(sum(spans), 0) from api_key_days";
		await expect.poll(() => servers.sql(stored)).toBe(String(accepted));
		for (const server of [one, two]) expect(await send(server)).toBe(false);
	});

	test("R23 a project cannot be restricted, nor a key limited, while an older server runs, which is named", async () => {
		const admin = asAdmin(one);
		await admin.data("POST", "/v1/projects", { name: "heeded" });
		const restrict = async () => await admin.send("PATCH", "/v1/projects/heeded/access", { access: "restricted" });
		const application_name = `${servers.storage.schema} cluster`;
		const older = new pg.Client({ connectionString: servers.storage.url, application_name });
		await older.connect();
		await expect.poll(async () => (await restrict()).status).toBe(409);
		expect(await (await restrict()).text()).toMatch(/older version .*127\.0\.0\.1, since \d{4}-/);
		expect((await admin.data("GET", "/v1/projects/heeded/access")).access).toBe("open");
		const keys = "/v1/system/api_keys";
		const limited = { data: { name: "limited", permissions: ["read"] } };
		expect((await admin.send("POST", keys, limited)).status).toBe(409);
		const { id } = await admin.data("POST", keys, { data: { name: "unlimited", permissions: null } });
		const narrow = async () => await admin.send("PATCH", `${keys}/${id}`, { limits: { spans_per_day: 1 } });
		expect(await (await narrow()).text()).toMatch(/older version .*127\.0\.0\.1, since \d{4}-/);
		expect((await admin.send("PATCH", `${keys}/${id}`, { name: "renamed" })).status).toBe(200);
		await older.end();
		await expect.poll(async () => (await restrict()).status).toBe(200);
		expect((await narrow()).status).toBe(200);
		expect((await admin.send("POST", keys, limited)).status).toBe(201);
	});
});

describe("what is done for both", () => {
	/** The cost of a span that is sent now and used a million tokens of input. */
	async function costOfNext(server: TestServer, model: string): Promise<number | null> {
		const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
		await sendSpan(server, traceId, spanId, model);
		const { data } = await json(server, `/v1/projects/default/spans?trace_id=${traceId}`);
		return data.find((span: { context: { span_id: string } }) => span.context.span_id === spanId)?.total_cost ?? null;
	}

	async function sendSpan(server: TestServer, traceId: string, spanId: string, model = "none"): Promise<void> {
		const span = {
			traceId,
			spanId,
			name: "answer",
			startTimeUnixNano: "1790000000000000000",
			endTimeUnixNano: "1790000001000000000",
			attributes: [
				{ key: "openinference.span.kind", value: { stringValue: "LLM" } },
				{ key: "llm.model_name", value: { stringValue: model } },
				{ key: "llm.token_count.prompt", value: { intValue: "1000000" } },
			],
		};
		const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
		const response = await asAdmin(server).send("POST", "/v1/traces", body);
		if (response.status !== 200)
			throw new Error(`the export was answered ${response.status}: ${await response.text()}`);
	}

	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	async function json(server: TestServer, path: string): Promise<any> {
		const response = await asAdmin(server).send("GET", path);
		if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
		return await response.json();
	}

	test("a price that is set on one is what the other receives by soon", async () => {
		expect(await costOfNext(two, "shared-model")).toBeNull();
		await asAdmin(one).data("POST", "/v1/model_prices", { pattern: "shared-model", prices: { input: 3 } });
		expect(await costOfNext(one, "shared-model")).toBe(3);
		await expect.poll(() => costOfNext(two, "shared-model")).toBe(3);
	});

	test("a live view of one shows what the other received, within a second or two", async () => {
		const stop = new AbortController();
		const { authorization } = { authorization: `Bearer ${WITH_ACCOUNTS["SERVICE_ADMIN_SECRET"]}` };
		const view = await fetch(`${one.url}/v1/projects/default/stream`, {
			headers: { authorization },
			signal: stop.signal,
		});
		let shown = "";
		const reading = (async () => {
			for await (const text of view.body?.pipeThrough(new TextDecoderStream()) ?? []) shown += text;
		})().catch(() => undefined);
		const traceId = randomBytes(16).toString("hex");
		await sendSpan(two, traceId, randomBytes(8).toString("hex"));
		await expect.poll(() => shown).toContain(traceId);
		stop.abort();
		await reading;
	});

	test("an annotation that waits on one is applied when the other receives its span", async () => {
		const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
		const annotation = { span_id: spanId, name: "late", annotator_kind: "HUMAN", result: { label: "good" } };
		const response = await asAdmin(one).send("POST", "/v1/span_annotations?sync=false", { data: [annotation] });
		expect(response.status).toBe(200);
		await sendSpan(two, traceId, spanId);
		await expect.poll(() => servers.sql("select label from annotations where name = 'late'")).toBe("good");
		expect(await servers.sql("select count(*) from waiting_annotations")).toBe("0");
	});

	test("a background job that is asked of one is done once", async () => {
		const policy = await asAdmin(one).data("POST", "/v1/retention_policies", { name: "short", max_days: 1 });
		await asAdmin(one).data("PATCH", "/v1/projects/default/retention", { policy_id: policy.id });
		const [, ...runs] = await Promise.all([
			asAdmin(one).data("POST", "/v1/projects/default/cost_recomputations", {}),
			asAdmin(one).data("POST", `/v1/retention_policies/${policy.id}/run`, {}),
			asAdmin(two).data("POST", `/v1/retention_policies/${policy.id}/run`, {}),
		]);
		expect(runs).toHaveLength(2);
		const unended = () =>
			servers.sql(`select (select count(*) from retention_runs where ended_at is null)
				+ (select count(*) from cost_recomputations where state in ('waiting', 'running'))`);
		await expect.poll(unended, { timeout: 300_000 }).toBe("0");
		expect(await servers.sql("select count(*) from retention_runs where error is not null")).toBe("0");
	});
});
