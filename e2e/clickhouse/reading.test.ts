import { type FilterTarget, parseFilter } from "@spanward/filter-language";
import { afterAll, beforeAll, expect } from "vitest";
import { types } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import { type StatementDone, statementsDone } from "../../apps/server/src/storage/clickhouse/statement-channel.ts";
import { listProjects } from "../../apps/server/src/storage/traces/clickhouse/installation.ts";
import { CONTENTS, SPANS } from "../../apps/server/src/storage/traces/clickhouse/tables.ts";
import { forgetSignatures } from "../../apps/server/src/storage/traces/clickhouse/text/forget-signatures.ts";
import { cleanUp } from "../../apps/server/src/storage/traces/clickhouse/upkeep/clean-up.ts";
import { randomFrom, randomSpans } from "../../apps/server/src/storage/traces/conformance/random-spans.ts";
import { randomPart, randomText } from "../../apps/server/src/storage/traces/conformance/random-texts.ts";
import {
	allPages,
	allSpans,
	allTraces,
	expectTotals,
	identities,
	projectId,
	type StoreUnderTest,
	storedIdentities,
} from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { openTestStore } from "../../apps/server/src/storage/traces/sqlite/test-store.ts";
import { spanHex, testLog, testSpan, traceHex } from "../../apps/server/src/storage/traces/test-spans.ts";
import { distinct } from "../../apps/server/src/storage/traces/test-totals.ts";
import type { Keyset, SpanQuery, TraceReader } from "../../apps/server/src/storage/traces/trace-store.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("any clickhouse");
/** Stops merges of all databases. */
const testAlone = testWith("clickhouse");
const YEAR_MICROS = 365 * 86_400_000_000;

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({});
});
afterAll(() => clickhouse[Symbol.asyncDispose]());

test("K06 content comes back byte for byte", async () => {
	await using store = await openStore(clickhouse);
	const contents = [
		Buffer.alloc(16 * 1024 * 1024, "large "),
		Buffer.from([0, 0xff, 0xfe, 0x80, 0, 0x0a, 0x09, 0x5c, 0x27]),
		Buffer.from("half a pair: \ud83d", "utf16le"),
		Buffer.alloc(0),
	];
	const spans = contents.map((bytes, index) => ({ ...testSpan({ span: index + 1, start: index }), bytes }));
	await store.writer.write(spans, []);
	for (const [index, bytes] of contents.entries()) {
		const [stored] = await store.traces.findSpansBySpanId(spanHex(index + 1));
		expect(Buffer.compare(stored?.content.span ?? Buffer.from("nothing"), bytes)).toBe(0);
	}
});

testAlone("K16 spans that are stored twice are shown once, while nothing is merged", async () => {
	await using store = await openStore(clickhouse);
	const spans = distinct(randomSpans(randomFrom(3), 60, ["default"]));
	await store.writer.write(spans, []);
	await store.shard.execute("system stop merges");
	try {
		for (const { name, columns } of [SPANS, CONTENTS]) {
			const names = Object.keys(columns);
			const copied = names.map((column) => (column === "id" || column === "version" ? `${column} + 1000000` : column));
			await store.shard.execute(`insert into ${name} (${names.join(", ")}) select ${copied.join(", ")} from ${name}`);
		}
		expect(await storedIdentities(store, "default")).toEqual(identities(spans));
		await expectTotals(store, spans);
		const project = await projectId(store);
		expect(await store.traces.countSpans({ projectId: project })).toMatchObject({ count: spans.length });
		const page = await store.traces.listStoredSpans({ projectId: project, sort: "id", order: "asc", limit: 1_000 });
		expect(page.items.map(({ summary }) => summary.spanId).sort()).toEqual(spans.map(({ spanId }) => spanId).sort());
	} finally {
		await store.shard.execute("system start merges");
	}
});

