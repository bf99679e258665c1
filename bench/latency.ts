import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds of each of `count` requests, one after the other, after some to warm up. */
export async function measureLatency(
	url: string,
	count: number,
	headers: Readonly<Record<string, string>> = {},
): Promise<number[]> {
	for (let n = 0; n < 10; n++) await timeRequest(url, headers);
	const times: number[] = [];
	for (let n = 0; n < count; n++) times.push(await timeRequest(url, headers));
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
