import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import { authorize } from "./credentials/authorize.ts";
import type { Hide } from "./errors/hide-credentials.ts";
import { ofOutgoing } from "./errors/of-outgoing.ts";
import { errorOfEvent, errorOfResponse, notOfProtocol } from "./errors/provider-error.ts";
import { isJsonObject, type JsonObject, parseJson } from "./json-object.ts";
import { MAX_ERROR_BYTES, readText } from "./read-text.ts";
import { AwsEventStream } from "./streams/aws-event-stream.ts";
import { checkedStream, noteModel, type Seen } from "./streams/checked-stream.ts";
import { protocolOf } from "./streams/protocol.ts";
import { ServerSentEvents } from "./streams/server-sent-events.ts";
import type { Wire } from "./wire.ts";

interface WireFetch {
	readonly connection: OpenConnection;
	readonly wire: Wire;
	readonly query: Readonly<Record<string, string>>;
	readonly token: string | undefined;
	/** The guarded one. */
	readonly fetch: typeof fetch;
	readonly signal: AbortSignal;
	readonly isStreamed: boolean;
	readonly complete: (body: JsonObject) => JsonObject;
	readonly hide: Hide;
	readonly seen: Seen;
}

/** The `fetch` of a library for one call: completes what it sends, and checks what it gets. */
export function wireFetch(call: WireFetch): typeof fetch {
	return async (input, init) => {
		const url = new URL(input instanceof Request ? input.url : input);
		for (const [name, value] of Object.entries(call.query)) url.searchParams.set(name, value);
		const body = JSON.stringify(call.complete(readBody(init?.body)));
		const headers = new Headers(init?.headers);
		headers.set("accept", call.isStreamed ? streamType(call.wire) : "application/json");
		authorize(call.connection, { method: "POST", url, headers, body }, call.token);
		try {
			return await send(call, url, { method: "POST", headers, body, redirect: "manual", signal: call.signal });
		} catch (error) {
			const found = ofOutgoing(error);
			if (found instanceof ModelError) call.seen.error ??= found;
			throw found;
		}
	};
}

function readBody(body: RequestInit["body"]): JsonObject {
	const value = typeof body === "string" ? parseJson(body)?.value : undefined;
	if (isJsonObject(value)) return value;
	throw new TypeError("A library sends something else than an object of JSON");
}

function streamType(wire: Wire): string {
	return wire === "converse" ? "application/vnd.amazon.eventstream" : "text/event-stream";
}

async function send(call: WireFetch, url: URL, init: RequestInit): Promise<Response> {
	const response = await call.fetch(url, init);
	if (!response.ok) throw errorOfResponse(response, await readText(response, MAX_ERROR_BYTES), call.hide);
	return call.isStreamed ? await streamed(call, response) : whole(call, response, await readText(response));
}

/** An answer that is not streamed: an object of JSON that is none of an error. */
function whole({ wire, hide, seen }: WireFetch, response: Response, text: string): Response {
	const protocol = protocolOf(wire);
	const value = parseJson(text)?.value;
	if (!isJsonObject(value)) throw notOfProtocol("The provider's answer is not an object of JSON.", text, hide);
	if (protocol.isError(value)) throw errorOfEvent(value, hide);
	noteModel(protocol, value, seen);
	return new Response(text, { status: response.status, headers: { "content-type": "application/json" } });
}

async function streamed(call: WireFetch, response: Response): Promise<Response> {
	const { wire, hide, seen } = call;
	const type = response.headers.get("content-type") ?? "";
	if (response.body === null || /\b(html|json)\b/i.test(type)) {
		const text = await readText(response, MAX_ERROR_BYTES);
		const value = parseJson(text)?.value;
		if (isJsonObject(value) && protocolOf(wire).isError(value)) throw errorOfEvent(value, hide);
		throw notOfProtocol("The provider's answer is not a stream.", text, hide);
	}
	const reader = wire === "converse" ? new AwsEventStream() : new ServerSentEvents();
	const protocol = protocolOf(wire, { needsDone: call.connection.kind !== "openai_compatible" });
	const body = checkedStream(response.body, { reader, protocol, hide, seen });
	const headers = { "content-type": streamType(wire) };
	return new Response(body, { status: response.status, headers });
}
