import { expect, test } from "vitest";
import { consistencySettings, insertSettings, quorumOf } from "./insert-settings.ts";

test("rows go to a quorum only where they are replicated, and several servers insert at once", () => {
	expect(insertSettings({})).toEqual({});
	expect(insertSettings({ insertQuorum: 2, topology: { kind: "single", replicas: 2 } })).toEqual({});
	for (const kind of ["cluster", "replicated_database"] as const)
		expect(insertSettings({ topology: { kind, replicas: 3 } })).toEqual({
			insert_keeper_max_retries: "3",
			insert_quorum: "2",
			insert_quorum_parallel: 1,
			insert_quorum_timeout: 2_500,
		});
	expect(insertSettings({ insertQuorum: 2, topology: { kind: "cloud", replicas: 1 } })).toEqual({
		insert_keeper_max_retries: "3",
	});
});

test.each([
	[1, "auto", 1],
	[2, "auto", 2],
	[3, "auto", 2],
	[3, 1, 1],
	[3, 3, 3],
] as const)("of %i replicas, %s is a quorum of %i", (replicas, insertQuorum, quorum) => {
	expect(quorumOf({ insertQuorum, topology: { kind: "cluster", replicas } })).toBe(quorum);
});

test("inserts that ClickHouse gathers are waited for, and are recognised when they are repeated", () => {
	expect(insertSettings({ asyncInsert: true })).toMatchObject({
		async_insert: 1,
		async_insert_deduplicate: 1,
		wait_for_async_insert: 1,
	});
});

test("only Cloud is asked to read what any of its nodes was told", () => {
	expect(consistencySettings({ kind: "cloud", replicas: 1 })).toEqual({ select_sequential_consistency: "1" });
	expect(consistencySettings({ kind: "cluster", replicas: 2 })).toEqual({});
	expect(consistencySettings(undefined)).toEqual({});
});
