import { expect, test } from "vitest";
import { insertAnnotation } from "../conformance/annotations.ts";
import { randomFrom } from "../conformance/random-spans.ts";
import { allSpans, allTraces, projectId } from "../conformance/store-under-test.ts";
import { testSpan } from "../test-spans.ts";
import { checkIntegrity } from "./check-integrity.ts";
import { openTestStore } from "./test-store.ts";

test.each([1, 2])(
	"finds nothing wrong with annotations after traces were moved, merged and deleted (seed %i)",
	async (seed) => {
		const random = randomFrom(seed);
		const some = (count: number) => Math.floor(random() * count);
		await using store = await openTestStore();
		for (const project of ["default", "other"]) {
			const spans = Array.from({ length: 40 }, (_, index) => {
				const trace = 1 + (index % 8);
				return testSpan({ project, trace, span: 1 + some(20), start: some(3), session: `s${trace % 3}` });
			});
			await store.writer.write(spans, []);
			for (const row of await allSpans(store, await projectId(store, project))) {
				const at = { project, trace: Number.parseInt(row.traceId, 16), span: Number.parseInt(row.spanId, 16) };
				const session = `s${at.trace % 3}`;
				const on = (["span", "trace", "session", "document"] as const)[some(4)] ?? "span";
				await insertAnnotation(store, { ...at, on, session, name: `${row.id}`, updated: some(9) });
			}
		}
		const projects = [await projectId(store), await projectId(store, "other")];
		for (let round = 0; round < 6; round += 1) {
			const [from = 0, to = 0] = random() < 0.5 ? projects : projects.toReversed();
			const traces = await allTraces(store, from);
			const trace = traces[some(traces.length)];
			if (trace === undefined) continue;
			if (round % 3 === 2) await store.traces.deleteTrace(trace.id);
			else await store.traces.transferTraces([trace.id], to);
		}
		expect(checkIntegrity(store.storage.writerOptions.path)).toEqual([]);
	},
);

test("names annotations that are not where their span is", async () => {
	await using store = await openTestStore();
	await store.writer.write([testSpan({})], []);
	await insertAnnotation(store, { on: "span", name: "astray" });
	await store.db.write((transaction) => transaction.updateTable("annotations").set({ project_id: 99 }).execute());
	expect(checkIntegrity(store.storage.writerOptions.path)).toContain(
		"1 annotations of spans are not where their span is",
	);
});
