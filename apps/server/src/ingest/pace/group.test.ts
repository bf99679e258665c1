import { expect, test } from "vitest";
import type { WritePace } from "#storage/traces/span-batch.ts";
import type { DecodedRequest } from "./decoded-request.ts";
import { Group } from "./group.ts";
import { SharedPace } from "./shared-pace.ts";

const PACE: WritePace = {
	...{ intervalMs: 200, rows: 100, bytes: 1_000_000 },
	farPartitionOf: () => undefined,
	...{ farPartitions: 3, farPartitionsPerSecond: 50 },
};
const NONE = new Set<number>();

function request(size: Partial<DecodedRequest>): DecodedRequest {
	const member = {
		id: 1,
		decoded: { spans: [], logs: [], ignoredLogRecords: 0, rejections: [], message: new Uint8Array() },
	};
	return { member, buffers: [], bytes: 0, bodyBytes: 0, rows: 1, ...size };
}

function groupOf(...requests: readonly DecodedRequest[]): Group {
	const group = new Group(PACE, 50_000);
	for (const one of requests) group.add(one, NONE);
	return group;
}

test("a group is full by its rows, its bytes, or what it holds of the queue", () => {
	expect(groupOf(request({ rows: 99, bytes: 999_999, bodyBytes: 40_000 })).isFull).toBe(false);
	expect(groupOf(request({ rows: 60 }), request({ rows: 40 })).isFull).toBe(true);
	expect(groupOf(request({ bytes: 600_000 }), request({ bytes: 400_000 })).isFull).toBe(true);
	expect(groupOf(request({ bodyBytes: 25_000 }), request({ bodyBytes: 25_000 })).isFull).toBe(true);
	// Each costs memory beside its body.
	expect(groupOf(...Array.from({ length: 30 }, () => request({}))).isFull).toBe(true);
});

test("a group waits for the interval, unless it is full or has waited for too long", () => {
	const shared = new SharedPace(SharedPace.createMemory(), () => 1_000_000_000n);
	expect(groupOf(request({})).tryBegin(shared)).toBe(0);
	expect(groupOf(request({})).tryBegin(shared)).toBe(200);
	expect(groupOf(request({ rows: 100 })).tryBegin(shared)).toBe(0);
	expect(groupOf(request({})).tryBegin(shared, 4_900)).toBe(100);
	expect(groupOf(request({})).tryBegin(shared, 5_000)).toBe(0);
});

test("a group takes requests until they touch too many far partitions; those of these days always", () => {
	const group = groupOf(request({}));
	expect(group.add(request({}), new Set([1, 2]))).toBe(true);
	expect(group.add(request({}), new Set([3, 4]))).toBe(false);
	expect(group.add(request({}), new Set([2, 3]))).toBe(true);
	expect(group.add(request({}), new Set([4]))).toBe(false);
	expect(group.add(request({}), NONE)).toBe(true);
	expect(group.requests).toHaveLength(4);
});
