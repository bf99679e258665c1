import { DatabaseSync } from "node:sqlite";
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

test("accepts costs beyond 53 bits of picodollars, even if they were summed in one number", async () => {
	await using store = await openTestStore();
	const cost = { total: 200.1, source: "sent" } as const;
	await store.writer.write([testSpan({ session: "s", cost }), testSpan({ trace: 2, session: "s", cost })], []);
	const { path } = store.storage.writerOptions;
	const db = new DatabaseSync(path);
	for (const table of ["traces", "sessions", "hours"])
		db.exec(`update ${table} set cost_pico = cost_pico + cost_micro * 1000000, cost_micro = 0`);
	db.close();
	const dear = Array.from({ length: 60 }, (_, index) =>
		testSpan({ trace: 1 + (index % 4), span: 2 + index, session: "s", cost }),
	);
	await store.writer.write(dear, []);
	const dearest = { total: 999_999_999.999_999, source: "sent" } as const;
	await store.writer.write([testSpan({ trace: 9, session: "t", cost: dearest })], []);
	expect(checkIntegrity(path)).toEqual([]);
});

test("names a cost that is a picodollar too high", async () => {
	await using store = await openTestStore();
	const cost = { total: 12_345.678901, source: "sent" } as const;
	await store.writer.write([testSpan({ session: "s", cost })], []);
	const { path } = store.storage.writerOptions;
	const db = new DatabaseSync(path);
	// Sessions are compared with the rows of their traces, so there are two findings.
	for (const [table, more] of Object.entries({ traces: 1, sessions: 2, hours: 1 }))
		db.exec(`update ${table} set cost_pico = cost_pico + ${more}`);
	db.close();
	const wrong = checkIntegrity(path).join("\n");
	for (const table of ["traces", "sessions", "hours"])
		expect(wrong).toMatch(new RegExp(`^${table} has other totals`, "m"));
});

test("names annotations that are not where their span is", async () => {
	await using store = await openTestStore();
	await store.writer.write([testSpan({})], []);
	await insertAnnotation(store, { on: "span", name: "astray" });
	await store.db.write((transaction) => transaction.updateTable("annotations").set({ project_id: 99 }).execute());
	expect(checkIntegrity(store.storage.writerOptions.path)).toContain(
		"1 annotations of spans are not where their span is",
	);
});

test("names totals that differ from the spans, and missing content, and changes nothing", async () => {
	await using store = await openTestStore();
	const usage = { kind: "LLM", model: "gpt-4o-mini", tokens: { prompt: 3, total: 3 } } as const;
	for (const trace of [1, 2, 3])
		await store.writer.write(
			[testSpan({ trace, session: "s", ...usage }), testSpan({ trace, span: 2, parent: 1 })],
			[],
		);
	const { path } = store.storage.writerOptions;
	expect(checkIntegrity(path)).toEqual([]);
	const db = new DatabaseSync(path);
	db.exec(`
		update traces set tokens_prompt = 99 where id = 1;
		update sessions set error_count = 7;
		update spans set flags = flags + 1 where id = 5;
		update hours set span_count = 70 where kind = (select kind from spans where id = 1);
		update spend set tokens = 80;
		update blocks set data = x'00' where id = 3;
	`);
	const dump = () =>
		["traces", "sessions", "spans", "hours", "spend"].map((table) => db.prepare(`select * from ${table}`).all());
	const before = dump();
	const wrong = checkIntegrity(path).join("\n");
	expect(dump()).toEqual(before);
	db.close();
	for (const sentence of [
		/^block 3 cannot be read/m,
		/^traces has .*"id":1,/m,
		/^sessions has/m,
		/^spans has .*"id":5,/m,
	])
		expect(wrong).toMatch(sentence);
	expect(wrong).toMatch(/^hours has .*"span_count":70/m);
	expect(wrong).toMatch(/^spend has .*"tokens":80/m);
	expect(wrong).not.toMatch(/^traces has .*"id":2,/m);
});
