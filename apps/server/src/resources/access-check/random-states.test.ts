import type { Insertable, Transaction } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { type Access, PROJECT_ROLES, type Tables } from "#storage/schema.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

/** Each has a span whose ids are its place in this list. */
const PROJECTS = ["pay-api", "pay-web", "support"] as const;
const STATES = process.env["TEST_STORAGE"] === "postgres" ? 40 : 500;
const CELLS_OF_STATE = 3;
const TEAMS = 3;

/** Somebody who asks, and by which name the check knows them. */
interface Caller {
	readonly subject: string;
	readonly headers: Record<string, string>;
}

/** A project or the library as the check names it, with its access in the state of now. */
interface HomeOfState {
	readonly query: string;
	readonly name: (typeof PROJECTS)[number] | "library";
	readonly access: Access;
}

let server: TestApp;
let admin: TestPrincipal;
/** A dataset of the library. */
let dataset: string;
const projectIds: number[] = [];
const users: TestPrincipal[] = [];
const keys: TestPrincipal[] = [];
const callers: Caller[] = [];

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	admin = await server.signedIn("ADMIN");
	for (const [index, name] of PROJECTS.entries()) {
		const sent = await exportSpan(name, String(index + 1), admin.headers);
		expect(sent.status, sent.text).toBe(200);
		const { json } = await server.get(`/v1/projects/${name}`, admin.headers);
		projectIds.push(Number(Buffer.from(json.data.id, "base64").toString().split(":")[1]));
	}
	const upload = { name: "questions", inputs: [{ q: 1 }] };
	const uploaded = await server.call("POST", "/v1/datasets/upload?sync=true", upload, admin.headers);
	dataset = uploaded.json.data.dataset_id;
	for (let n = 0; n < 4; n++) {
		const user = await server.signedIn("MEMBER");
		const key = await server.signedIn("MEMBER", "key");
		await server.context.db.write((transaction) =>
			transaction.updateTable("api_keys").set({ user_id: user.userId }).where("id", "=", key.rowId).execute(),
		);
		users.push(user);
		keys.push(key);
		callers.push({ subject: `user:${encodeGlobalId("User", user.userId)}`, headers: user.headers });
		callers.push({ subject: `api_key:${encodeGlobalId("UserApiKey", key.rowId)}`, headers: key.headers });
	}
	const system = await server.signedIn("SYSTEM");
	keys.push(system);
	callers.push({ subject: `api_key:${encodeGlobalId("SystemApiKey", system.rowId)}`, headers: system.headers });
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function exportSpan(project: string, digit: string, headers: Record<string, string>) {
	const span = { traceId: digit.repeat(32), spanId: digit.repeat(16), name: "step" };
	const times = { startTimeUnixNano: "1700000000000000000", endTimeUnixNano: "1700000000100000000" };
	const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: {}, spans: [{ ...span, ...times }] }] }];
	return await server.call("POST", "/v1/traces", { resourceSpans }, { ...headers, "x-project-name": project });
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

class Choice {
	readonly #random: () => number;

	constructor(seed: number) {
		this.#random = randomOf(seed);
	}

	isTrue(probability: number): boolean {
		return this.#random() < probability;
	}

