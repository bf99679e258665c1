import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "./server.ts";

const ROOT = join(import.meta.dirname, "..");

interface Operation {
	readonly method: string;
	readonly path: string;
	readonly outOfScope?: string;
}

test("every operation that released clients know is there, but those that are no part of this service", async () => {
	const operations: readonly Operation[] = JSON.parse(
		await readFile(join(ROOT, "scripts/client-operations.json"), "utf8"),
	);
	const inScope = operations.filter(({ outOfScope }) => outOfScope === undefined);
	const page = await readFile(join(ROOT, "docs/api-coverage.md"), "utf8");
	const there = new Set(
		Array.from(page.matchAll(/^\| \w+ \| (\w+) \| `([^`]+)` \| yes \|$/gm), ([, method, path]) => `${method} ${path}`),
	);
	expect(inScope.length).toBeGreaterThan(100);
	expect(inScope.filter(({ method, path }) => !there.has(`${method} ${path}`))).toEqual([]);
});

test("none of them is an unknown path to a running server", async () => {
	await using server = await startServer({ authentication: true });
	const operations: readonly Operation[] = JSON.parse(
		await readFile(join(ROOT, "scripts/client-operations.json"), "utf8"),
	);
	const unknown = await server.fetch("/v1/nothing-of-this-name");
	const unknownText = await unknown.text();
	const missing: string[] = [];
	for (const { method, path, outOfScope } of operations) {
		if (outOfScope !== undefined || method !== "GET" || !path.startsWith("/v1/")) continue;
		const response = await server.fetch(path.replace(/\{\w+\}/g, "none"));
		if ((await response.text()) === unknownText) missing.push(path);
	}
	expect(unknown.status).toBe(404);
	expect(missing).toEqual([]);
});
