import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

let server: TestApp;
let address: string;
let job: string;

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	address = await server.app.listen({ host: "127.0.0.1", port: 0 });
	const { headers } = await server.signedIn("ADMIN");
	const dataset = { action: "create", name: "questions", inputs: [{ q: 1 }] };
	const { status, text } = await server.call("POST", "/v1/datasets/upload?sync=true", dataset, headers);
	expect(status, text).toBe(200);
	const { id } = await server.context.db.write((transaction) =>
		transaction
			.insertInto("experiment_jobs")
			.values({
				...{ kind: "run", name: "a job", dataset_id: 1, dataset_version_id: null, state: "paused", reason: "asked" },
				...{ error: null, definition: "{}", max_cost_nanos: null, total_runs: 1, revision: 1, principal: "{}" },
				...{ user_id: null, created_at: 1, updated_at: 1 },
			})
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	job = encodeGlobalId("ExperimentJob", id);
});
afterAll(async () => await server[Symbol.asyncDispose]());

const PATHS = [
	["traces", () => "/v1/projects/default/stream"],
	["a job", () => `/v1/experiment_jobs/${job}/stream`],
] as const;

test.each(PATHS)("a user has 50 live views of %s at once, and others have theirs", async (_, pathOf) => {
	const closing = new AbortController();
	// What nobody holds is closed by the garbage collector.
	const held: Response[] = [];
	const open = async ({ headers }: TestPrincipal, signal = closing.signal) => {
		const response = await fetch(`${address}${pathOf()}`, { headers, signal });
		held.push(response);
		return response.status;
	};
	const reader = await server.signedIn("VIEWER");
	const first = new AbortController();
	expect(await open(reader, first.signal)).toBe(200);
	const others = await Promise.all(Array.from({ length: 49 }, () => open(reader)));
	expect(new Set(others)).toEqual(new Set([200]));
	expect(await open(reader)).toBe(429);
	expect(await open(await server.signedIn("VIEWER"))).toBe(200);
	first.abort();
	await expect.poll(() => open(reader)).toBe(200);
	closing.abort();
});

test.each(PATHS)("a live view of %s ends when its reader may see it no more", async (_, pathOf) => {
	const reader = await server.signedIn("VIEWER");
	const response = await fetch(`${address}${pathOf()}`, { headers: reader.headers });
	await server.context.db.write((transaction) =>
		transaction.deleteFrom("users").where("id", "=", reader.userId).execute(),
	);
	server.context.auth.principals.invalidate();
	expect(await response.text()).toContain('event: end\ndata: {"reason":"access_ended"}');
});
