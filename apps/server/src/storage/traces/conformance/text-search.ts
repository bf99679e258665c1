import { decodeSpan } from "@spanward/otlp";
import { expect, it } from "vitest";
import { wordsOf } from "../content/searchable-text.ts";
import { spanHex, testLog, testSpan, traceHex } from "../test-spans.ts";
import { randomFrom } from "./random-spans.ts";
import { randomPart, randomText } from "./random-texts.ts";
import { allPages, projectId, type StoreUnderTest } from "./store-under-test.ts";

/** A store with a text index that is filled in the background, or without one. */
export interface IndexedStore extends StoreUnderTest {
	/** Resolves when the text index has no backlog. */
	untilIndexed(): Promise<void>;
}

const COLOURS = ["red", "green", "blue", "yellow"];

/** 1,000 spans of 250 traces in 20 blocks; only number 500 contains the word xylophone. */
async function writeSpans(store: StoreUnderTest): Promise<void> {
	const spans = Array.from({ length: 1_000 }, (_, index) =>
		testSpan({
			trace: 1 + Math.floor(index / 4),
			span: index + 1,
			start: index,
			session: `s${Math.floor(index / 40)}`,
			input: index === 500 ? 'A "Xylophone" in Øre–Stad' : `the ${COLOURS[index % 4]} house number ${index}`,
		}),
	);
	for (let start = 0; start < spans.length; start += 50) await store.writer.write(spans.slice(start, start + 50), []);
}

async function find(store: StoreUnderTest, text: string): Promise<number[]> {
	const project = await projectId(store);
	const spans = await allPages((from) =>
		store.traces.listSpans({
			projectId: project,
			sort: "start_time",
			order: "asc",
			limit: 100,
			text,
			...(from ? { from } : {}),
		}),
	);
	const numberOf = (span: { readonly spanId: string }) => Number.parseInt(span.spanId, 16);
	for (const order of ["asc", "desc"] as const) {
		const byId = await allPages((from) =>
			store.traces.listStoredSpans({
				projectId: project,
				sort: "id",
				order,
				limit: 9,
				text,
				...(from ? { from } : {}),
			}),
		);
		const ids = byId.map(({ summary }) => summary.id);
		expect(ids, text).toEqual(ids.toSorted((a, b) => (order === "asc" ? a - b : b - a)));
		expect(new Set(byId.map(({ summary }) => numberOf(summary))), text).toEqual(new Set(spans.map(numberOf)));
		// Some contents are kept from the search.
		for (const { summary, content } of byId) expect(decodeSpan(content.span).spanId, text).toBe(summary.spanId);
	}
	return spans.map(numberOf);
}

/** Spans whose text has a number that contains these digits. */
function numbersWith(digits: string): number[] {
	return Array.from({ length: 1_000 }, (_, index) => index + 1).filter(
		(span) => span !== 501 && `${span - 1}`.includes(digits),
	);
}

