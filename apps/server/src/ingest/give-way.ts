import { setTimeout as sleep } from "node:timers/promises";
import type { Ingest } from "./ingest.ts";

/**
 * The chunks of a long answer. While spans are received, each is followed by a rest as long as it took to make, since both
 * need the same processors, and a sender that is not answered in time sends again.
 */
export async function* givingWay<T>(chunks: AsyncIterable<T>, ingest: Pick<Ingest, "isBusy">): AsyncGenerator<T> {
	let began = performance.now();
	for await (const chunk of chunks) {
		const took = performance.now() - began;
		yield chunk;
		if (ingest.isBusy) await sleep(took);
		began = performance.now();
	}
}
