import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Replicas } from "./replicas.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const passes = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);
const told = (delay: number, isReadOnly = false) => ({ delay, isReadOnly });

function replicasOf(options: Partial<ConstructorParameters<typeof Replicas>[1]> = {}) {
	return new Replicas(["a", "b", "c"], { replicate: true, reads: "preferred", maxDelaySeconds: 60, ...options });
}

/** Those that are read in turn. */
function read(replicas: Replicas<string>): (string | undefined)[] {
	return [...new Set(Array.from({ length: 6 }, () => replicas.readable()))].sort();
}

test("the first that is there is written and read; one that failed is tried again after ten seconds", () => {
	const replicas = replicasOf({ replicate: false });
	expect([replicas.preferred(), read(replicas)]).toEqual(["a", ["a"]]);
	replicas.noteFailure("a");
	expect([replicas.preferred(), read(replicas)]).toEqual(["b", ["b"]]);
	passes(11);
	expect(replicas.preferred()).toBe("a");
	for (const each of ["a", "b", "c"]) {
		replicas.noteFailure(each);
		passes(1);
	}
	expect([replicas.areAllAway, replicas.preferred(), replicas.readable()]).toEqual([true, "a", "a"]);
	replicas.noteAnswer("b");
	expect([replicas.areAllAway, replicas.preferred()]).toEqual([false, "b"]);
});

test("one that was away is preferred again when it has what the others have", () => {
	const replicas = replicasOf();
	replicas.noteFailure("a");
	passes(11);
	replicas.noteState("a", told(20));
	expect(replicas.preferred()).toBe("b");
	replicas.noteState("a", told(0));
	expect(replicas.preferred()).toBe("a");
	replicas.noteState("a", told(1));
	expect(replicas.preferred()).toBe("a");
});

test("one that is read-only is left for the next, and read where there is no other", () => {
	const replicas = replicasOf();
	replicas.noteState("a", told(0, true));
	expect([replicas.preferred(), read(replicas)]).toEqual(["b", ["b"]]);
	for (const each of ["b", "c"]) replicas.noteState(each, told(0, true));
	expect([replicas.preferred(), read(replicas)]).toEqual(["a", ["a"]]);
});

test("reading any spreads over those that are there, near enough and not read-only", () => {
	const replicas = replicasOf({ reads: "any" });
	expect(read(replicas)).toEqual(["a", "b", "c"]);
	replicas.noteState("b", told(61));
	expect(read(replicas)).toEqual(["a", "c"]);
	replicas.noteState("b", told(60));
	replicas.noteState("c", told(0, true));
	replicas.noteFailure("a");
	expect(read(replicas)).toEqual(["b"]);
	expect(replicas.preferred()).toBe("b");
});

test("says how far what is read is behind", () => {
	const replicas = replicasOf();
	replicas.noteState("b", told(12));
	expect(replicas.readDelay).toBe(0);
	replicas.noteFailure("a");
	replicas.noteFailure("c");
	expect(replicas.readDelay).toBe(12);
	const any = replicasOf({ reads: "any" });
	any.noteState("b", told(12));
	any.noteState("c", told(61));
	expect(any.readDelay).toBe(12);
});

test("none is read when all that are there are too far behind, and the first is written", () => {
	for (const reads of ["preferred", "any"] as const) {
		const replicas = replicasOf({ reads });
		replicas.noteFailure("c");
		for (const each of ["a", "b"]) replicas.noteState(each, told(100));
		expect([replicas.readable(), replicas.preferred(), replicas.readDelay]).toEqual([undefined, "a", 100]);
		replicas.noteState("b", told(59));
		expect([replicas.readable(), replicas.preferred(), replicas.readDelay]).toEqual(["b", "b", 59]);
	}
});
