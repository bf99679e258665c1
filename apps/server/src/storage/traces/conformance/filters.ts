import { FilterError, type FilterTarget, parseFilter } from "@spanward/filter-language";
import { decodeSpan } from "@spanward/otlp";
import { expect, it } from "vitest";
import { addDerived, flattenAttributes } from "#resources/spans/flat-attributes.ts";
import { ANNOTATOR_KINDS } from "#storage/schema.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { readDerivedAttributes } from "../span-meaning.ts";
import { HOUR_0, spanHex, type TestSpan, testSpan, traceHex } from "../test-spans.ts";
import type { Page, StoredSpan } from "../trace-store.ts";
import { type AnnotationData, type SessionData, type SpanData, selects, type TraceData } from "./evaluate-filter.ts";
import { randomFilter } from "./random-filters.ts";
import { batches, randomFrom, shuffled } from "./random-spans.ts";
import {
	allPages,
	allSessions,
	allSpans,
	allTraces,
	type OpenStore,
	projectId,
	type StoreUnderTest,
} from "./store-under-test.ts";

/** What is selected by annotations is on several pages. */
const ON_PAGES = 'annotations["quality"]';
/** Random filters of each target; each run has others. */
const CASES = 500;
const TARGETS: readonly FilterTarget[] = ["span", "trace", "session"];