/** The suite of text search, for a store with and without the index. */
export function textSearchSuite(open: (textIndex: boolean) => Promise<IndexedStore>): void {
	for (const textIndex of [true, false])
		it(`finds the same texts ${textIndex ? "with" : "without"} the index`, async () => {
			await using store = await open(textIndex);
			await writeSpans(store);
			if (textIndex) await store.untilIndexed();
			expect(await find(store, "xylophone")).toEqual([501]);
			expect(await find(store, "YLOPH øre")).toEqual([501]);
			expect(await find(store, '"Xylophone"')).toEqual([501]);
			expect(await find(store, "ø")).toEqual([501]);
			expect(await find(store, "xylophone green")).toEqual([]);
			expect(await find(store, "number 77")).toEqual(numbersWith("77"));
			expect(await find(store, "green house")).toHaveLength(250);
			expect(await find(store, spanHex(77))).toEqual([77]);
			expect(await find(store, `${traceHex(2)} red`)).toEqual([5]);
			const project = await projectId(store);
			const traces = await store.traces.listTraces({
				projectId: project,
				sort: "start_time",
				order: "desc",
				limit: 5,
				text: "xylophone",
			});
			expect(traces.items.map((trace) => trace.traceId)).toEqual([traceHex(126)]);
			const sessions = await store.traces.listSessions({
				projectId: project,
				sort: "id",
				order: "asc",
				limit: 5,
				text: "xylophone",
			});
			expect(sessions.items.map((session) => session.sessionId)).toEqual(["s12"]);
		});

	it("finds exactly what reading every text finds, in many scripts, after deletes, moves and late log records", async () => {
		await using store = await open(true);
		const random = randomFrom(23);
		const texts = new Map<number, string>();
		const write = async (from: number, to: number) => {
			for (let span = from; span <= to; span += 5) {
				const spans = [0, 1, 2, 3, 4].map((index) => {
					const attributes = { first: randomText(random), list: [randomText(random), 7] };
					texts.set(span + index, ["step", "CHAIN", attributes.first, attributes.list[0]].join("\n"));
					return testSpan({ trace: span, span: span + index, start: span + index, attributes });
				});
				await store.writer.write(spans, []);
			}
		};
		const log = async (span: number) => {
			const content = randomText(random);
			texts.set(span, [texts.get(span) ?? "", "gen_ai.user.message", "openai", "user", content].join("\n"));
			await store.writer.write([], [testLog({ trace: span, span, content })]);
		};
		await write(1, 100);
		await store.untilIndexed();
		for (let span = 1; span <= 100; span += 20) await log(span);
		await write(101, 150);
		const [moved, deleted] = await Promise.all(
			[6, 16].map(async (trace) => (await store.traces.findTracesByTraceIds([traceHex(trace)]))[0]?.id ?? 0),
		);
		await store.writer.write([testSpan({ project: "other", trace: 999, span: 999 })], []);
		await store.traces.transferTraces([moved ?? 0], await projectId(store, "other"));
		await store.traces.deleteTrace(deleted ?? 0);
		for (const trace of [6, 16]) for (let span = trace; span < trace + 5; span++) texts.delete(span);
		for (const round of ["before", "after"]) {
			for (let query = 0; query < 40; query++) {
				const text = randomPart(random, [...texts.values()][Math.floor(random() * texts.size)] ?? "");
				const words = wordsOf(text);
				const expected = [...texts].filter(([, own]) => words.every((word) => own.toLowerCase().includes(word)));
				if (words.length > 0)
					expect(await find(store, text), JSON.stringify({ round, text })).toEqual(
						expected.map(([span]) => span).sort((a, b) => a - b),
					);
			}
			await store.untilIndexed();
		}
	});

	it("finds what came after the index was filled: new spans, and log records of existing ones", async () => {
		await using store = await open(true);
		await writeSpans(store);
		await store.untilIndexed();
		await store.writer.write([testSpan({ trace: 900, span: 2_000, input: "a new vibraphone" })], []);
		await store.writer.write([], [testLog({ trace: 1, span: 3, content: "an old vibraphone" })]);
		expect((await find(store, "vibraphone")).sort()).toEqual([2_000, 3]);
		await store.untilIndexed();
		expect((await find(store, "vibraphone")).sort()).toEqual([2_000, 3]);
	});

	it("finds a span by one word of its own and one of its log records, whichever came first", async () => {
		await using store = await open(true);
		await writeSpans(store);
		await store.writer.write([], [testLog({ trace: 900, span: 2_000, content: "an early vibraphone" })]);
		await store.writer.write([testSpan({ trace: 900, span: 2_000, input: "a marimba" })], []);
		await store.writer.write([], [testLog({ trace: 126, span: 501, content: "a late vibraphone" })]);
		for (let round = 0; round < 2; round++) {
			expect(await find(store, "marimba vibraphone")).toEqual([2_000]);
			expect(await find(store, "xylophone vibraphone")).toEqual([501]);
			expect(await find(store, "marimba xylophone")).toEqual([]);
			await store.untilIndexed();
		}
	});

	it("finds a word in a text that is too long for the index", async () => {
		await using store = await open(true);
		await writeSpans(store);
		await store.writer.write([testSpan({ trace: 900, span: 2_000, input: `${"long ".repeat(300_000)} marimba` })], []);
		await store.untilIndexed();
		expect(await find(store, "marimba")).toEqual([2_000]);
	});

	it("finds a span by the texts that it ended with, not by those that it began with", async () => {
		await using store = await open(true);
		const begun = { isRunning: true, input: "a yellow submarine" };
		await store.writer.write(
			[1, 2, 3].map((span) => testSpan({ ...begun, span, start: span })),
			[],
		);
		await store.untilIndexed();
		await store.writer.write([testSpan({ span: 2, start: 2, input: "why?", output: "a xylophone" })], []);
		expect(await find(store, "submarine")).toEqual([1, 3]);
		expect(await find(store, "xylophone why")).toEqual([2]);
		await store.untilIndexed();
		expect(await find(store, "xylophone why")).toEqual([2]);
	});

	it("finds no deleted spans", async () => {
		await using store = await open(true);
		await writeSpans(store);
		await store.untilIndexed();
		const [trace] = await store.traces.findTracesByTraceIds([traceHex(126)]);
		await store.traces.deleteTrace(trace?.id ?? 0);
		expect(await find(store, "xylophone")).toEqual([]);
		await store.traces.deleteTracesBetween(await projectId(store), 0, Number.MAX_SAFE_INTEGER);
		expect(await find(store, "house")).toEqual([]);
	});
}
