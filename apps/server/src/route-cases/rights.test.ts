import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { ProjectRole } from "#storage/schema.ts";
import { openTestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { isOfNoHome, ROUTE_CASES, type RouteCase } from "./route-cases.ts";
import { type Seed, seedProject } from "./seed-project.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_ENABLE_MODEL_CALLS: "false" });
afterAll(() => server[Symbol.asyncDispose]());

const PROBLEMS = "application/problem+json, */*";
/** What a seed's admin did, nobody else may undo but another admin. */
const OF_ANOTHER = [
	"annotation_of_another",
	"not_own_bulk_run",
	"not_own_annotation",
	"not_own_comment",
	"not_own_view",
	"not_own_dashboard",
];

/** Exports name their projects in their spans, and these have none. */
const OTLP = /\/v1\/(traces|logs)$/;
const READS = ROUTE_CASES.reads.filter(({ about }) => about !== "catalogue");
const WRITES = ROUTE_CASES.writes.filter(
	({ about, route }) => about !== "catalogue" && !(OTLP.test(route) && /^POST/.test(route)),
);

let admin: TestPrincipal;
let open: Seed;
let restricted: Seed;

beforeAll(async () => {
	admin = await server.signedIn("ADMIN");
	open = await seedProject(server, admin.headers, "wheatear");
	restricted = await seedProject(server, admin.headers, "kestrel");
	await restrict(restricted);
});

/** Makes the project of a seed restricted, and the home of its dataset and prompt. */
async function restrict(seed: Seed): Promise<void> {
	const id = rowOf(seed.project, "Project");
	const { db, auth } = server.context;
	await db.write(async (transaction) => {
		await transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", id).execute();
		const dataset = rowOf(seed.dataset, "Dataset");
		await transaction.updateTable("datasets").set({ project_id: id }).where("id", "=", dataset).execute();
		await transaction.updateTable("prompts").set({ project_id: id }).where("name", "=", seed.prompt).execute();
		await noteRightsChange(transaction);
	});
	auth.rights.invalidate();
}

async function grant(seed: Seed, { userId }: TestPrincipal, role: ProjectRole): Promise<void> {
	const { db, auth, now } = server.context;
	await db.write(async (transaction) => {
		await transaction
			.insertInto("grants")
			.values({
				...{ project_id: rowOf(seed.project, "Project"), user_id: userId, team_id: null },
				...{ role, created_at: now(), created_by: null },
			})
			.execute();
		await noteRightsChange(transaction);
	});
	auth.rights.invalidate();
}

function rowOf(globalId: string, type: "Project" | "Dataset"): number {
	const id = decodeGlobalId(globalId, type);
	if (id === undefined) throw new Error(`${globalId} is no ${type}`);
	return id;
}

interface Asked {
	readonly status: number;
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	readonly json: any;
}

async function ask({ route, url, body, accept }: RouteCase, seed: Seed, by: TestPrincipal): Promise<Asked> {
	const method = route.slice(0, route.indexOf(" ")) as "GET";
	const payload = body?.(seed);
	const {
		statusCode,
		body: text,
		headers,
	} = await server.app.inject({
		...{
			method,
			url: url(seed),
			headers: { ...by.headers, accept: accept === undefined ? PROBLEMS : `${accept}, ${PROBLEMS}` },
		},
		...(payload === undefined ? {} : { payload: payload as object }),
	});
	const isJson =
		String(headers["content-type"]).includes("json") && !String(headers["content-type"]).includes("ndjson");
	return { status: statusCode, text, json: isJson && text !== "" ? JSON.parse(text) : undefined };
}

/** Ids like those of a seed, of what never existed. */
function ghostOf(seed: Seed): Seed {
	const entries = Object.entries(seed).map(([name, value]): [string, string] => {
		const [, type, id] = /^([A-Za-z]+):(\d+)$/.exec(Buffer.from(value, "base64").toString()) ?? [];
		if (type !== undefined) return [name, Buffer.from(`${type}:${Number(id) + 1_000_000}`).toString("base64")];
		if (/^[0-9a-f]+$/.test(value)) return [name, randomBytes(value.length / 2).toString("hex")];
		return [name, value.replaceAll(seed.marker, "phantom")];
	});
	return Object.fromEntries(entries) as unknown as Seed;
}

/** What was answered, with the names of a seed's ids in their place. */
function withoutIds({ status, text }: Asked, seed: Seed): { readonly status: number; readonly text: string } {
	let named = text;
	const byLength = Object.entries(seed).toSorted(([, a], [, b]) => b.length - a.length);
	for (const [name, value] of byLength) named = named.replaceAll(value, `<${name}>`);
	return { status, text: named.replaceAll(/"request_id":"[^"]*"/g, "") };
}

describe("R02 R03 who has no grant", () => {
	let stranger: TestPrincipal;
	let ghost: Seed;
	beforeAll(async () => {
		stranger = await server.signedIn("MEMBER");
		ghost = ghostOf(restricted);
	});

	test.each(READS)("$route does not tell of a restricted project", async (one) => {
		const hidden = await ask(one, restricted, stranger);
		if (one.isOfAll) {
			expect(hidden.text).not.toContain(restricted.marker);
			return;
		}
		expect(withoutIds(hidden, restricted)).toEqual(withoutIds(await ask(one, ghost, stranger), ghost));
		const { status, text } = await ask(one, open, stranger);
		expect(status, text).toBe(200);
		if (!one.isMute) expect(text).toContain(open.marker);
	});

	test.each(WRITES.filter(({ isNew }) => !isNew))("$route changes nothing in a restricted project", async (one) => {
		const hidden = await ask(one, restricted, stranger);
		expect(withoutIds(hidden, restricted)).toEqual(withoutIds(await ask(one, ghost, stranger), ghost));
	});

	test("no other route tells of it", async () => {
		await server.app.ready();
		const paths = server.app.mountedRoutes
			.filter(({ method, url }) => [method].flat().includes("GET") && isOfNoHome(url) && !/[:*]/.test(url))
			.map(({ url }) => url);
		for (const path of paths) {
			const { body } = await server.app.inject({ method: "GET", url: path, headers: stranger.headers });
			expect(body, path).not.toContain(restricted.marker);
		}
	});
});

describe("R03 R04 who has a role in a restricted project", () => {
	const policies = new Map<string, { readonly access: string; readonly role: string | undefined }>();
	beforeAll(async () => {
		await server.app.ready();
		for (const { method, url, config } of server.app.mountedRoutes)
			for (const name of [method].flat())
				policies.set(`${name} ${url}`, { access: config?.access ?? "none", role: config?.role });
	});

	test("a viewer reads, and changes nothing", async () => {
		const viewer = await server.signedIn("MEMBER");
		await grant(restricted, viewer, "viewer");
		const wrong: unknown[] = [];
		for (const one of READS) {
			const { status, text } = await ask(one, restricted, viewer);
			if (status !== 200 || !(one.isMute || text.includes(restricted.marker))) wrong.push([one.route, status, text]);
		}
		for (const one of WRITES.filter(({ isNew }) => !isNew)) {
			const { status, json } = await ask(one, restricted, viewer);
			const code = policies.get(one.route)?.access === "admin" ? "admin_only" : "project_role_needed";
			if (status !== 403 || json?.code !== code) wrong.push([one.route, status, json]);
		}
		expect(wrong).toEqual([]);
	});

	test("an annotator annotates, and changes nothing else", async () => {
		const annotator = await server.signedIn("MEMBER");
		await grant(restricted, annotator, "annotator");
		const wrong: unknown[] = [];
		for (const one of WRITES.filter(({ isNew }) => !isNew)) {
			const { status, json } = await ask(one, restricted, annotator);
			const { access, role } = policies.get(one.route) ?? {};
			if (role === "annotator") {
				// The annotations of the seed are an admin's.
				if (status >= 300 && !OF_ANOTHER.includes(json?.code)) wrong.push([one.route, status, json]);
				continue;
			}
			const code = access === "admin" ? "admin_only" : "project_role_needed";
			if (status !== 403 || json?.code !== code) wrong.push([one.route, status, json]);
		}
		expect(wrong).toEqual([]);
	});

	test("a VIEWER who was made manager reads, and changes nothing", async () => {
		const viewer = await server.signedIn("VIEWER");
		await grant(restricted, viewer, "manager");
		const wrong: unknown[] = [];
		for (const one of READS.filter(({ route }) => route.startsWith("GET "))) {
			const { status, text } = await ask(one, restricted, viewer);
			if (status !== 200) wrong.push([one.route, status, text]);
		}
		for (const one of WRITES) {
			const { status, json } = await ask(one, restricted, viewer);
			if (status !== 403 || !["admin_only", "viewer_read_only"].includes(json?.code))
				wrong.push([one.route, status, json]);
		}
		expect(wrong).toEqual([]);
	});

	test("an editor changes everything but what is an admin's", async () => {
		const editor = await server.signedIn("MEMBER");
		const wrong: unknown[] = [];
		let seed: Seed | undefined;
		for (const [at, one] of WRITES.entries()) {
			if (policies.get(one.route)?.access === "admin") continue;
			if (seed === undefined) {
				seed = await seedProject(server, admin.headers, `swift-${at}`);
				await restrict(seed);
				await grant(seed, editor, "editor");
			}
			const { status, json } = await ask(one, seed, editor);
			if (status >= 300 && !OF_ANOTHER.includes(json?.code)) wrong.push([one.route, status, json]);
			if (/^DELETE|delete$|transfer$/.test(one.route)) seed = undefined;
		}
		expect(wrong).toEqual([]);
	});
});

test("R06 a cursor, an entity tag and an answer to repeat of before access ended are of no use", async () => {
	const member = await server.signedIn("MEMBER");
	await grant(restricted, member, "editor");
	const path = `/v1/projects/${restricted.project}`;
	const page = await server.get(`${path}/spans?limit=1`, member.headers);
	const { headers } = await server.get(path, member.headers);
	const repeated = { ...member.headers, "idempotency-key": "r06" };
	const note = { data: { span_id: restricted.spanId, note: "of before" } };
	const again = async () => {
		const query = `limit=1&cursor=${encodeURIComponent(page.json.next_cursor)}`;
		const answers = [
			await server.get(`${path}/spans?${query}`, member.headers),
			await server.get(path, { ...member.headers, "if-none-match": String(headers["etag"]) }),
			await server.call("POST", `/v1/span_notes?project=${restricted.project}`, note, repeated),
		];
		return answers.map((answer) => [answer.status, answer.headers["idempotent-replayed"]]);
	};
	const [, , first] = await again();
	expect(first).toEqual([200, undefined]);
	expect(await again()).toEqual([
		[200, undefined],
		[expect.any(Number), undefined],
		[200, "true"],
	]);
	const { db, auth } = server.context;
	await db.write(async (transaction) => {
		await transaction.deleteFrom("grants").where("user_id", "=", member.userId).execute();
		await noteRightsChange(transaction);
	});
	auth.rights.invalidate();
	expect(await again()).toEqual([
		[404, undefined],
		[404, undefined],
		[404, undefined],
	]);
});
