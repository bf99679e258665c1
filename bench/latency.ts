import { setTimeout as sleep } from "node:timers/promises";

/** Requests that do not count, before those that do. */
export const WARM_UP_REQUESTS = 10;

/**
 * Milliseconds of each of `count` requests, one after the other, after some to warm up.
 * @param url or several that are asked in turn, from the first again after the last
 */
export async function measureLatency(
	url: string | readonly string[],
	count: number,
	headers: Readonly<Record<string, string>> = {},
): Promise<number[]> {
	const urls = typeof url === "string" ? [url] : url;
	const times: number[] = [];
	for (let n = 0; n < WARM_UP_REQUESTS + count; n++) {
		const next = urls[n % urls.length];
		if (next === undefined) throw new Error("there is no address to ask");
		const time = await timeRequest(next, headers);
		if (n >= WARM_UP_REQUESTS) times.push(time);
	}
	return times;
}

/** Asks again and again, with a pause between, until stopped. */
export function sampleLatency(
	url: string,
	pauseMs: number,
	headers: Readonly<Record<string, string>> = {},
): { readonly stop: () => Promise<number[]> } {
	const times: number[] = [];
	let stopped = false;
	const sampling = (async () => {
		while (!stopped) {
			times.push(await timeRequest(url, headers));
			await sleep(pauseMs);
		}
	})();
	return {
		stop: async () => {
			stopped = true;
			await sampling;
			return times;
		},
	};
}

async function timeRequest(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
	const start = performance.now();
	const response = await fetch(url, { headers });
	const body = await response.text();
	if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body.slice(0, 300)}`);
	return performance.now() - start;
}
