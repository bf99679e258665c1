import { expect, it } from "vitest";
import { present } from "#base/present.ts";
import type { ReviewTarget } from "#storage/schema.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { HOUR_0, testSpan, traceHex } from "../test-spans.ts";
import type { RetentionRule } from "../trace-store.ts";
import {
	allSessions,
	allTraces,
	expectTotals,
	type OpenStore,
	projectId,
	type StoreUnderTest,
} from "./store-under-test.ts";

export function conformsInRetention(open: OpenStore): void {
	it("deletes exactly the traces that started before a time, as the preview says", async () => {
		await using store = await open();
		const spans = Array.from({ length: 40 }, (_, index) =>
			testSpan({ trace: index + 1, start: index, session: index < 30 ? "old" : `s${index}`, tokens: { prompt: 1 } }),
		);
		const other = testSpan({ project: "other", trace: 1 });
		await store.writer.write([...spans, other], []);
		const rule = { projectId: await projectId(store), beforeMicros: HOUR_0 + 30, keepAnnotated: true };
		expect(await store.traces.previewRetention(rule)).toMatchObject({
			total: 40,
			expired: 30,
			kept: 0,
			oldestMicros: HOUR_0,
			newestMicros: HOUR_0 + 29,
			first: Array.from({ length: 10 }, (_, index) => ({ traceId: traceHex(index + 1) })),
		});
		expect(await expire(store, rule)).toEqual({ deleted: 30, kept: 0 });
		await expectTotals(store, [...spans.slice(30), other], ["default", "other"]);
		expect(await allSessions(store, rule.projectId)).toHaveLength(10);
		expect(await store.traces.previewRetention(rule)).toMatchObject({ total: 10, expired: 0, oldestMicros: null });
	});

	it("keeps exactly the given number of newest traces, also when several start together", async () => {
		await using store = await open();
		const spans = Array.from({ length: 20 }, (_, index) =>
			testSpan({ trace: index + 1, start: index < 10 ? 5 : 7, duration: index % 3 }),
		);
		await store.writer.write(spans, []);
		const project = await projectId(store);
		for (const keepNewest of [30, 20, 14, 10, 3]) {
			const before = (await allTraces(store, project)).length;
			const rule = { projectId: project, keepNewest, keepAnnotated: false };
			const expired = Math.max(before - keepNewest, 0);
			expect(await store.traces.previewRetention(rule)).toMatchObject({ expired });
			expect(await expire(store, rule)).toEqual({ deleted: expired, kept: 0 });
			const left = await allTraces(store, project);
			expect(left).toHaveLength(Math.min(before, keepNewest));
			if (keepNewest <= 10) expect(new Set(left.map(({ start }) => start.micros))).toEqual(new Set([HOUR_0 + 7]));
		}
	});

	it("deletes what either limit expires", async () => {
		await using store = await open();
		await store.writer.write(
			Array.from({ length: 10 }, (_, index) => testSpan({ trace: index + 1, start: index })),
			[],
		);
		const project = await projectId(store);
		const starts = async () => (await allTraces(store, project)).map(({ start }) => start.micros - HOUR_0);
		await expire(store, { projectId: project, beforeMicros: HOUR_0 + 2, keepNewest: 5, keepAnnotated: false });
		expect(await starts()).toEqual([5, 6, 7, 8, 9]);
		await expire(store, { projectId: project, beforeMicros: HOUR_0 + 8, keepNewest: 5, keepAnnotated: false });
		expect(await starts()).toEqual([8, 9]);
	});

	it("deletes nothing when a rule has no limit", async () => {
		await using store = await open();
		await store.writer.write([testSpan({})], []);
		const rule = { projectId: await projectId(store), keepAnnotated: false };
		expect(await store.traces.previewRetention(rule)).toMatchObject({ total: 1, expired: 0, first: [] });
		expect(await expire(store, rule)).toEqual({ deleted: 0, kept: 0 });
	});

	it("keeps traces that are annotated: themselves, a span, a document, or their session", async () => {
		await using store = await open();
		const spans = [
			...[1, 2, 3, 4].map((trace) => testSpan({ trace, span: trace })),
			testSpan({ trace: 5, span: 5, session: "liked" }),
			testSpan({ trace: 6, span: 6, session: "liked", start: 1 }),
			testSpan({ trace: 7, span: 7, session: "plain" }),
		];
		await store.writer.write(spans, []);
		const project = await projectId(store);
		const traces = new Map((await allTraces(store, project)).map((trace) => [trace.traceId, trace]));
		await annotate(store, "trace", { trace_row_id: traces.get(traceHex(1))?.id });
		await annotate(store, "span", { trace_row_id: traces.get(traceHex(2))?.id, span: spans[1] });
		await annotate(store, "document", { trace_row_id: traces.get(traceHex(3))?.id, span: spans[2] });
		await annotate(store, "session", { session_row_id: traces.get(traceHex(5))?.sessionRowId ?? undefined });

		const rule = { projectId: project, beforeMicros: HOUR_0 + 10, keepAnnotated: true };
		expect(await store.traces.previewRetention(rule)).toMatchObject({
			expired: 2,
			kept: 5,
			first: [{ traceId: traceHex(4) }, { traceId: traceHex(7) }],
		});
		expect(await expire(store, rule)).toEqual({ deleted: 2, kept: 5 });
		await expectTotals(
			store,
			spans.filter(({ traceId }) => traceId !== traceHex(4) && traceId !== traceHex(7)),
		);
		expect(await expire(store, { ...rule, keepAnnotated: false })).toEqual({ deleted: 5, kept: 0 });
		const left = await store.db.read.selectFrom("annotations").select("id").execute();
		expect(left).toEqual([]);
	});

	it("keeps what is to be reviewed like what is annotated, as long as the queue is not archived", async () => {
		await using store = await open();
		const spans = [
			...[1, 2, 3].map((trace) => testSpan({ trace, span: trace })),
			testSpan({ trace: 4, span: 4, session: "reviewed" }),
			testSpan({ trace: 5, span: 5, session: "reviewed", start: 1 }),
			testSpan({ trace: 6, span: 6, session: "numbered like a run" }),
		];
		await store.writer.write(spans, []);
		const project = await projectId(store);
		const traces = new Map((await allTraces(store, project)).map((trace) => [trace.traceId, trace]));
		const trace = (number: number) => present(traces.get(traceHex(number)), "a trace");
		const queue = await reviewQueue(store, "trace");
		await review(store, queue, { project_id: project, target_row_id: trace(1).id, trace_row_id: trace(1).id });
		const archived = await reviewQueue(store, "trace", 1);
		await review(store, archived, { project_id: project, target_row_id: trace(2).id, trace_row_id: trace(2).id });
		const session = present(trace(4).sessionRowId, "a session");
		const ofSessions = await reviewQueue(store, "session");
		await review(store, ofSessions, { project_id: project, target_row_id: session, trace_row_id: null });
		const other = present(trace(6).sessionRowId, "a session");
		const ofRuns = await reviewQueue(store, "experiment_run");
		await review(store, ofRuns, { project_id: project, target_row_id: other, trace_row_id: null });
		const rule = { projectId: project, beforeMicros: HOUR_0 + 10, keepAnnotated: true };
		expect(await store.traces.previewRetention(rule)).toMatchObject({ expired: 3, kept: 3 });
		expect(await expire(store, rule)).toEqual({ deleted: 3, kept: 3 });
		const left = (await allTraces(store, project)).map(({ traceId }) => traceId);
		expect(left.toSorted()).toEqual([1, 4, 5].map(traceHex));
	});

	it("continues batch by batch, past large and kept traces, until it is told to stop", async () => {
		await using store = await open();
		const spans = Array.from({ length: 1_300 }, (_, index) => testSpan({ trace: index + 1, span: 1, start: index }));
		const large = Array.from({ length: 2_500 }, (_, index) => testSpan({ trace: 5_000, span: index + 1, start: 600 }));
		await store.writer.write([...spans, ...large], []);
		const project = await projectId(store);
		const rule: RetentionRule = { projectId: project, beforeMicros: HOUR_0 + 1_200, keepAnnotated: true };
		const [first] = await allTraces(store, project);
		await annotate(store, "trace", { trace_row_id: first?.id });

		let batches = 0;
		await store.traces.deleteExpired(rule, async () => ++batches < 2);
		expect(batches).toBe(2);
		const left = (await allTraces(store, project)).length;
		expect(left).toBeGreaterThan(101);
		expect(left).toBeLessThan(1_301);
		expect(await expire(store, rule)).toEqual({ deleted: left - 101, kept: 1 });
		await expectTotals(store, [...spans.slice(0, 1), ...spans.slice(1_200)]);
	});
}

