import { setImmediate as turnOfEvents } from "node:timers/promises";
import { expect, test } from "vitest";
import { Abandoned, FairTurns, NoTurn } from "./fair-turns.ts";

const MANY = { atOnce: 1, atOnceEach: 1, waiting: 100, waitingEach: 100 };

/** Work that ends when it is told, in the order in which it began. */
function manualWork() {
	const began: string[] = [];
	const ends: (() => void)[] = [];
	return {
		began,
		work: (name: string) => () => {
			began.push(name);
			return new Promise<void>((resolve) => ends.push(resolve));
		},
		async endNext() {
			ends.shift()?.();
			await turnOfEvents();
		},
	};
}

test("work of another caller is next, however much one caller has waiting", async () => {
	const turns = new FairTurns(MANY);
	const { began, work, endNext } = manualWork();
	const all = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) => turns.run(name[0] ?? "", work(name)));
	for (let left = all.length; left > 0; left--) await endNext();
	await Promise.all(all);
	expect(began).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
});

test("one caller leaves room for others, who begin at once", async () => {
	const turns = new FairTurns({ ...MANY, atOnce: 3, atOnceEach: 2 });
	const { began, work, endNext } = manualWork();
	const all = ["a1", "a2", "a3", "b1"].map((name) => turns.run(name[0] ?? "", work(name)));
	expect(began).toEqual(["a1", "a2", "b1"]);
	for (let left = all.length; left > 0; left--) await endNext();
	await Promise.all(all);
	expect(began).toEqual(["a1", "a2", "b1", "a3"]);
});

test("work is refused when too much waits, of its caller or of all, unless it is patient", async () => {
	const turns = new FairTurns({ atOnce: 1, atOnceEach: 1, waiting: 3, waitingEach: 2 });
	const { began, work, endNext } = manualWork();
	const all = ["a1", "a2", "a3"].map((name) => turns.run("a", work(name)));
	await expect(turns.run("a", work("a4"))).rejects.toEqual(new NoTurn(true));
	all.push(turns.run("b", work("b1")));
	await expect(turns.run("c", work("c1"))).rejects.toMatchObject({ isOwn: false });
	all.push(turns.run("a", work("a5"), { isPatient: true }));
	for (let left = all.length; left > 0; left--) await endNext();
	await Promise.all(all);
	expect(began).toEqual(["a1", "b1", "a2", "a3", "a5"]);
});

test("work that fails ends its turn", async () => {
	const turns = new FairTurns(MANY);
	const failing = turns.run("a", () => Promise.reject(new Error("no")));
	const next = turns.run("a", async () => "done");
	await expect(failing).rejects.toThrow("no");
	expect(await next).toBe("done");
});

test("work whose caller has gone is dropped, unless it has begun", async () => {
	const turns = new FairTurns({ ...MANY, waitingEach: 2 });
	const { began, work, endNext } = manualWork();
	const gone = new AbortController();
	const first = turns.run("a", work("a1"), { gone: gone.signal });
	const dropped = ["a", "b"].map((name) => turns.run(name, work(name), { gone: gone.signal }));
	const kept = ["a2", "a3"].map((name) => turns.run("a", work(name)).catch((error: unknown) => error));
	gone.abort();
	for (const each of dropped) await expect(each).rejects.toThrow(Abandoned);
	await expect(turns.run("c", work("c1"), { gone: gone.signal })).rejects.toThrow(Abandoned);
	const last = turns.run("a", work("a4"));
	for (let left = 3; left > 0; left--) await endNext();
	await Promise.all([first, last]);
	expect(await Promise.all(kept)).toEqual([undefined, new NoTurn(true)]);
	expect(began).toEqual(["a1", "a2", "a4"]);
});
