import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("so many run at a time, the others in their order, and who leaves the queue has no turn", async () => {
	const turns = new Turns(2);
	const begun: number[] = [];
	const ends: (() => void)[] = [];
	const leaving = new AbortController();
	const run = (number: number, signal = new AbortController().signal) =>
		turns.run(async () => {
			begun.push(number);
			await new Promise<void>((resolve) => ends.push(resolve));
		}, signal);
	const runs = [run(1), run(2), run(3, leaving.signal), run(4)];
	await Promise.resolve();
	expect(begun).toEqual([1, 2]);
	leaving.abort(new Error("gone"));
	await expect(runs[2]).rejects.toThrow("gone");
	ends[0]?.();
	await runs[0];
	await expect.poll(() => begun).toEqual([1, 2, 4]);
	for (const end of ends) end();
	await Promise.all([runs[1], runs[3]]);
	const failing = turns.run(() => Promise.reject(new Error("broke")), new AbortController().signal);
	await expect(failing).rejects.toThrow("broke");
	expect(await turns.run(async () => "still free", new AbortController().signal)).toBe("still free");
});
