import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

export interface PlainAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
}

/** Sends exactly these headers; `fetch` adds some of its own and refuses others. */
export async function sendPlain(
	method: string,
	url: string,
	headers: Readonly<Record<string, string>> = {},
	body = "",
): Promise<PlainAnswer> {
	const length =
		body === "" && (method === "GET" || method === "HEAD") ? {} : { "content-length": Buffer.byteLength(body) };
	const sent = request(url, { method, headers: { ...length, ...headers }, agent: false }).end(body);
	const [answer]: IncomingMessage[] = await once(sent, "response");
	if (answer === undefined) throw new Error("the server did not answer");
	const chunks: Buffer[] = [];
	for await (const chunk of answer) chunks.push(chunk);
	return {
		status: answer.statusCode ?? 0,
		headers: answer.headers,
		text: Buffer.concat(chunks).toString("utf8"),
	};
}
