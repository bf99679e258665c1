import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { isOfNoHome, LIVE_ROUTES, ROUTE_CASES, type RouteCase } from "./route-cases.ts";
import { type Seed, seedProject } from "./seed-project.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_ENABLE_MODEL_CALLS: "false" });
afterAll(() => server[Symbol.asyncDispose]());

const MARKERS = ["kingfisher", "nightjar"] as const;
const ALL = [...ROUTE_CASES.reads, ...ROUTE_CASES.writes];

let headers: Readonly<Record<string, string>> = {};
let seeds: readonly Seed[] = [];

beforeAll(async () => {
	({ headers } = await server.signedIn("ADMIN"));
	seeds = [await seedProject(server, headers, MARKERS[0]), await seedProject(server, headers, MARKERS[1])];
});

async function ask({ route, url, body, accept }: RouteCase, seed: Seed): Promise<{ status: number; text: string }> {
	const method = route.slice(0, route.indexOf(" ")) as "GET";
	const payload = body?.(seed);
	const { statusCode, body: text } = await server.app.inject({
		...{ method, url: url(seed), headers: { ...headers, ...(accept === undefined ? {} : { accept }) } },
		...(payload === undefined ? {} : { payload: payload as object }),
	});
	return { status: statusCode, text };
}

/** What all reads answer about a seed alone. */
async function readAll(seed: Seed): Promise<[string, string][]> {
	const answers: [string, string][] = [];
	for (const one of ROUTE_CASES.reads) {
		if (one.isOfAll) continue;
		const { text } = await ask(one, seed);
		answers.push([one.route, text.replace(/"took_ms":\d+/, "")]);
	}
	return answers;
}

test("every mounted route has a case, or is about no project, dataset or prompt", async () => {
	await server.app.ready();
	const mounted = server.app.mountedRoutes
		.flatMap(({ method, url }) => [method].flat().map((name) => ({ name, url })))
		.filter(({ name, url }) => name !== "HEAD" && !isOfNoHome(url))
		.map(({ name, url }) => `${name} ${url}`)
		.filter((route) => !LIVE_ROUTES.has(route));
	expect(ALL.map(({ route }) => route).toSorted()).toEqual(mounted.toSorted());
});

test.each(ROUTE_CASES.reads)("$route answers what it is about, and nothing of another", async (one) => {
	for (const seed of seeds) {
		const { status, text } = await ask(one, seed);
		expect([status, text], one.url(seed)).toEqual([200, expect.anything()]);
		if (!one.isMute) expect(text).toContain(seed.marker);
		const [other] = seeds.filter(({ marker }) => marker !== seed.marker);
		if (!one.isOfAll) expect(text).not.toContain(other?.marker);
	}
});

test("each request that changes something is done, and what it is not about stays as it is", async () => {
	const [first] = seeds;
	if (first === undefined) throw new Error("there is no seed");
	const before = await readAll(first);
	const refused: unknown[] = [];
	let seed: Seed | undefined;
	for (const [at, one] of ROUTE_CASES.writes.entries()) {
		seed ??= await seedProject(server, headers, `swift-${at}`);
		const { status, text } = await ask(one, seed);
		if (status >= 300) refused.push([one.route, status, text]);
		if (/^DELETE|delete$|transfer$/.test(one.route)) seed = undefined;
	}
	expect(refused).toEqual([]);
	expect(await readAll(first)).toEqual(before);
});
