import http from "node:http";
import https from "node:https";
import { buffer } from "node:stream/consumers";

/**
 * A `fetch` for bodies that are bytes: the one of Node copies them three times, which is most of what an import costs.
 * @param signal ends all requests
 */
export function uploadFetch(signal: AbortSignal): typeof fetch {
	return async (input, init = {}) => {
		const own = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
		try {
			const answer = await send(new URL(String(input)), init, own);
			const { statusCode: status = 0 } = answer;
			const body = await buffer(answer);
			// Where that leads to is known to the other one.
			if (status >= 300 && status < 400) return await fetch(input, { ...init, signal: own });
			const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
				values.map((value): [string, string] => [name, value]),
			);
			return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers });
		} catch (error) {
			if (own.aborted) throw own.reason;
			// What says that there was no answer, for whoever tries again.
			throw error instanceof TypeError ? error : new TypeError("fetch failed", { cause: error });
		}
	};
}

function send(url: URL, { method, headers, body }: RequestInit, signal: AbortSignal): Promise<http.IncomingMessage> {
	const { request } = url.protocol === "https:" ? https : http;
	return new Promise((resolve, reject) => {
		const options = { headers: Object.fromEntries(new Headers(headers)), signal, ...(method && { method }) };
		const sent = request(url, options, resolve);
		sent.on("error", reject);
		sent.end(body);
	});
}