export function conformsInFilters(open: OpenStore, cases = CASES): void {
	it.each(TARGETS)(
		"selects the same %ss by any filter as looking at each one does",
		{ timeout: 180_000 },
		async (target) => {
			const seed = Math.floor(Math.random() * 1e9);
			const random = randomFrom(seed);
			await using store = await open();
			const project = await projectId(store);
			for (const batch of batches(randomTrees(random), 40, random)) await store.writer.write(batch, []);
			await annotate(store, project, random);
			const world = await readWorld(store, project);
			let matches = 0;
			for (let number = 0; number < cases; number += 1) {
				const filter = number === 0 ? ON_PAGES : randomFilter(target, random);
				const condition = conditionOf(target, filter);
				if (condition === undefined) continue;
				const wanted = world[target].filter((row) => selects(condition, row)).map((row) => row.summary.id);
				const found = await listIds(store, project, target, filter);
				expect(found, `seed ${seed}, ${target} filter ${filter}`).toEqual(wanted.toSorted((a, b) => a - b));
				matches += wanted.length;
			}
			expect(matches).toBeGreaterThan(cases);
		},
	);

	it("selects by each field of the schemas, and never by missing values", async () => {
		await using store = await open();
		const project = await projectId(store);
		await store.writer.write(
			[
				testSpan({
					trace: 1,
					span: 1,
					duration: 5_000,
					name: "root",
					kind: "AGENT",
					session: "s",
					user: "u",
					input: "Hello there",
				}),
				testSpan({ trace: 1, span: 2, parent: 1, kind: "LLM", status: 2, tokens: { prompt: 3, completion: 4 } }),
				testSpan({
					trace: 2,
					span: 3,
					parent: 9,
					start: 10,
					attributes: { tier: "gold", plan: "Gold Plus", tries: 3, metadata: '{"vip":true,"owner":"Ünal BAUER"}' },
				}),
			],
			[],
		);
		const spans = async (filter: string) =>
			(await allSpansBy(store, project, filter)).map((span) => Number.parseInt(span.spanId, 16));
		expect(await spans("parent_span is None")).toEqual([1, 3]);
		expect(await spans("parent_id is None")).toEqual([1]);
		expect(await spans(`span_id == '${spanHex(2).toUpperCase()}'`)).toEqual([2]);
		expect(await spans(`context.trace_id in ['${traceHex(1)}']`)).toEqual([1, 2]);
		expect(await spans("span_kind == 'llm' and status_code == 'error'")).toEqual([2]);
		expect(await spans("1 < latency_ms <= 5")).toEqual([1]);
		expect(await spans("tier == 'gold'")).toEqual([3]);
		expect(await spans("plan == 'Gold Plus' and 'gold p' in plan")).toEqual([3]);
		expect(await spans("plan == 'gold plus'")).toEqual([]);
		expect(await spans("metadata['owner'] == 'Ünal BAUER'")).toEqual([3]);
		expect(await spans("not (tier == 'silver')")).toEqual([3]);
		expect(await spans("tier != 'gold' or tier is None")).toEqual([1, 2]);
		expect(await spans("metadata['vip'] is True and attributes['tries'] > 2")).toEqual([3]);
		expect(await spans("metadata['vip'] is not True")).toEqual([1, 2]);
		expect(await spans("'hello' in input.value")).toEqual([1]);
		expect(await spans("cumulative_token_count.total == 7")).toEqual([1, 2]);
		expect(await spans("tries / 0 > 1 or tries % 2 == 1")).toEqual([3]);
		expect(await spans(`start_time >= '${new Date(HOUR_0 / 1_000).toISOString()}'`)).toEqual([1, 2, 3]);
	});

	it("finds a rare word in an attribute, in indexed blocks and in others", async () => {
		await using store = await open();
		const project = await projectId(store);
		const spans = Array.from({ length: 400 }, (_, index) =>
			testSpan({
				trace: 1 + index,
				span: index + 1,
				start: index,
				attributes: { customer: index === 7 ? "Zebra-7" : "horse" },
			}),
		);
		await store.writer.write(spans.slice(0, 200), []);
		await store.writer.write(spans.slice(200), []);
		const ids = async (filter: string) =>
			(await allSpansBy(store, project, filter)).map((span) => Number.parseInt(span.spanId, 16));
		expect(await ids("attributes['customer'] == 'Zebra-7'")).toEqual([8]);
		expect(await ids("'zebra' in attributes['customer'] and latency_ms >= 0")).toEqual([8]);
		expect(await ids("attributes['customer'] != 'horse'")).toEqual([8]);
	});

	it("compares no bytes, as the text that they are shown as is in no index", async () => {
		await using store = await open();
		const project = await projectId(store);
		const attributes = { checksum: new Uint8Array(Buffer.from("a checksum")) };
		await store.writer.write([testSpan({ attributes }), testSpan({ span: 2, attributes: { checksum: "none" } })], []);
		const ids = async (filter: string) =>
			(await allSpansBy(store, project, filter)).map((span) => Number.parseInt(span.spanId, 16));
		const shown = Buffer.from("a checksum").toString("base64");
		expect(await ids(`attributes['checksum'] == '${shown}'`)).toEqual([]);
		expect(await ids(`attributes['checksum'] != '${shown}'`)).toEqual([2]);
		expect(await ids(`not ('${shown.slice(0, 6)}' in attributes['checksum'])`)).toEqual([1, 2]);
		expect(await ids("not (attributes['checksum'] == 'none')")).toEqual([]);
		expect(await ids("attributes['checksum'] is not None")).toEqual([1, 2]);
	});
}

function conditionOf(target: FilterTarget, filter: string) {
	try {
		return parseFilter(target, filter).condition;
	} catch (error) {
		// The random expression is invalid, such as a sum of annotations.
		if (error instanceof FilterError) return undefined;
		throw error;
	}
}

