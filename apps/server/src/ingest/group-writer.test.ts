import { createKeyTable, scanTraceRequest } from "@spanward/otlp";
import { expect, test } from "vitest";
import { SpanPrices } from "#pricing/price-of.ts";
import { type NormalizedSpan, StorageUnavailable, type TraceWriter } from "#storage/traces/span-batch.ts";
import { type GroupMember, writeGroup } from "./group-writer.ts";
import { normalizeSpans } from "./normalize.ts";
import { encodeSpans, makeSpan } from "./test-receiver.ts";

/** Keeps spans in memory; fails on those with one of these names. */
function memoryWriter(failsOn: readonly string[]) {
	const written: NormalizedSpan[] = [];
	const batches: number[] = [];
	const writer: TraceWriter = {
		write: async (spans) => {
			batches.push(spans.length);
			if (spans.some(({ name }) => failsOn.includes(name))) throw new TypeError("cannot bind");
			written.push(...spans);
			return { written: spans.length, duplicates: 0, logRecords: 0, changes: [] };
		},
		[Symbol.asyncDispose]: async () => {},
	};
	return { writer, written, batches };
}

function decodeNames(id: number, names: readonly string[]): GroupMember {
	const message = encodeSpans(names.map((name) => makeSpan({ name })));
	const limits = { attributesPerSpan: 10, attributeBytes: 1_000, depth: 10 };
	const scanned = scanTraceRequest(message, { limits, keys: createKeyTable([]) });
	const { items } = normalizeSpans(scanned, { requested: undefined, fallback: "default" }, new SpanPrices());
	return { id, decoded: { spans: items, logs: [], ignoredLogRecords: 0, rejections: [], message } };
}

test("requests that wait together share a transaction", async () => {
	const { writer, batches } = memoryWriter([]);
	const report = await writeGroup([decodeNames(1, ["a"]), decodeNames(2, ["b", "c"])], async () => writer);
	expect(batches).toEqual([3]);
	expect(report.answers.map(({ id, answer }) => [id, answer.accepted])).toEqual([
		[1, 1],
		[2, 2],
	]);
});

test("a span that cannot be stored costs neither its neighbours nor other requests", async () => {
	const { writer, written } = memoryWriter(["bad"]);
	const members = [decodeNames(1, ["a", "bad", "c", "d"]), decodeNames(2, ["e"])];
	const report = await writeGroup(members, async () => writer);
	expect(written.map(({ name }) => name).toSorted()).toEqual(["a", "c", "d", "e"]);
	expect(report.answers[0]?.answer).toMatchObject({
		status: 200,
		accepted: 3,
		rejected: 1,
		rejectedMessage: expect.stringContaining('"bad"'),
	});
	expect(report.answers[1]?.answer).toMatchObject({ status: 200, accepted: 1, rejected: 0 });
	expect(report.rejected).toEqual({ internal: 1 });
	expect(report.errors).toEqual([expect.stringContaining("cannot bind")]);
});

test("a request of which nothing can be stored is refused after some tries", async () => {
	const names = Array.from({ length: 100 }, (_, index) => `bad ${index}`);
	const { writer, batches } = memoryWriter(names);
	const report = await writeGroup([decodeNames(1, names)], async () => writer);
	expect(report.answers[0]?.answer).toMatchObject({ status: 500, code: 13 });
	expect(batches.length).toBeLessThan(50);
});

test("no request is divided when the storage is full", async () => {
	const { writer, batches } = memoryWriter([]);
	const full: TraceWriter = {
		...writer,
		write: async (spans) => {
			batches.push(spans.length);
			throw new StorageUnavailable("full", new Error("disk"));
		},
	};
	const report = await writeGroup([decodeNames(1, ["a"]), decodeNames(2, ["b"])], async () => full);
	expect(batches).toEqual([2]);
	expect(report.answers.map(({ answer }) => answer.reason)).toEqual(["storage_full", "storage_full"]);
});
