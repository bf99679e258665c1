import { createKeyTable, scanTraceRequest } from "@spanward/otlp";
import { expect, test } from "vitest";
import type { SenderRights } from "#access/rights/sender-rights.ts";
import { UserError } from "#base/errors.ts";
import { monotonicMs } from "#base/monotonic.ts";
import { SpanPrices } from "#pricing/price-of.ts";
import { RightsChanged } from "#storage/projects/rights-version.ts";
import {
	type NormalizedSpan,
	ShardUnavailable,
	StorageUnavailable,
	type TraceWriter,
} from "#storage/traces/span-batch.ts";
import { notAllowed } from "./answers.ts";
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
	const { items } = normalizeSpans(
		scanned,
		{ requested: undefined, fallback: "default" },
		{ prices: new SpanPrices(), ignoresFailures: false },
	);
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

test("a request that cannot be stored costs a large group few further writes", async () => {
	const { writer, written, batches } = memoryWriter(["bad"]);
	const members = Array.from({ length: 1_000 }, (_, id) => decodeNames(id, [id === 700 ? "bad" : "good"]));
	const report = await writeGroup(members, async () => writer);
	expect(written).toHaveLength(999);
	expect(report.answers.filter(({ answer }) => answer.rejected === 1).map(({ id }) => id)).toEqual([700]);
	expect(batches.length).toBeLessThan(30);
});

test("a request of which nothing can be stored is refused after some tries", async () => {
	const names = Array.from({ length: 100 }, (_, index) => `bad ${index}`);
	const { writer, batches } = memoryWriter(names);
	const report = await writeGroup([decodeNames(1, names)], async () => writer);
	expect(report.answers[0]?.answer).toMatchObject({ status: 500, code: 13 });
	expect(batches.length).toBeLessThan(50);
});

