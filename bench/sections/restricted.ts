import { setTimeout as sleep } from "node:timers/promises";
import {
	asAdmin,
	Client,
	createAccount,
	createUserKey,
	logIn,
	startWithAuth,
	WITH_ACCOUNTS,
} from "../../e2e/access/accounts.ts";
import { startPostgres } from "../../e2e/peers/postgres.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { compareRates, compareTimes, inTurns } from "../in-turns.ts";
import { measureLatency } from "../latency.ts";
import { headerFlags, measureRate, PROJECT, sendLoad, warmUp } from "../load-generator.ts";
import { readMemory } from "../process-memory.ts";
import { DURABLE } from "./postgres.ts";

const RUNS = 7;
const STARTS = 3;
/** Of a list, in each turn. */
const REQUESTS = 50;
/** In each turn, for a rate. */
const RATE_REQUESTS = 10_000;
/** Projects, datasets and prompts that are seen by whoever is measured. */
const SEEN = 100;
/** Stored while traces are listed; fewer for a look at what does not depend on them. */
const SPANS = Number(process.env["BENCH_ACCESS_SPANS"] ?? 1_000_000);
const CHANGES = 50;
/** Requests at once while a server is filled. */
const AT_ONCE = 8;

/** What restricted projects, teams and rules cost, and how soon a change of them counts. */
export async function measureRestricted(): Promise<Figure[]> {
	return [
		...(await measureStart()),
		...(await measureProjects()),
		...(await measureLists()),
		await measureTraces(),
		...(await measureChanges()),
	];
}

/** With nothing configured. */
async function measureStart(): Promise<Figure[]> {
	const times: number[] = [];
	const memory: number[] = [];
	for (let run = 0; run < STARTS; run++) {
		const start = performance.now();
		await using server = await startServer({ authentication: false });
		times.push(performance.now() - start);
		await sleep(5_000);
		memory.push(await readMemory(server.pid));
	}
	const detail = `median of ${STARTS} starts with an empty database`;
	return [
		{
			name: "start",
			value: quantile(times, 0.5),
			unit: "ms",
			target: { atMost: 2_000 },
			detail: `until /readyz; ${detail}`,
		},
		{
			name: "memory idle, nothing of access set",
			value: quantile(memory, 0.5),
			unit: "MB",
			target: { atMost: 150 },
			detail: `resident, 5 s after; ${detail}`,
		},
	];
}

/** Half of the projects that are seen are a team's, half are a rule's for a team; the member is in all teams. */
async function measureProjects(): Promise<Figure[]> {
	const [projects, teams, rules] = [2_000, 20, 50];
	await using server = await startWithAuth({}, undefined, { inProcess: false });
	const admin = asAdmin(server);
	await makeRestricted(server, projects);
	const member = await createMember(server);
	const teamIds = await makeTeams(server, teams, () => [member.id]);
	const everyNth = projects / SEEN;
	await inParts(SEEN, async (n) => {
		const subject = { team: teamIds[n % teams] };
		const grants = [{ subject, role: "viewer" }];
		if (n < rules) await admin.data("POST", "/v1/access_rules", { pattern: `*${nameOf(n * everyNth)}`, grants });
		else await admin.data("PATCH", `/v1/projects/${nameOf(n * everyNth)}/access`, { set: grants });
	});
	const list = `/v1/projects?limit=${SEEN}`;
	await assertLists(server, list, member.headers);
	const times = await measureLatency(server.url + list, 200, member.headers);
	const all = await adminHeaders(server);
	const rates = await inTurns(RUNS, {
		member: () => measureRate(server.url, list, RATE_REQUESTS, member.headers),
		admin: () => measureRate(server.url, list, RATE_REQUESTS, all),
	});
	const where = `${formatNumber(projects)} restricted projects of which a member sees ${SEEN} by ${teams} teams and ${rules} rules`;
	return [
		{
			name: "GET /v1/projects of a member of restricted projects, p50",
			value: quantile(times, 0.5),
			unit: "ms",
			target: { atMost: 10 },
			detail: `${where}; ${times.length} requests, p99 ${formatNumber(quantile(times, 0.99))} ms`,
		},
		compareRates(
			"GET /v1/projects of a member of restricted projects against an admin's",
			rates.member,
			rates.admin,
			85,
			`requests/s, 8 connections; ${where}`,
		),
	];
}

