import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";

/** A page is quiet when nothing was asked or answered for so long. */
const QUIET_MS = 1_500;

/** One request of a page and what its answer weighed. */
export interface PageRequest {
	readonly url: string;
	/** Bytes on the wire, headers included; of a stream, what it has sent so far. */
	readonly bytes: number;
}

/**
 * Notes the requests of `page` from now on, as Chromium counts their bytes (`encodedDataLength` of its protocol), what it
 * prefetches included. @returns resolves with them once the page is quiet
 */
export async function recordTraffic(page: Page): Promise<() => Promise<PageRequest[]>> {
	const requests = new Map<string, { readonly url: string; bytes: number }>();
	let last = Date.now();
	const update = (requestId: string, bytes: (before: number) => number) => {
		const request = requests.get(requestId);
		if (request === undefined) return;
		last = Date.now();
		request.bytes = bytes(request.bytes);
	};
	const session = await page.context().newCDPSession(page);
	session.on("Network.requestWillBeSent", ({ requestId, request: { url } }) => {
		last = Date.now();
		if (url.startsWith("http")) requests.set(requestId, { url, bytes: 0 });
	});
	session.on("Network.responseReceived", ({ requestId, response }) =>
		update(requestId, () => response.encodedDataLength),
	);
	session.on("Network.dataReceived", ({ requestId, encodedDataLength }) =>
		update(requestId, (before) => before + encodedDataLength),
	);
	session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
		update(requestId, () => encodedDataLength),
	);
	await session.send("Network.enable");
	return async () => {
		while (Date.now() - last < QUIET_MS) await sleep(50);
		return [...requests.values()];
	};
}
