import { stat } from "node:fs/promises";
import { expect, it } from "vitest";
import { projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testSpan } from "#storage/traces/test-spans.ts";
import { openTestStore } from "../test-store.ts";

it("returns the space of deleted traces and of the log to the file system", async () => {
	await using store = await openTestStore();
	const noise = () => Array.from({ length: 900 }, () => Math.random().toString(36)).join(" ");
	for (let trace = 1; trace <= 20; trace += 1) {
		const spans = Array.from({ length: 50 }, (_, span) =>
			testSpan({ trace, span: span + 1, attributes: { noise: noise() } }),
		);
		await store.writer.write(spans, []);
	}
	const { path } = store.storage.writerOptions;
	const size = async () => (await stat(path)).size;
	await store.traces.deleteTracesBetween(await projectId(store), 0, Number.MAX_SAFE_INTEGER);
	const log = async () => (await stat(`${path}-wal`)).size;
	// The deletion wakes the upkeep.
	await expect.poll(size).toSatisfy((bytes: number) => bytes > 0 && bytes < 8_000_000);
	await expect.poll(log).toBe(0);
});
