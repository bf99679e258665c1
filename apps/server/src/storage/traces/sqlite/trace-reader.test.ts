import { DatabaseSync, type StatementSync } from "node:sqlite";
import { expect, test } from "vitest";
import { allTraces, projectId } from "../conformance/store-under-test.ts";
import { spanHex, testSpan, traceHex } from "../test-spans.ts";
import { openTestStore } from "./test-store.ts";
import { SqliteTraceReader } from "./trace-reader.ts";

/** Keeps the statements that it prepares. */
class RecordingDatabase extends DatabaseSync {
	readonly statements = new Set<string>();

	override prepare(sql: string): StatementSync {
		this.statements.add(sql);
		return super.prepare(sql);
	}

	/** The steps of their plans that read a whole project, or more. */
	slowSteps(): { readonly step: string; readonly sql: string }[] {
		return [...this.statements].flatMap((sql) => {
			const plan = super.prepare(`explain query plan ${sql}`).all();
			const steps = plan.map(({ detail }) => String(detail)).filter((detail) => LARGE_TABLE.test(detail));
			return steps.filter((step) => WHOLE_PROJECT.test(step)).map((step) => ({ step, sql }));
		});
	}
}

const LARGE_TABLE = /^(SCAN|SEARCH) (traces|spans|sessions|blocks)\b/;
/** But not the spans of a block, whose numbers follow one another. */
const WHOLE_PROJECT = /^SCAN|INDEX \w+_by_(start|project)\b(?!.* AND rowid>\? AND rowid<\?\))/;

test("what is looked up by its id is not looked for among all of a project", async () => {
	await using store = await openTestStore();
	const spans = [1, 2, 3].map((number) => testSpan({ trace: number, span: number, session: "s" }));
	await store.writer.write(spans, []);
	const project = await projectId(store);
	const [trace] = await allTraces(store, project);
	const id = trace?.id ?? 0;
	using db = new RecordingDatabase(store.storage.writerOptions.path, { readOnly: true });
	const reader = new SqliteTraceReader(db);
	expect([
		reader.findTrace(id)?.id,
		reader.findTraces([id]).length,
		reader.findTracesByTraceIds([traceHex(1), traceHex(2)]).length,
		reader.findTracesByTraceIds([traceHex(1)], project).length,
		reader.listTraceSpans(id, { limit: 10 }).items.length,
		reader.findSpan(1)?.summary.id,
		reader.findSpansBySpanId(spanHex(1)).length,
		reader.findSpansBySpanId(spanHex(1), { projectId: project }).length,
		reader.findSpansBySpanId(spanHex(1), { projectId: project, traceId: traceHex(1) }).length,
		reader.findExistingSpans(project, [{ traceId: traceHex(1), spanId: spanHex(1) }]).length,
		reader.findSession(1)?.id,
		reader.findSessionsBySessionId("s").length,
		reader.findSessionsBySessionId("s", project).length,
		reader.listSessionTraces([1]).length,
	]).toEqual([id, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3]);
	expect(db.statements.size).toBeGreaterThan(10);
	expect(db.slowSteps()).toEqual([]);
});

test("lists that a word or an id narrows to few rows are not read in their order", async () => {
	await using store = await openTestStore();
	const spans = [1, 2, 3].map((number) =>
		testSpan({ trace: number, span: number, session: `s${number}`, input: number === 2 ? "zugvogel" : "common" }),
	);
	await store.writer.write(spans, []);
	const all = { projectId: await projectId(store), limit: 10, order: "desc" } as const;
	const list = { ...all, text: "zugvogel" };
	using db = new RecordingDatabase(store.storage.writerOptions.path, { readOnly: true });
	const reader = new SqliteTraceReader(db);
	const found = [
		reader.listSpans({ ...list, sort: "id" }),
		reader.listSpans({ ...list, sort: "start_time", error: false, startMicros: 0 }),
		reader.listSpans({ ...all, sort: "start_time", spanIds: [spanHex(2)] }),
		reader.listTraces({ ...list, sort: "start_time" }),
		reader.listTraces({ ...list, sort: "latency_ms", error: false }),
		reader.listSessions({ ...list, sort: "id" }),
		reader.listSessions({ ...list, sort: "start_time", startMicros: 0 }),
	];
	expect(found.map(({ items }) => items.length)).toEqual([1, 1, 1, 1, 1, 1, 1]);
	expect(db.slowSteps()).toEqual([]);
});
