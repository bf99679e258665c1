import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { givingWay } from "./give-way.ts";

const WORK_MS = 60;

async function* made(): AsyncGenerator<number> {
	for (const chunk of [1, 2, 3]) {
		await sleep(WORK_MS);
		yield chunk;
	}
}

test("rests after each chunk as long as it took, while spans are received", async () => {
	let isBusy = true;
	const rests: number[] = [];
	let took = performance.now();
	for await (const chunk of givingWay(made(), {
		get isBusy() {
			return isBusy;
		},
	})) {
		rests.push(performance.now() - took - WORK_MS);
		took = performance.now();
		if (chunk === 2) isBusy = false;
	}
	expect(rests).toHaveLength(3);
	// The first is made at once, the second after a rest, the third without one: only what must be is compared.
	expect(rests[1]).toBeGreaterThan(WORK_MS * 0.9);
});