test("K43 searches find the same while the text index is filled, as it falls behind, and without it", async () => {
	await using store = await openStore(clickhouse, "postgres", { hasTextIndex: true });
	const random = randomFrom(43);
	const texts: string[] = [];
	const write = async (from: number, to: number) => {
		const spans = Array.from({ length: to - from }, (_, index) => {
			const span = from + index;
			const text = span % 60 === 7 ? `Zugvogel ${span} über Øre–Stad` : randomText(random);
			texts.push(text);
			// Of three days.
			const start = (span % 3) * 86_400_000_000 + span;
			return testSpan({ trace: 1 + Math.floor(span / 5), span, start, session: `s${span % 7}`, input: text });
		});
		await store.writer.write(spans, []);
	};
	const project = async () => await projectId(store);
	/** Row numbers of spans, in two orders, and of traces and sessions. */
	const find = async (traces: TraceReader, text: string) => {
		const query = { projectId: await project(), limit: 1_000, order: "desc", text } as const;
		const found = await Promise.all([
			allPages((from) => traces.listSpans({ ...query, sort: "id", ...(from && { from }) })),
			allPages((from) => traces.listSpans({ ...query, sort: "start_time", ...(from && { from }) })),
			allPages((after) => traces.listTraces({ ...query, sort: "start_time", ...(after && { after }) })),
			allPages((from) => traces.listSessions({ ...query, sort: "id", ...(from && { from }) })),
		]);
		return found.map((items) => items.map(({ id }) => id));
	};
	const expectSame = async () => {
		const part = randomPart(random, texts[Math.floor(random() * texts.length)] ?? "");
		for (const text of ["zugvogel", "ØRE–stad gvoge", part])
			if (text.trim() !== "") expect(await find(store.traces, text), text).toEqual(await find(store.unindexed, text));
	};

	await write(1, 140);
	await store.untilIndexed();
	expect(await find(store.traces, "zugvogel")).toMatchObject([{ length: 3 }, { length: 3 }, { length: 3 }, {}]);
	// What comes and changes while the index is off, or not filled yet.
	await write(140, 200);
	const begun = { trace: 500, span: 5_000, start: 5_000 };
	await store.writer.write([testSpan({ ...begun, isRunning: true, input: "a cuckoo" })], []);
	await store.writer.write([], [testLog({ trace: 2, span: 7, content: "an old vibraphone" })]);
	expect((await find(store.traces, "vibraphone zugvogel"))[0]).toHaveLength(1);
	// As a process that ends before it has noted what it has signed.
	await clickhouse.fail([{ match: "^insert into text_signatures", skip: 1, kind: "error", code: 241, times: 5 }]);
	await expect(store.untilIndexed()).rejects.toThrow();
	await clickhouse.heal();
	await expectSame();
	await store.untilIndexed();
	expect(await store.traces.countUnindexedBlocks(100)).toBe(0);
	await store.writer.write([testSpan({ ...begun, input: "a xylophone" })], []);
	const other = { project: "other", trace: 900, span: 9_000, input: "zugvogel" };
	await store.writer.write([testSpan(other)], []);
	const [moved, deleted] = await Promise.all(
		[14, 26].map(async (trace) => (await store.traces.findTracesByTraceIds([traceHex(trace)]))[0]?.id ?? 0),
	);
	await store.traces.transferTraces([moved ?? 0], await projectId(store, "other"));
	await store.traces.deleteTrace(deleted ?? 0);
	expect((await find(store.traces, "cuckoo"))[0]).toEqual([]);
	expect((await find(store.traces, "xylophone"))[0]).toHaveLength(1);
	await store.untilIndexed();
	await expectSame();
	expect(
		(
			await store.traces.listSpans({
				...{ projectId: await projectId(store, "other"), limit: 9, order: "asc", sort: "id" },
				text: "zugvogel",
			})
		).items,
	).toHaveLength(2);
	const countRuns = async () => {
		const [row] = await store.shard.select("select count() as count from text_signatures final where project_id > 0", {
			count: types.Count,
		});
		return row?.count ?? 0;
	};
	// Signatures go with what they were made of, and with nothing else.
	const before = await countRuns();
	await forgetSignatures(store.shards);
	expect(await countRuns()).toBe(before);
	await store.traces.deleteProject(await projectId(store, "other"));
	await using turns = store.metadata.openTurns();
	await cleanUp({ ...store, turns }, new AbortController().signal);
	await forgetSignatures(store.shards);
	expect(await countRuns()).toBeLessThan(before);
	expect((await find(store.traces, "zugvogel"))[0]).toHaveLength(2);
});

test("K33 lists of a project with one trace of five years ago, and of one with many of today, are full", async () => {
	await using store = await openStore(clickhouse);
	const old = testSpan({ project: "old", trace: 1, start: -5 * YEAR_MICROS });
	const late = testSpan({ project: "old", trace: 2 });
	const many = Array.from({ length: 3_000 }, (_, index) =>
		testSpan({ trace: 10 + index, span: 10 + index, start: 1_000 * index }),
	);
	await store.writer.write([old, late, ...many], []);
	const [ofOld, ofMany] = [await projectId(store, "old"), await projectId(store)];
	const first = async (project: number) => {
		const shared = { projectId: project, order: "desc", limit: 100 } as const;
		return [
			(await store.traces.listTraces({ ...shared, sort: "start_time" })).items.map(({ traceId }) => traceId),
			(await store.traces.listSpans({ ...shared, sort: "start_time" })).items.map(({ traceId }) => traceId),
			(await store.traces.listSpans({ ...shared, sort: "id" })).items.map(({ traceId }) => traceId),
		];
	};
	for (const list of await first(ofOld)) expect(new Set(list)).toEqual(new Set([late.traceId, old.traceId]));
	for (const list of await first(ofMany)) expect(list).toHaveLength(100);
	expect(await allTraces(store, ofMany, 500)).toHaveLength(3_000);
});

