import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createTurnLockMemory, releaseTurnsOfEndedThread, TurnLock } from "./turn-lock.ts";

interface Shared {
	readonly memory: SharedArrayBuffer;
	/** How often each key was had, and at last how many have a turn now. */
	readonly counts: SharedArrayBuffer;
}

const KEYS = 5;
const INSIDE = KEYS;

function startWorker(shared: Shared, body: string): Worker {
	const code = `
		import { setImmediate } from "node:timers/promises";
		import { parentPort, workerData } from "node:worker_threads";
		import { TurnLock } from ${JSON.stringify(new URL("./turn-lock.ts", import.meta.url).href)};
		const lock = new TurnLock(workerData.memory);
		const counts = new Int32Array(workerData.counts);
		// Keeps the thread alive, as the port of an ingest worker does.
		parentPort.on("message", () => {});
		${body}
		parentPort.close();`;
	return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: shared });
}

function share(): Shared {
	return { memory: createTurnLockMemory(), counts: new SharedArrayBuffer(4 * (KEYS + 1)) };
}

it("has threads that share a key wait for each other, and everybody for whoever is alone", async () => {
	const shared = share();
	const rounds = 300;
	const workers = [0, 1, 2].map((number) =>
		startWorker(
			shared,
			`for (let round = 0; round < ${rounds}; round += 1) {
				const keys = [(round + ${number}) % ${KEYS}, (7 * round) % ${KEYS}];
				const held = await (round % 10 === 0 ? lock.takeAlone() : lock.take(keys.map(String)));
				if (round % 10 === 0 && Atomics.load(counts, ${INSIDE}) !== 0) throw new Error("somebody has a turn");
				Atomics.add(counts, ${INSIDE}, 1);
				const before = keys.map((key) => counts[key]);
				await setImmediate();
				keys.forEach((key, index) => (counts[key] = before[index] + 1));
				Atomics.sub(counts, ${INSIDE}, 1);
				held[Symbol.dispose]();
			}`,
		),
	);
	const ends = await Promise.all(workers.map(async (worker) => (await once(worker, "exit"))[0]));
	expect(ends).toEqual([0, 0, 0]);
	const expected = Array.from({ length: KEYS }, (_, key) => {
		const has = (number: number, round: number) => (round + number) % KEYS === key || (7 * round) % KEYS === key;
		return [0, 1, 2].reduce(
			(sum, number) => sum + Array.from({ length: rounds }, (_, round) => has(number, round)).filter(Boolean).length,
			0,
		);
	});
	expect([...new Int32Array(shared.counts)]).toEqual([...expected, 0]);
});

it("has turns of one thread wait for each other", async () => {
	const lock = new TurnLock(createTurnLockMemory());
	const order: string[] = [];
	const first = await lock.take(["a", "b"]);
	const second = lock.take(["b"]).then((held) => {
		order.push("second");
		return held;
	});
	await setImmediate();
	const alone = lock.takeAlone().then((held) => {
		order.push("alone");
		return held;
	});
	await setImmediate();
	const third = lock.take(["c"]).then((held) => {
		order.push("third");
		return held;
	});
	await setImmediate();
	expect(order).toEqual([]);
	first[Symbol.dispose]();
	(await second)[Symbol.dispose]();
	(await alone)[Symbol.dispose]();
	(await third)[Symbol.dispose]();
	expect(order).toEqual(["second", "alone", "third"]);
});

it.each(["lock.take(['a'])", "lock.takeAlone()"])("frees what a thread had that has ended: %s", async (take) => {
	const shared = share();
	const worker = startWorker(shared, `await ${take}; process.exit(3);`);
	const { threadId } = worker;
	await once(worker, "exit");
	const lock = new TurnLock(shared.memory, 100);
	await expect(lock.take(["a"])).rejects.toMatchObject({ name: "StorageUnavailable", reason: "busy" });
	const waiting = new TurnLock(shared.memory).take(["a"]);
	releaseTurnsOfEndedThread(shared.memory, threadId);
	(await waiting)[Symbol.dispose]();
	(await lock.takeAlone())[Symbol.dispose]();
});

it("leaves nothing behind when it has waited for too long", async () => {
	const memory = createTurnLockMemory();
	const lock = new TurnLock(memory, 50);
	const held = await lock.take(["a"]);
	await expect(lock.take(["b", "a"])).rejects.toMatchObject({ reason: "busy" });
	await expect(lock.takeAlone()).rejects.toMatchObject({ reason: "busy" });
	(await lock.take(["b"]))[Symbol.dispose]();
	held[Symbol.dispose]();
	expect(new Int32Array(memory).every((word) => word === 0)).toBe(true);
});

it("has no more turns at a time than there are places", async () => {
	const lock = new TurnLock(createTurnLockMemory(), 50);
	const held = await Promise.all(Array.from({ length: 64 }, (_, key) => lock.take([String(key)])));
	await expect(lock.take(["more"])).rejects.toMatchObject({ reason: "busy" });
	for (const turn of held) turn[Symbol.dispose]();
	(await lock.take(["more"]))[Symbol.dispose]();
});