/** Trees without cycles, since cumulative sums of cycles are undefined. */
function randomTrees(random: () => number): NormalizedSpan[] {
	const below = (limit: number) => Math.floor(random() * limit);
	const spans = Array.from({ length: 160 }, (_, index): TestSpan => {
		const trace = 1 + below(24);
		const cost = below(64) / 1_024;
		const optional: TestSpan = {
			...(random() < 0.75 ? { parent: 1 + trace * 1_000 + below(index + 2) } : {}),
			...(random() < 0.5 ? { model: `model-${below(3)}` } : {}),
			...(random() < 0.5 ? { tokens: randomTokens(below, random) } : {}),
			...(random() < 0.5
				? {
						cost: {
							total: 2 * cost,
							prompt: cost,
							completion: cost,
							...(random() < 0.5 ? { cache_read: cost / 2 } : {}),
							source: "table",
						},
					}
				: {}),
			...(trace < 16 ? { session: `session-${trace % 5}` } : {}),
			...(random() < 0.4 ? { user: `user-${below(3)}` } : {}),
			...(random() < 0.4 ? { input: `Question ${below(20)}` } : {}),
			...(random() < 0.4 ? { output: `answer ${below(20)}` } : {}),
		};
		return {
			trace,
			span: 1 + trace * 1_000 + index,
			start: below(5) * 1_000,
			startNanos: below(2),
			duration: below(60) * 1_000,
			name: `step ${below(4)}`,
			kind: (["LLM", "TOOL", "CHAIN", "UNKNOWN"] as const)[below(4)] ?? "CHAIN",
			status: ([0, 1, 2] as const)[below(3)] ?? 0,
			aggregate: random() < 0.1,
			attributes: randomAttributes(below, random),
			...optional,
		};
	});
	return shuffled(spans.map(testSpan), random);
}

function randomTokens(below: (limit: number) => number, random: () => number) {
	const prompt = below(30);
	return {
		prompt,
		...(random() < 0.7 ? { completion: below(30) } : {}),
		...(random() < 0.5 ? { total: below(90) } : {}),
		...(random() < 0.3 ? { cache_read: Math.floor(prompt / 2) } : {}),
	};
}

function randomAttributes(below: (limit: number) => number, random: () => number) {
	const scalar = (): string | number | boolean =>
		[below(8), below(8) / 4, random() < 0.5, ["gold", "7", "Berlin", "Ünsterblich blue", "", "true"][below(6)] ?? ""][
			below(4)
		] ?? 0;
	return {
		...(random() < 0.5 ? { tier: scalar() } : {}),
		...(random() < 0.4 ? { tries: scalar() } : {}),
		...(random() < 0.4 ? { vip: random() < 0.7 ? random() < 0.5 : scalar() } : {}),
		...(random() < 0.3 ? { "tag.tags": Array.from({ length: below(3) }, scalar) } : {}),
		...(random() < 0.3
			? { metadata: JSON.stringify({ city: scalar(), age: below(90), deep: { list: [1, { a: "Berlin" }] } }) }
			: {}),
		...(random() < 0.2 ? { metadata: "no JSON at all" } : {}),
		...(random() < 0.2 ? { "gen_ai.operation.name": "chat", "gen_ai.request.model": `model-${below(3)}` } : {}),
	};
}

async function annotate(store: StoreUnderTest, project: number, random: () => number): Promise<void> {
	const below = (limit: number) => Math.floor(random() * limit);
	const spans = await allSpans(store, project);
	const traces = await allTraces(store, project);
	const sessions = await allSessions(store, project);
	const one = (target: FilterTarget, row: { id: number }, name: string, identifier: string) => {
		const span = spans.find((item) => target === "span" && item.id === row.id);
		return {
			target,
			target_row_id: row.id,
			project_id: project,
			span_row_id: target === "span" ? row.id : null,
			trace_row_id: target === "trace" ? row.id : (span?.traceRowId ?? null),
			session_row_id: target === "session" ? row.id : null,
			name,
			identifier,
			annotator_kind: ANNOTATOR_KINDS[below(ANNOTATOR_KINDS.length)] ?? "CODE",
			label: random() < 0.6 ? (["good", "bad", "gold"][below(3)] ?? null) : null,
			score: random() < 0.7 ? below(8) / 4 : null,
			explanation: random() < 0.5 ? "Looks good" : null,
			metadata: "{}",
			source: "API" as const,
			user_id: null,
			created_at: 1,
			updated_at: 1,
		};
	};
	const rows = TARGETS.flatMap((target) => {
		const items = target === "span" ? spans : target === "trace" ? traces : sessions;
		return items.flatMap((row) =>
			["quality", "tone"].flatMap((name) =>
				["", "again"].filter(() => random() < 0.3).map((identifier) => one(target, row, name, identifier)),
			),
		);
	});
	await store.db.write(async (transaction) => {
		for (const row of rows) await transaction.insertInto("annotations").values(row).execute();
	});
}