const DAY_MICROS = 86_400_000_000;

test("K32 first pages read at most three days of 70", async () => {
	await using store = await openStore(clickhouse);
	const aDay = 100;
	const spans = Array.from({ length: 70 * aDay }, (_, index) =>
		testSpan({ trace: 1 + index, span: 1 + index, start: -Math.floor((index * DAY_MICROS) / aDay) }),
	);
	for (let at = 0; at < spans.length; at += 2_000) await store.writer.write(spans.slice(at, at + 2_000), []);
	const project = await projectId(store);
	const first = { projectId: project, sort: "start_time", order: "desc", limit: 50 } as const;
	const { traces } = store;
	for (const read of [() => traces.listTraces(first), () => traces.listSpans(first)]) {
		using statements = watchStatements();
		expect((await read()).items).toHaveLength(50);
		// A window of several days is only read where a narrower one has too few.
		expect(Math.max(...statements.rowsRead)).toBeLessThanOrEqual(3 * aDay);
	}
});

test("K39 one more trace in a session of many costs what it costs in one of ten", async () => {
	await using store = await openStore(clickhouse);
	const count = 2_010;
	const session = (index: number) => (index < 10 ? "small" : "large");
	const spans = Array.from({ length: count }, (_, index) =>
		testSpan({ trace: 1 + index, span: 1 + index, start: index, session: session(index) }),
	);
	await store.writer.write(spans, []);
	const costOf = async (trace: number, name: string) => {
		using statements = watchStatements();
		await store.writer.write([testSpan({ trace, span: trace, start: trace, session: name })], []);
		return { count: statements.rowsRead.length, rows: statements.rowsRead.reduce((sum, rows) => sum + rows, 0) };
	};
	const [small, large] = [await costOf(count + 1, "small"), await costOf(count + 2, "large")];
	expect(large.count).toBe(small.count);
	// The other traces of the session are not among them.
	expect(Math.abs(large.rows - small.rows)).toBeLessThan(500);
});

/** The rows that ClickHouse reads for each statement of this thread, until disposed. */
function watchStatements(): Disposable & { readonly rowsRead: readonly number[] } {
	const rowsRead: number[] = [];
	const listen = (message: unknown) => void rowsRead.push((message as StatementDone).rowsRead);
	statementsDone.subscribe(listen);
	return { rowsRead, [Symbol.dispose]: () => statementsDone.unsubscribe(listen) };
}

test("K36 a condition on annotations that very many spans fulfil is right, also negated and within or", async () => {
	await using store = await openStore(clickhouse);
	// More than are sent to ClickHouse as row numbers.
	const count = 10_100;
	const spans = Array.from({ length: count + 50 }, (_, index) =>
		testSpan({
			trace: 1 + Math.floor(index / 50),
			span: index + 1,
			start: index,
			name: index % 2 === 0 ? "even" : "odd",
		}),
	);
	await store.writer.write(spans, []);
	const project = await projectId(store);
	const stored = (await allSpans(store, project)).toSorted((a, b) => a.start.micros - b.start.micros);
	await annotateAll(store, project, stored.slice(0, count));
	const good = "annotations['quality'].label == 'good'";
	expect(await countSpans(store, project, good)).toBe(count);
	expect(await countSpans(store, project, `not ${good}`)).toBe(0);
	expect(await countSpans(store, project, "annotations['quality'] is None")).toBe(50);
	expect(await countSpans(store, project, `${good} or name == 'odd'`)).toBe(count + 25);
	expect(await countSpans(store, project, `${good} and name == 'odd'`)).toBe(count / 2);
});