test("requests with traces of a shard that is away are refused as a whole, and those that came with them are stored", async () => {
	const { writer, written } = memoryWriter([]);
	const incomplete: TraceWriter = {
		...writer,
		write: async (spans, logs) => {
			if (spans.some(({ name }) => name === "away")) throw new ShardUnavailable(2, new Error("as this test wants it"));
			return await writer.write(spans, logs);
		},
	};
	const members = Array.from({ length: 20 }, (_, id) => decodeNames(id, id === 7 ? ["away", "there"] : ["there"]));
	const report = await writeGroup(members, async () => incomplete);
	expect(written).toHaveLength(19);
	expect(report.answers.find(({ id }) => id === 7)?.answer).toMatchObject({
		...{ status: 503, code: 14, retryAfter: 2, reason: "storage_incomplete" },
		message: expect.stringContaining("Shard 2"),
	});
	expect(report.unavailable).toBeUndefined();
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

/** Takes at most so many spans at a time, as one whose memory is bounded; none at all when that is 0. */
function smallWriter(most: number) {
	const { writer, written, batches } = memoryWriter([]);
	const small: TraceWriter = {
		...writer,
		write: async (spans, logs) => {
			if (spans.length <= most) return await writer.write(spans, logs);
			batches.push(spans.length);
			throw new StorageUnavailable("too_large", new Error("memory"));
		},
	};
	return { small, written, batches };
}

const members = (...sizes: readonly number[]) =>
	sizes.map((size, id) =>
		decodeNames(
			id,
			Array.from({ length: size }, (_, index) => `${id} ${index}`),
		),
	);

test("requests that need too much memory together are written in smaller groups, and a large one in parts", async () => {
	const { small, written } = smallWriter(3);
	const report = await writeGroup(members(1, 1, 1, 1, 8), async () => small);
	expect(report.answers.map(({ answer }) => [answer.status, answer.accepted])).toEqual([
		...Array(4).fill([200, 1]),
		[200, 8],
	]);
	expect(new Set(written.map(({ name }) => name)).size).toBe(12);
	expect(written).toHaveLength(12);
});

test("a request with a span that needs too much memory is refused, and no other", async () => {
	const { writer, written } = memoryWriter([]);
	const small: TraceWriter = {
		...writer,
		write: async (spans, logs) => {
			if (!spans.some(({ name }) => name === "300 200")) return await writer.write(spans, logs);
			throw new StorageUnavailable("too_large", new Error("memory"));
		},
	};
	const sizes = Array.from({ length: 512 }, (_, id) => (id === 300 ? 512 : 1));
	const report = await writeGroup(members(...sizes), async () => small);
	const refused = report.answers.filter(({ answer }) => answer.status !== 200);
	expect(refused).toEqual([{ id: 300, answer: expect.objectContaining({ reason: "storage_too_slow" }) }]);
	expect(new Set(written.map(({ name }) => name.split(" ")[0])).size).toBeGreaterThan(510);
});

test("requests are refused when there is no memory for a part of them either, after some tries", async () => {
	const { small, batches } = smallWriter(0);
	const report = await writeGroup(members(64, 64, 1), async () => small);
	for (const { answer } of report.answers)
		expect(answer).toMatchObject({ status: 503, code: 14, reason: "storage_too_slow", retryAfter: 5 });
	expect(report).toMatchObject({ answers: { length: 3 }, unavailable: { reason: "too_large", requests: 3 } });
	expect(batches.length).toBeLessThan(50);
});

const SENDER: SenderRights = { maker: 7, decidedAtMs: monotonicMs(), decidedBy: { version: 1, lastProject: 1 } };

test("what was decided by former rights is decided again, and refused where the sender lost them", async () => {
	const { writer, written } = memoryWriter([]);
	const asked: (readonly number[])[] = [];
	const current: SenderRights = { ...SENDER, decidedBy: { version: 2, lastProject: 1 } };
	const limited = { ...current, limits: JSON.stringify({ except: ["default"] }) };
	const strict: TraceWriter = {
		...writer,
		write: async (spans, logs, projects) => {
			for (const { version } of projects?.decidedBy ?? []) if (version !== 2) throw new RightsChanged();
			return await writer.write(spans, logs);
		},
	};
	const members = [
		{ ...decodeNames(1, ["a"]), sender: SENDER },
		{ ...decodeNames(2, ["b", "c"]), sender: SENDER },
		decodeNames(3, ["of nobody"]),
	];
	const report = await writeGroup(members, async () => strict, {
		pinnedAccess: undefined,
		lookAgain: async (ids) => {
			asked.push(ids);
			return new Map([
				[1, current],
				[2, limited],
			]);
		},
	});
	expect(asked).toEqual([[1, 2]]);
	expect(written.map(({ name }) => name)).toEqual(["a", "of nobody"]);
	const answers = new Map(report.answers.map(({ id, answer }) => [id, answer]));
	expect([1, 2, 3].map((id) => answers.get(id)?.status)).toEqual([200, 403, 200]);
	expect(answers.get(2)).toMatchObject({ code: 7, reason: "no_access", rejected: 2 });
	expect(report.rejected).toEqual({ no_access: 2 });
});

test("what waited for longer than a second is decided again before it is written", async () => {
	const { writer, batches } = memoryWriter([]);
	const sender = { ...SENDER, decidedAtMs: SENDER.decidedAtMs - 1_001 };
	const refused = notAllowed(new UserError(401, "invalid_token", "The key was deleted."));
	const report = await writeGroup([{ ...decodeNames(1, ["a"]), sender }], async () => writer, {
		pinnedAccess: undefined,
		lookAgain: async () => new Map([[1, { refused }]]),
	});
	expect(report.answers).toEqual([{ id: 1, answer: refused }]);
	expect(batches).toEqual([]);
});

test("rights that change at every try are answered 503", async () => {
	const { writer } = memoryWriter([]);
	const changing: TraceWriter = {
		...writer,
		write: async () => {
			throw new RightsChanged();
		},
	};
	const report = await writeGroup([{ ...decodeNames(1, ["a"]), sender: SENDER }], async () => changing, {
		pinnedAccess: undefined,
		lookAgain: async () => new Map([[1, SENDER]]),
	});
	expect(report.answers[0]?.answer).toMatchObject({ status: 503, reason: "rights_changing", retryAfter: 1 });
});