/** Each team has some projects, each project a dataset and a prompt. */
async function measureLists(): Promise<Figure[]> {
	const [projects, teams] = [1_000, 200];
	await using server = await startWithAuth({}, undefined, { inProcess: false });
	const admin = asAdmin(server);
	await makeRestricted(server, projects);
	const member = await createMember(server);
	const projectsOfTeam = projects / teams;
	const teamIds = await makeTeams(server, teams, (n) => (n % (projects / SEEN) === 0 ? [member.id] : []));
	await inParts(projects, async (n) => {
		const project = nameOf(n);
		const subject = { team: teamIds[Math.floor(n / projectsOfTeam)] };
		await admin.data("PATCH", `/v1/projects/${project}/access`, { set: [{ subject, role: "viewer" }] });
		const dataset = { name: project, action: "create", inputs: [{ question: n }], project };
		await admin.data("POST", "/v1/datasets/upload?sync=true", dataset);
		await admin.data("POST", "/v1/prompts", { prompt: { name: project, project }, version: PROMPT });
	});
	const all = await adminHeaders(server);
	const figures: Figure[] = [];
	for (const items of ["projects", "datasets", "prompts"]) {
		const list = `/v1/${items}?limit=${SEEN}`;
		await assertLists(server, list, member.headers);
		const p50 = async (headers: Readonly<Record<string, string>>) =>
			quantile(await measureLatency(server.url + list, REQUESTS, headers), 0.5);
		const times = await inTurns(RUNS, { member: () => p50(member.headers), admin: () => p50(all) });
		figures.push(
			compareTimes(
				`${SEEN} ${items} of a member of restricted projects against an admin's`,
				times.member,
				times.admin,
				1.2,
				`ms, p50 of ${REQUESTS}; ${formatNumber(projects)} projects of ${teams} teams`,
			),
		);
	}
	return figures;
}

const PROMPT = {
	...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "MUSTACHE" },
	template: { type: "chat", messages: [{ role: "user", content: "hello" }] },
	invocation_parameters: { type: "openai", openai: {} },
};

/** By somebody with a role there, while the project is open and while it is restricted. */
async function measureTraces(): Promise<Figure> {
	await using server = await startWithAuth({}, undefined, { inProcess: false });
	const headers = await adminHeaders(server);
	const flags = ["-url", server.url, ...headerFlags(headers)];
	await warmUp(...flags);
	await sendLoad(...flags, "-spans", String(SPANS), "-pool", "400", "-conc", "4");
	const member = await createMember(server);
	const access = `/v1/projects/${PROJECT}/access`;
	await asAdmin(server).data("PATCH", access, { set: [{ subject: { user: member.id }, role: "viewer" }] });
	const p50While = async (state: "open" | "restricted") => {
		await asAdmin(server).data("PATCH", access, { access: state });
		const times = await measureLatency(
			`${server.url}/v1/projects/${PROJECT}/traces?limit=100`,
			REQUESTS,
			member.headers,
		);
		return quantile(times, 0.5);
	};
	const times = await inTurns(RUNS, { restricted: () => p50While("restricted"), open: () => p50While("open") });
	return compareTimes(
		`newest 100 traces of a restricted project against an open one, at ${SPANS === 1_000_000 ? "1 M" : formatNumber(SPANS)} spans`,
		times.restricted,
		times.open,
		1.1,
		`ms, p50 of ${REQUESTS}`,
	);
}