	of<T>(from: readonly T[]): T {
		return from[Math.floor(this.#random() * from.length)] as T;
	}

	/** Each of them with this probability. */
	some<T>(from: readonly T[], probability: number): T[] {
		return from.filter(() => this.isTrue(probability));
	}
}

/** Gives roles, access, grants, teams, rules, policy and keys anew by chance. */
async function change(choice: Choice): Promise<HomeOfState[]> {
	const access = () => choice.of(["open", "restricted", "restricted"] as const);
	const library: HomeOfState = { query: "library=true", name: "library", access: access() };
	const homes = PROJECTS.map((name): HomeOfState => ({ query: `project=${name}`, name, access: access() }));
	const { db, auth } = server.context;
	await db.write(async (transaction) => {
		await noteRightsChange(transaction);
		const policy = { open_role_of_members: choice.of(["viewer", "annotator", "editor"] as const) };
		await transaction
			.updateTable("access_policy")
			.set({ ...policy, library_access: library.access })
			.execute();
		for (const [index, { access }] of homes.entries())
			await transaction
				.updateTable("projects")
				.set({ access })
				.where("id", "=", projectIds[index] ?? 0)
				.execute();
		for (const { userId } of users) {
			const role = choice.of(["ADMIN", "MEMBER", "MEMBER", "MEMBER", "VIEWER"] as const);
			await transaction.updateTable("users").set({ role }).where("id", "=", userId).execute();
		}
		await giveRoles(transaction, choice);
		await limitKeys(transaction, choice);
	});
	auth.rights.invalidate();
	auth.principals.invalidate();
	return [...homes, library];
}

async function giveRoles(transaction: Transaction<Tables>, choice: Choice): Promise<void> {
	for (const table of ["grants", "access_rules", "teams"] as const) await transaction.deleteFrom(table).execute();
	const now = server.context.now();
	const times = { created_at: now, updated_at: now };
	const team = { description: null, source: "manual" as const, external_groups: "[]", ...times };
	const teams = await transaction
		.insertInto("teams")
		.values(Array.from({ length: TEAMS }, (_, n) => ({ name: `Team ${n}`, name_key: `team ${n}`, ...team })))
		.returning("id")
		.execute();
	const members = users.flatMap(({ userId: user_id }) =>
		choice.some(teams, 0.3).map(({ id }) => ({ team_id: id, user_id, source: "manual", created_at: now })),
	);
	if (members.length > 0) await transaction.insertInto("team_members").values(members).execute();
	const subjects = [
		...users.map(({ userId }) => ({ user_id: userId, team_id: null })),
		...teams.map(({ id }) => ({ user_id: null, team_id: id })),
	];
	const grants = [...projectIds, null].flatMap((project_id) =>
		choice.some(subjects, 0.15).map(
			(subject): Insertable<Tables["grants"]> => ({
				...{ project_id, ...subject, role: choice.of(PROJECT_ROLES), created_at: now, created_by: null },
			}),
		),
	);
	if (grants.length > 0) await transaction.insertInto("grants").values(grants).execute();
	for (const pattern of choice.some(["pay-*", "*", "support", "*pay", "pay-?"], 0.3)) {
		const { id } = await transaction
			.insertInto("access_rules")
			.values({ pattern, access_of_new: null, description: null, ...times })
			.returning("id")
			.executeTakeFirstOrThrow();
		const ofRule = choice
			.some(subjects, 0.15)
			.map((subject) => ({ rule_id: id, ...subject, role: choice.of(PROJECT_ROLES) }));
		if (ofRule.length > 0) await transaction.insertInto("access_rule_grants").values(ofRule).execute();
	}
}

async function limitKeys(transaction: Transaction<Tables>, choice: Choice): Promise<void> {
	await transaction.deleteFrom("api_key_projects").execute();
	for (const { rowId: key_id } of keys) {
		const permissions = choice.of([null, null, ["read"], ["ingest"], ["read", "annotate"], ["write"]]);
		const has_homes = choice.of([0, 0, 1] as const);
		await transaction
			.updateTable("api_keys")
			.set({
				permissions: permissions === null ? null : JSON.stringify(permissions),
				...{ has_homes, include_library: has_homes === 1 && choice.isTrue(0.5) ? 1 : 0 },
				expires_at_ms: choice.isTrue(0.1) ? 1 : null,
			})
			.where("id", "=", key_id)
			.execute();
		const projects = has_homes === 1 ? choice.some(projectIds, 0.4).map((project_id) => ({ key_id, project_id })) : [];
		if (projects.length > 0) await transaction.insertInto("api_key_projects").values(projects).execute();
	}
}

/** What real requests answer to somebody at a home; nothing is sent to, or annotated in, the library. */
async function tryAll({ name, access }: HomeOfState, { subject, headers }: Caller) {
	if (name === "library") {
		const url = `/v1/datasets/${dataset}`;
		return {
			read: (await server.get(url, headers)).status === 200,
			write: (await server.call("PATCH", url, { description: subject }, headers)).status === 200,
			manage: (await server.call("PATCH", "/v1/library/access", { access }, headers)).status === 200,
		};
	}
	const digit = String(PROJECTS.indexOf(name) + 1);
	const result = { label: "good" };
	const annotation = {
		span_id: digit.repeat(16),
		name: "quality",
		annotator_kind: "HUMAN",
		identifier: subject,
		result,
	};
	const annotated = await server.call("POST", "/v1/span_annotations?sync=true", { data: [annotation] }, headers);
	const traces = `/v1/projects/${name}/traces?start_time=1970-01-01&end_time=1970-01-02`;
	return {
		read: (await server.get(`/v1/projects/${name}`, headers)).status === 200,
		ingest: (await exportSpan(name, digit, headers)).status === 200,
		annotate: annotated.status === 200,
		write: (await server.call("DELETE", traces, undefined, headers)).status === 204,
		manage: (await server.call("PATCH", `/v1/projects/${name}/access`, { access }, headers)).status === 200,
	};
}

test(`R64: the check and real requests agree in ${STATES} random states of roles, teams, rules, keys, access and policy`, async () => {
	const seen = new Set<string>();
	for (let seed = 1; seed <= STATES; seed++) {
		const choice = new Choice(seed);
		const homes = await change(choice);
		for (let cell = 0; cell < CELLS_OF_STATE; cell++) {
			const [home, caller] = [choice.of(homes), choice.of(callers)];
			const url = `/v1/access_check?subject=${encodeURIComponent(caller.subject)}&${home.query}`;
			const { status, json, text } = await server.get(url, admin.headers);
			expect(status, text).toBe(200);
			const { may, sees, role, because, not } = json.data;
			const message = `seed ${seed}, ${caller.subject} at ${home.name}: ${text}`;
			expect(may, message).toMatchObject(await tryAll(home, caller));
			expect(sees, message).toBe(may.read);
			expect(because.length > 0, message).toBe(role !== null);
			if (!sees) expect(not.length, message).toBeGreaterThan(0);
			seen.add(`${home.name === "library"} ${JSON.stringify(may)}`);
		}
	}
	// Nothing, reading, and each way of writing have occurred.
	expect(seen.size).toBeGreaterThan(10);
});