async function readWorld(store: StoreUnderTest, project: number) {
	const annotations = await store.db.read
		.selectFrom("annotations")
		.selectAll()
		.where("project_id", "=", project)
		.execute();
	const annotationsOf = (target: FilterTarget, id: number): AnnotationData[] =>
		annotations
			.filter((row) => row.target === target && row.target_row_id === id)
			.map((row) => ({ kind: "annotation", ...row }));
	const stored = await allPages<StoredSpan>(
		(from): Promise<Page<StoredSpan>> =>
			store.traces.listStoredSpans({
				projectId: project,
				sort: "id",
				order: "asc",
				limit: 500,
				...(from ? { from } : {}),
			}),
	);
	const cumulative = await store.traces.findCumulative(stored.map(({ summary }) => summary));
	const span: SpanData[] = [];
	const trace = (await allTraces(store, project)).map((summary): TraceData => {
		const spans: SpanData[] = [];
		const data: TraceData = { kind: "trace", summary, spans, annotations: annotationsOf("trace", summary.id) };
		for (const { summary: own, content } of stored.filter((item) => item.summary.traceRowId === summary.id)) {
			const attributes = flattenAttributes(decodeSpan(content.span).attributes);
			addDerived(attributes, readDerivedAttributes(content));
			const sums = cumulative.get(own.id);
			if (sums === undefined) throw new Error("a span has no cumulative totals");
			spans.push({
				kind: "span",
				summary: own,
				cumulative: sums,
				attributes,
				annotations: annotationsOf("span", own.id),
				trace: data,
			});
		}
		span.push(...spans);
		return data;
	});
	const session = (await allSessions(store, project)).map((summary): SessionData => {
		const traces = trace
			.filter((item) => item.summary.sessionRowId === summary.id)
			.toSorted(
				({ summary: a }, { summary: b }) =>
					a.start.micros - b.start.micros || a.start.nanos - b.start.nanos || (a.traceId < b.traceId ? -1 : 1),
			);
		return { kind: "session", summary, traces, annotations: annotationsOf("session", summary.id) };
	});
	return { span, trace, session };
}

async function listIds(
	store: StoreUnderTest,
	project: number,
	target: FilterTarget,
	filter: string,
): Promise<number[]> {
	const [ascending, descending] = await Promise.all([
		listIdsInOrder(store, project, target, filter, "asc", 100),
		listIdsInOrder(store, project, target, filter, "desc", 7),
	]);
	expect(descending, filter).toEqual(ascending);
	return ascending;
}

async function listIdsInOrder(
	store: StoreUnderTest,
	project: number,
	target: FilterTarget,
	filter: string,
	order: "asc" | "desc",
	limit: number,
): Promise<number[]> {
	const { condition } = parseFilter(target, filter);
	const query = {
		projectId: project,
		order,
		limit,
		...(condition === undefined ? {} : { condition }),
	};
	const items: readonly { id: number }[] = await allPages<{ id: number }>((at) => {
		const from = at === undefined ? {} : { from: at };
		if (target === "span") return store.traces.listSpans({ ...query, sort: "id", ...from });
		if (target === "session") return store.traces.listSessions({ ...query, sort: "id", ...from });
		return store.traces.listTraces({ ...query, sort: "start_time", ...(at === undefined ? {} : { after: at }) });
	});
	return items.map(({ id }) => id).sort((a, b) => a - b);
}

async function allSpansBy(store: StoreUnderTest, project: number, filter: string) {
	const ids = new Set(await listIds(store, project, "span", filter));
	return (await allSpans(store, project)).filter((span) => ids.has(span.id));
}