/** From the answer of one server to a change to the first answer of another that heeds it. */
async function measureChanges(): Promise<Figure[]> {
	await using postgres = await startPostgres({ settings: DURABLE });
	const settings = {
		storage: { url: postgres.url, schema: "changes" },
		authentication: false,
		env: WITH_ACCOUNTS,
	} as const;
	await using one = await startServer(settings);
	await using other = await startServer(settings);
	const admin = asAdmin(one);
	const member = await createMember(one);
	const { id: project } = await admin.data("POST", "/v1/projects", { name: "changing" });
	const { id: team } = await admin.data("POST", "/v1/teams", { name: "Changing" });
	const access = `/v1/projects/${project}/access`;
	const untilSeen = async (status: number, key = member.key) => {
		const client = new Client(other, key);
		const start = performance.now();
		while ((await statusOf(client, `/v1/projects/${project}`)) !== status) await sleep(1);
		return performance.now() - start;
	};
	const change = async (path: string, body: unknown, status: number) => {
		await admin.data("PATCH", path, body);
		return await untilSeen(status);
	};
	const times: Record<string, number[]> = {};
	const note = (what: string, ...measured: readonly number[]) => {
		times[what] = [...(times[what] ?? []), ...measured];
	};
	await untilSeen(200);
	for (let turn = 0; turn < CHANGES; turn += 1) {
		note("that a project is restricted", await change(access, { access: "restricted" }, 404));
		const subject = { user: member.id };
		note("a grant", await change(access, { set: [{ subject, role: "viewer" }] }, 200));
		note("the end of a grant", await change(access, { remove: [subject] }, 404));
		await admin.data("PATCH", access, { set: [{ subject: { team }, role: "viewer" }] });
		const members = `/v1/teams/${team}/members`;
		note("a new member of a team", await change(members, { add: [member.id] }, 200));
		note("the end of a member of a team", await change(members, { remove: [member.id] }, 404));
		await change(access, { access: "open", remove: [{ team }] }, 200);
		const { id, key } = await member.session.data("POST", "/v1/user/api_keys", {
			data: { name: "changing", permissions: ["read", "annotate"] },
		});
		await untilSeen(200, key);
		await member.session.data("PATCH", `/v1/user/api_keys/${id}`, { permissions: ["annotate"] });
		note("that a key may less", await untilSeen(403, key));
		await member.session.data("DELETE", `/v1/user/api_keys/${id}`);
		note("the end of a key", await untilSeen(401, key));
	}
	return Object.entries(times).map(([what, measured]) => ({
		name: `until another server heeds ${what}, at most`,
		value: Math.max(...measured),
		unit: "ms",
		target: { atMost: 2_000 },
		detail: `${measured.length} times, two servers on PostgreSQL; p50 ${formatNumber(quantile(measured, 0.5))} ms`,
	}));
}

interface Member {
	readonly id: string;
	readonly session: Client;
	readonly key: string;
	readonly headers: Readonly<Record<string, string>>;
}

async function createMember(server: TestServer): Promise<Member> {
	const { id, email, password } = await createAccount(server, "MEMBER");
	const session = await logIn(server, email, password);
	const key = await createUserKey(session);
	return { id, session, key, headers: { authorization: `Bearer ${key}` } };
}

/** With a key of an admin. */
async function adminHeaders(server: TestServer): Promise<Readonly<Record<string, string>>> {
	const { email, password } = await createAccount(server, "ADMIN");
	return { authorization: `Bearer ${await createUserKey(await logIn(server, email, password))}` };
}

/** A name that is no part of another one. */
function nameOf(n: number): string {
	return `project-${String(n).padStart(5, "0")}`;
}

/** Nothing is open then. */
async function makeRestricted(server: TestServer, count: number): Promise<void> {
	const admin = asAdmin(server);
	await admin.data("PATCH", "/v1/projects/default/access", { access: "restricted" });
	await admin.data("PATCH", "/v1/access_policy", { default_project_access: "restricted" });
	await inParts(count, (n) => admin.data("POST", "/v1/projects", { name: nameOf(n) }));
}

/** @param membersOf ids of users */
async function makeTeams(server: TestServer, count: number, membersOf: (n: number) => readonly string[]) {
	const admin = asAdmin(server);
	const ids: string[] = [];
	for (let n = 0; n < count; n++) {
		const { id } = await admin.data("POST", "/v1/teams", { name: `Team ${n}` });
		const add = membersOf(n);
		if (add.length > 0) await admin.data("PATCH", `/v1/teams/${id}/members`, { add });
		ids.push(id);
	}
	return ids;
}

/** @throws when what is to be measured is not what is measured */
async function assertLists(server: TestServer, path: string, headers: Readonly<Record<string, string>>): Promise<void> {
	const response = await fetch(server.url + path, { headers });
	const { data, next_cursor: next } = (await response.json()) as { data: unknown[]; next_cursor: unknown };
	if (data.length !== SEEN || next !== null) throw new Error(`${path} has ${data.length} items, and then ${next}`);
}

async function inParts(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
	for (let first = 0; first < count; first += AT_ONCE) {
		await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, n) => work(first + n)));
	}
}

async function statusOf(client: Client, path: string): Promise<number> {
	const response = await client.send("GET", path);
	await response.arrayBuffer();
	return response.status;
}
