import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ADMIN_EMAIL, ADMIN_PASSWORD, logIn } from "../../e2e/first-use.ts";
import { startServer } from "../../e2e/server.ts";
import { type Figure, quantile } from "../figure.ts";
import { compareRates, inTurns } from "../in-turns.ts";
import { sampleLatency } from "../latency.ts";
import { headerFlags, measureRate, PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { watchMemory } from "../process-memory.ts";
import { measureRestricted } from "./restricted.ts";

const RUNS = 7;
const SPANS = 102_400;
const REQUESTS = 20_000;
const LOG_INS = 500;
/** The text index would be filled for one server while the other is measured. */
const env = { SERVICE_ENABLE_TEXT_INDEX: "false" };

/** What asking for credentials costs, what a crowd that logs in does to everybody else, and what restricting costs. */
export async function measureAccess(): Promise<Figure[]> {
	return [...(await measureCredentials()), ...(await measureCrowd()), ...(await measureRestricted())];
}

/** Two servers side by side, measured in turns, so that both see the same state of the machine. */
async function measureCredentials(): Promise<Figure[]> {
	await using open = await startServer({ env, authentication: false });
	await using guarded = await startServer({ env, authentication: true });
	const session = { cookie: await logIn(guarded.url, ADMIN_PASSWORD) };
	await warmUp("-url", open.url);
	await warmUp("-url", guarded.url, ...headerFlags(guarded.headers));
	const limited = await makeLimitedKey(guarded.url, session);
	const ingest = await inTurns(RUNS, {
		without: () => sendSpans(open.url, {}),
		key: () => sendSpans(guarded.url, guarded.headers),
		limited: () => sendSpans(guarded.url, limited),
	});
	const read = await inTurns(RUNS, {
		without: () => measureRate(open.url, "/v1/projects", REQUESTS, {}),
		key: () => measureRate(guarded.url, "/v1/projects", REQUESTS, guarded.headers),
		session: () => measureRate(guarded.url, "/v1/projects", REQUESTS, session),
	});
	return [
		compareRates("ingest with a key against none", ingest.key, ingest.without, 95, "spans/s, 512 a request, 4 senders"),
		compareRates(
			"ingest with a key limited to a project, ranges and spans a day against an unlimited one",
			ingest.limited,
			ingest.key,
			95,
			"spans/s, 512 a request, 4 senders",
		),
		compareRates("GET /v1/projects with a key against none", read.key, read.without, 90, "requests/s, 8 connections"),
		compareRates(
			"GET /v1/projects with a session against none",
			read.session,
			read.without,
			90,
			"requests/s, 8 connections",
		),
	];
}

/** @returns headers with a key that may only send, to the project of the load, from here, so many spans a day */
async function makeLimitedKey(url: string, session: Readonly<Record<string, string>>) {
	const key = {
		name: "limited",
		permissions: ["ingest"],
		projects: [PROJECT],
		ip_ranges: ["127.0.0.0/8", "::1"],
		limits: { spans_per_day: 1_000_000_000 },
	};
	const response = await fetch(`${url}/v1/user/api_keys`, {
		method: "POST",
		headers: { ...session, origin: url, "content-type": "application/json" },
		body: JSON.stringify({ data: key }),
	});
	const { data } = (await response.json()) as { data: { key: string; projects?: readonly unknown[] } };
	if (data.projects?.length !== 1) throw new Error("the key that was made is not limited to a project");
	return { authorization: `Bearer ${data.key}` };
}

async function sendSpans(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
	const flags = ["-url", url, "-spans", String(SPANS), "-conc", "4", ...headerFlags(headers)];
	return (await sendLoad(...flags)).acked_spans_per_s;
}

/** Many different accounts log in at once, with no limit by address. */
async function measureCrowd(): Promise<Figure[]> {
	await using server = await startServer({ authentication: true });
	await server.stop();
	addAccounts(join(server.workingDir, "spanward.db"));
	await server.start();
	const memory = watchMemory(server.pid);
	const health = sampleLatency(`${server.url}/healthz`, 5);
	const statuses = await Promise.all(Array.from({ length: LOG_INS }, (_, number) => tryLogIn(server.url, number)));
	const times = await health.stop();
	const peak = await memory.stop();
	const counted = Object.entries(Object.groupBy(statuses, String)).map(
		([status, answers]) => `${answers?.length ?? 0} answered ${status}`,
	);
	return [
		{
			name: `memory while ${LOG_INS} accounts log in at once`,
			value: peak,
			unit: "MB",
			target: { atMost: 500 },
			detail: `largest resident memory; ${counted.join(", ")}`,
		},
		{
			name: "p99 of /healthz meanwhile",
			value: quantile(times, 0.99),
			unit: "ms",
			target: { atMost: 200 },
			detail: `${times.length} requests; p50 ${Math.round(quantile(times, 0.5))} ms`,
		},
	];
}

/** Members that all have the admin's password. */
function addAccounts(path: string): void {
	const db = new DatabaseSync(path);
	db.prepare(`
		with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ? - 1)
		insert into users
			(username, username_key, email, role, auth_method, password_hash, password_due, password_replaced, created_at, updated_at)
		select 'crowd-' || n, 'crowd-' || n, 'crowd-' || n || '@example.com', 'MEMBER', 'LOCAL', password_hash, 0, 1, 0, 0
		from numbers, users
		where email = ?
	`).run(LOG_INS, ADMIN_EMAIL);
	db.close();
}

async function tryLogIn(url: string, number: number): Promise<number> {
	const response = await fetch(`${url}/auth/login`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ email: `crowd-${number}@example.com`, password: ADMIN_PASSWORD }),
	});
	await response.arrayBuffer();
	return response.status;
}