test("K07 K87 texts of any script, and those that look like statements, are found as SQLite finds them", async () => {
	await using store = await openStore(clickhouse, "sqlite");
	await using sqlite = await openTestStore({ textIndex: false });
	const spans = [...SCRIPTS, ...HOSTILE].map((text, index) =>
		testSpan({
			...{ trace: index + 1, span: index + 1, start: index, name: `name ${text}`, model: text, kind: "LLM" },
			...{ session: text, user: text, input: `say ${text} twice`, attributes: { tier: text } },
		}),
	);
	const projects = HOSTILE.map((project, index) => testSpan({ project, trace: 900 + index, start: index }));
	const both: readonly StoreUnderTest[] = [store, sqlite];
	for (const { writer } of both) await writer.write([...spans, ...projects], []);
	/** Numbers of the spans that each of the two finds. */
	const find = async (query: Pick<SpanQuery, "text" | "condition">) =>
		await Promise.all(
			both.map(async (one) => {
				const project = await projectId(one);
				const found = await allPages((from) =>
					one.traces.listSpans({
						projectId: project,
						sort: "id",
						order: "asc",
						limit: 100,
						...query,
						...(from ? { from } : {}),
					}),
				);
				return found.map(({ spanId }) => Number.parseInt(spanId, 16));
			}),
		);
	const expectSame = async (query: Parameters<typeof find>[0], shown: string) => {
		const [own, wanted] = await find(query);
		expect(own, shown).toEqual(wanted);
		return own ?? [];
	};
	for (const [index, text] of [...SCRIPTS, ...HOSTILE].entries()) {
		const [quoted, other] = [JSON.stringify(text), inAnotherCase(text, index)];
		const contains = `${quoted} in name or ${JSON.stringify(other)} in attributes['tier']`;
		expect(await expectSame(conditionOf(contains), contains)).toContain(index + 1);
		if (SCRIPTS.includes(text)) {
			await expectSame({ text: other }, other);
			continue;
		}
		const equals = `name == ${JSON.stringify(`name ${text}`)} and tier in [${quoted}, 'another']`;
		expect(await expectSame(conditionOf(equals), equals)).toEqual([index + 1]);
		const ofTrace = conditionOf(`session_id == ${quoted} and user_id == ${quoted}`, "trace");
		const page = { projectId: await projectId(store), ...ofTrace, sort: "start_time", order: "asc", limit: 9 } as const;
		expect((await store.traces.listTraces(page)).items.map(({ traceId }) => traceId)).toEqual([traceHex(index + 1)]);
		expect((await store.traces.findSessionsBySessionId(text)).map(({ sessionId }) => sessionId)).toEqual([text]);
	}
	for (const project of HOSTILE) expect(await allSpans(store, await projectId(store, project))).toHaveLength(1);
	const names = await listProjects(store.shards);
	expect(names.map(({ name }) => name).toSorted()).toEqual(["default", ...HOSTILE].toSorted());
	await expectTotals(store, spans);
});

/** In which not even SQLite finds all of them. */
function inAnotherCase(text: string, index: number): string {
	return index % 3 === 0 ? text : index % 3 === 1 ? text.toLowerCase() : text.toUpperCase();
}

/** Words whose cases are folded in other ways than those of ASCII. */
const SCRIPTS = [
	...["İstanbul'da ılık", "ISPARTA ışık", "Straße", "MAẞ", "Σίσυφος", "ΣΊΣΥΦΟΣ", "Ёжик", "ЕЖИК", "北京大学"],
	...["ﬁnance", "e\u0301te\u0301", "💥 crash"],
];
const HOSTILE = [
	...["''", '"', "`", "\\", "\\'; --", "{x:String} -- {p2:Int64}", "/* a comment */", "FORMAT JSON"],
	...["'); drop table spans; --", "') or 1 = 1 --", "100%_", "a\tb\nc ? $1 :x"],
];

function conditionOf(filter: string, target: FilterTarget = "span") {
	const { condition } = parseFilter(target, filter);
	if (condition === undefined) throw new Error(`${filter} is no condition`);
	return { condition };
}