async function expire(store: StoreUnderTest, rule: RetentionRule): Promise<{ deleted: number; kept: number }> {
	const sum = { deleted: 0, kept: 0 };
	await store.traces.deleteExpired(rule, async ({ deleted, kept }) => {
		sum.deleted += deleted;
		sum.kept += kept;
		return true;
	});
	return sum;
}

async function annotate(
	store: StoreUnderTest,
	target: "span" | "trace" | "session" | "document",
	{
		span,
		...rows
	}: { trace_row_id?: number | undefined; session_row_id?: number | undefined; span?: NormalizedSpan | undefined },
): Promise<void> {
	const [stored] = span === undefined ? [] : await store.traces.findSpansBySpanId(span.spanId);
	const spanRow = stored?.summary.id;
	const own = { trace_row_id: rows.trace_row_id ?? null, session_row_id: rows.session_row_id ?? null };
	await store.db.write((transaction) =>
		transaction
			.insertInto("annotations")
			.values({
				target,
				target_row_id: spanRow ?? own.trace_row_id ?? own.session_row_id ?? 0,
				document_position: target === "document" ? 0 : -1,
				project_id: 1,
				span_row_id: spanRow ?? null,
				...own,
				name: "quality",
				identifier: "",
				annotator_kind: "HUMAN",
				label: null,
				score: 1,
				explanation: null,
				metadata: "{}",
				source: "API",
				user_id: null,
				created_at: 0,
				updated_at: 0,
			})
			.execute(),
	);
}

async function reviewQueue(
	store: StoreUnderTest,
	target: ReviewTarget,
	archived_at: number | null = null,
): Promise<number> {
	const { id } = await store.db.write((transaction) =>
		transaction
			.insertInto("review_queues")
			.values({
				...{ name: `${target} ${archived_at}`, description: null, guidance: null, target, questions: "[]" },
				...{ reviews_required: 1, reviewers: null, adjudicators: "[]", blind: 0, item_order: "oldest", seed: 1 },
				...{ lease_minutes: 15, due_at: null, archived_at, created_by: null, created_at: 1, updated_at: 1 },
			})
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	return id;
}

async function review(
	store: StoreUnderTest,
	queue_id: number,
	target: { readonly project_id: number; readonly target_row_id: number; readonly trace_row_id: number | null },
): Promise<void> {
	const more = { target_id: "t", priority: 0, random_rank: 0, decision: null, decided_by: null, decided_at: null };
	await store.db.write((transaction) =>
		transaction
			.insertInto("review_items")
			.values({ queue_id, ...target, ...more, created_at: 1, updated_at: 1 })
			.execute(),
	);
}
