import { FilterError, type FilterTarget, parseFilter } from "@spanward/filter-language";
import { decodeResource, decodeSpan } from "@spanward/otlp";
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
const CASES = 80;
/** Rows of a page: the first filter shows each place where a page can end, the others that pages follow each other. */
const [SMALL_PAGE, LARGE_PAGE] = [7, 40];
/** Random filters that are drawn for each that is asked, at most: some are invalid, and many select nothing. */
const MOST_DRAWN = 100;
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
			let [asked, selecting] = [0, 0];
			for (let drawn = 0; asked < cases; drawn += 1) {
				if (drawn === MOST_DRAWN * cases) throw new Error(`seed ${seed}: random filters of ${target}s select nothing`);
				const filter = drawn === 0 ? ON_PAGES : randomFilter(target, random);
				const condition = conditionOf(target, filter);
				if (condition === undefined) continue;
				const wanted = world[target].filter((row) => selects(condition, row)).map((row) => row.summary.id);
				// By chance few of them select anything; a quarter of what is asked does.
				if (wanted.length === 0 && 4 * selecting < asked) continue;
				const found = await listIds(store, project, target, filter, drawn === 0 ? SMALL_PAGE : LARGE_PAGE);
				expect(found, `seed ${seed}, ${target} filter ${filter}`).toEqual(wanted.toSorted((a, b) => a - b));
				asked += 1;
				selecting += wanted.length > 0 ? 1 : 0;
			}
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

	it("takes user and session of a span from its trace where it has none itself", async () => {
		await using store = await open();
		const project = await projectId(store);
		await store.writer.write(
			[
				testSpan({ trace: 1, span: 1, session: "s-1", user: "ann", attributes: { user_id: "sent" } }),
				testSpan({ trace: 1, span: 2, parent: 1 }),
				testSpan({ trace: 1, span: 3, parent: 1, session: "s-2", user: "bob" }),
				testSpan({ trace: 2, span: 4, start: 10 }),
			],
			[],
		);
		const spans = async (filter: string) =>
			(await allSpansBy(store, project, filter)).map((span) => Number.parseInt(span.spanId, 16));
		expect(await spans("user_id == 'ann'")).toEqual([1, 2]);
		expect(await spans("user_id in ['bob', 'nobody']")).toEqual([3]);
		expect(await spans("user_id != 'ann'")).toEqual([3]);
		expect(await spans("'NN' in user_id")).toEqual([1, 2]);
		expect(await spans("user_id is None")).toEqual([4]);
		expect(await spans("session_id == 's-1' and user_id == 'ann'")).toEqual([1, 2]);
		expect(await spans("session_id == 's-2' or session_id is None")).toEqual([3, 4]);
		expect(await spans("any(x.user_id == 'bob' for x in siblings)")).toEqual([2]);
		expect(await spans("attributes['user_id'] == 'sent'")).toEqual([1]);
		const traces = await listIds(
			store,
			project,
			"trace",
			"all(x.session_id == 's-1' for x in spans if x.user_id == 'ann')",
		);
		expect(traces).toHaveLength(2);
		expect(await listIds(store, project, "trace", "any(x.parent_span.user_id == 'ann' for x in spans)")).toHaveLength(
			1,
		);
	});

	it("takes release and environment of a span from its trace where it has none, of a trace from its root first", async () => {
		await using store = await open();
		const project = await projectId(store);
		await store.writer.write(
			[
				testSpan({ trace: 1, span: 2, parent: 1, start: 5, release: "1.0", environment: "staging" }),
				testSpan({ trace: 1, span: 3, parent: 1, start: 9, release: "1.1", environment: "production" }),
			],
			[],
		);
		await store.writer.write([testSpan({ trace: 1, span: 1, release: "2.0" }), testSpan({ trace: 2, span: 4 })], []);
		const spans = async (filter: string) =>
			(await allSpansBy(store, project, filter)).map((span) => Number.parseInt(span.spanId, 16));
		const traces = (filter: string) => listIds(store, project, "trace", filter);
		expect(await spans("release == '2.0'")).toEqual([1]);
		expect(await spans("release in ['1.0', '1.1']")).toEqual([2, 3]);
		expect(await spans("environment == 'staging'")).toEqual([1, 2]);
		expect(await spans("environment is None")).toEqual([4]);
		expect(await traces("release == '2.0' and environment == 'staging'")).toHaveLength(1);
		expect(await traces("release is None and environment is None")).toHaveLength(1);
		expect(await traces("any(x.release == '1.1' and x.environment == 'production' for x in spans)")).toHaveLength(1);
		const root = (await allSpans(store, project)).find(({ spanId }) => spanId === spanHex(1));
		await store.traces.deleteSpan(root?.id ?? 0);
		expect(await traces("release == '1.0' and environment == 'staging'")).toHaveLength(1);
	});

	it("finds spans by the key that they came with, which is called by its id", async () => {
		await using store = await open();
		const project = await projectId(store);
		const sent = [7, 8, undefined, 7].map((apiKey, index) =>
			testSpan({ trace: index + 1, span: index + 1, start: index, ...(apiKey === undefined ? {} : { apiKey }) }),
		);
		await store.writer.write(sent, []);
		const spans = async (filter: string) =>
			(await allSpansBy(store, project, filter)).map((span) => Number.parseInt(span.spanId, 16));
		const idOf = (type: string, number: number) => Buffer.from(`${type}:${number}`).toString("base64");
		const [seven, eight] = [idOf("UserApiKey", 7), idOf("SystemApiKey", 8)];
		expect(await spans(`api_key == '${seven}'`)).toEqual([1, 4]);
		expect(await spans(`api_key in ['${eight}', '${idOf("Project", 7)}', '${idOf("UserApiKey", 9)}']`)).toEqual([2]);
		expect(await spans(`api_key != '${seven}'`)).toEqual([2]);
		expect(await spans("api_key is None")).toEqual([3]);
		expect(await listIds(store, project, "trace", `any(x.api_key == '${seven}' for x in spans)`)).toHaveLength(2);
	});

	it("tells whether anything failed in a trace or a session, and what its root says", async () => {
		await using store = await open();
		const project = await projectId(store);
		await store.writer.write(
			[
				testSpan({ trace: 1, span: 1, kind: "AGENT", status: 1, session: "s" }),
				testSpan({ trace: 1, span: 2, parent: 1, kind: "TOOL", status: 2 }),
				testSpan({ trace: 2, span: 3, start: 10, kind: "AGENT", status: 1 }),
				testSpan({ trace: 3, span: 4, start: 20, kind: "CHAIN", session: "t" }),
			],
			[],
		);
		const count = async (target: FilterTarget, filter: string) =>
			(await listIds(store, project, target, filter)).length;
		expect(await count("trace", "status_code == 'error'")).toBe(1);
		expect(await count("trace", "status_code == 'OK' and root_kind == 'agent'")).toBe(1);
		expect(await count("trace", "status_code != 'UNSET'")).toBe(2);
		expect(await count("trace", "root_status_code == 'OK' and root_kind in ['AGENT', 'TOOL']")).toBe(2);
		expect(await count("session", "status_code == 'ERROR'")).toBe(1);
		expect(await count("session", "status_code == 'UNSET'")).toBe(1);
		expect(await count("session", "any(t.root_kind == 'CHAIN' for t in traces)")).toBe(1);
	});

	it("finds whole tags, attributes of resources and versions of prompts", async () => {
		await using store = await open();
		const project = await projectId(store);
		const version = Buffer.from("PromptVersion:12").toString("base64");
		await store.writer.write(
			[
				testSpan({
					trace: 1,
					span: 1,
					attributes: { "tag.tags": ["vip", "beta,2"] },
					resource: { "service.name": "shop" },
				}),
				testSpan({ trace: 1, span: 2, parent: 1, attributes: { "tag.tags": '["vip-2", "VIP"]' } }),
				testSpan({ trace: 2, span: 3, start: 10, attributes: { "tag.tags": "a, vip", resource: "mine" } }),
				testSpan({
					...{ trace: 3, span: 4, start: 20, resource: { "cloud.zone": 3 } },
					attributes: { "llm.prompt_template.version": "v2", "prompt.version.id": version },
				}),
			],
			[],
		);
		const spans = async (filter: string) =>
			(await allSpansBy(store, project, filter)).map((span) => Number.parseInt(span.spanId, 16));
		const traces = async (filter: string) => (await listIds(store, project, "trace", filter)).length;
		expect(await spans("'vip' in tags")).toEqual([1, 3]);
		expect(await spans("'VIP' in tags")).toEqual([2]);
		expect(await spans("'beta' in tags or 'beta,2' in tags")).toEqual([1]);
		expect(await spans("'vip' not in tags")).toEqual([2]);
		expect(await traces("'vip' in tags")).toBe(2);
		expect(await traces("any('VIP' in x.tags for x in spans) and 'vip' in tags")).toBe(1);
		expect(await spans("resource['service.name'] == 'shop'")).toEqual([1]);
		expect(await spans("resource['cloud']['zone'] > 2 and 'TEST' in resource['service.name']")).toEqual([]);
		expect(await spans("resource['cloud.zone'] is not None")).toEqual([4]);
		expect(await spans("attributes['resource'] == 'mine' and resource['service.name'] == 'tests'")).toEqual([3]);
		expect(await traces("resource['service.name'] == 'shop'")).toBe(1);
		expect(await spans(`prompt_version == '${version}'`)).toEqual([4]);
		expect(await spans("prompt_version is None")).toEqual([1, 2, 3]);
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
			...(random() < 0.75 ? { parent: 1 + trace * 1_000 + below(index + 1) } : {}),
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
			...(random() < 0.5 ? { resource: { region: ["Berlin", "gold", 7][below(3)] ?? 0, zones: ["a", "b"] } } : {}),
			...(random() < 0.4 ? { release: `1.${below(3)}` } : {}),
			...(random() < 0.3 ? { environment: ["production", "staging"][below(2)] ?? "" } : {}),
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
				resource: flattenAttributes(decodeResource(content.resource).attributes),
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
	pageSize = SMALL_PAGE,
): Promise<number[]> {
	const [ascending, descending] = await Promise.all([
		listIdsInOrder(store, project, target, filter, "asc", 100),
		listIdsInOrder(store, project, target, filter, "desc", pageSize),
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