test("K34 pages of a walk repeat nothing and miss nothing that stayed while spans arrive and others are deleted", async () => {
	await using store = await openStore(clickhouse);
	const { traces, writer } = store;
	await writer.write(
		Array.from({ length: 30 }, (_, index) =>
			testSpan({ trace: index + 1, span: index + 1, start: 1_000 * index, session: `s${index}` }),
		),
		[],
	);
	const project = await projectId(store);
	const first = await allSpans(store, project);
	const query = { projectId: project, order: "desc", limit: 7 } as const;
	const walks = [
		(from?: Keyset) => traces.listSpans({ ...query, sort: "start_time", ...(from ? { from } : {}) }),
		(after?: Keyset) => traces.listTraces({ ...query, sort: "start_time", ...(after ? { after } : {}) }),
	];
	let next = 100;
	for (const walk of walks) {
		const before = await allSpans(store, project);
		const gone = new Set<string>();
		const listed = await allPages<{ readonly traceId: string }>(async (at) => {
			const page = await walk(at);
			// One that was shown already, and one that was not yet: of the oldest, which the walk comes to last.
			const shown = page.items[0]?.traceId;
			const left = first.find(({ traceId }) => !gone.has(traceId) && traceId !== shown)?.traceId;
			for (const traceId of [shown, left]) {
				const [trace] = await traces.findTracesByTraceIds([traceId ?? ""], project);
				if (trace === undefined || gone.size === 6) continue;
				await traces.deleteTrace(trace.id);
				gone.add(trace.traceId);
			}
			await writer.write(
				[-1, 1].map((sign, index) => testSpan({ trace: next + index, span: next + index, start: sign * 1_000 * next })),
				[],
			);
			next += 2;
			return page;
		});
		const seen = listed.map(({ traceId }) => traceId);
		expect(new Set(seen).size).toBe(seen.length);
		const stayed = before.filter(({ traceId }) => !gone.has(traceId)).map(({ traceId }) => traceId);
		expect(seen).toEqual(expect.arrayContaining(stayed));
	}
});

test("K45 K46 what was deleted is nowhere while nothing is merged, and sent again it is there anew", async () => {
	await using store = await openStore(clickhouse);
	const spans = distinct(randomSpans(randomFrom(45), 60, ["default"]));
	await store.writer.write(spans, [testLog({ trace: 1, span: 1, content: "why?" })]);
	await store.shard.execute("system stop merges");
	try {
		const project = await projectId(store);
		const [trace] = (await allTraces(store, project)).toSorted((a, b) => b.spanCount - a.spanCount);
		if (trace === undefined) throw new Error("there are traces");
		const own = (await allSpans(store, project)).filter(({ traceRowId }) => traceRowId === trace.id);
		await store.traces.deleteTrace(trace.id);
		const left = spans.filter(({ traceId }) => traceId !== trace.traceId);
		const { traces } = store;
		expect(await traces.findTracesByTraceIds([trace.traceId])).toEqual([]);
		expect(await traces.findEntities("trace", [trace.id])).toEqual([]);
		const rowIds = own.map(({ id }) => id);
		expect(await traces.findEntities("span", rowIds)).toEqual([]);
		const [{ spanId } = { spanId: "" }] = own;
		expect(await traces.findSpansBySpanId(spanId, { projectId: project, traceId: trace.traceId })).toEqual([]);
		expect(await traces.findExistingSpans(project, [{ traceId: trace.traceId, spanId }])).toEqual([]);
		expect((await traces.listTraceSpans(trace.id, { limit: 100 })).items).toEqual([]);
		const list = { projectId: project, sort: "id", order: "asc", limit: 100 } as const;
		for (const query of [{ rowIds }, { text: trace.traceId }, conditionOf(`trace_id == '${trace.traceId}'`)]) {
			expect((await traces.listSpans({ ...list, ...query })).items).toEqual([]);
			expect((await traces.listStoredSpans({ ...list, ...query })).items).toEqual([]);
		}
		expect(await traces.countSpans({ projectId: project })).toMatchObject({ count: left.length });
		await expectTotals(store, left);
		await store.writer.write(spans, []);
		await expectTotals(store, spans);
		expect((await traces.findTracesByTraceIds([trace.traceId]))[0]?.id).not.toBe(trace.id);
	} finally {
		await store.shard.execute("system start merges");
	}
});

async function annotateAll(
	{ db }: ClickHouseUnderTest,
	project: number,
	spans: readonly { readonly id: number; readonly traceRowId: number }[],
): Promise<void> {
	for (let at = 0; at < spans.length; at += 1_000)
		await db.write(async (transaction) => {
			const rows = spans.slice(at, at + 1_000).map(({ id, traceRowId }) => ({
				...{ target: "span", target_row_id: id, project_id: project, span_row_id: id, trace_row_id: traceRowId },
				...{ name: "quality", identifier: "", annotator_kind: "HUMAN", label: "good", score: 1, metadata: "{}" },
				...{ source: "API", created_at: 0, updated_at: 0, document_position: -1 },
			}));
			await transaction
				.insertInto("annotations")
				.values(rows as never)
				.execute();
		});
}

async function countSpans({ traces }: ClickHouseUnderTest, project: number, filter: string): Promise<number> {
	const query = { projectId: project, ...conditionOf(filter), sort: "id", order: "desc", limit: 1_000 } as const;
	return (await allPages((from) => traces.listSpans({ ...query, ...(from === undefined ? {} : { from }) }))).length;
}
