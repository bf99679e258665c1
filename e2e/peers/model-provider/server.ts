import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { answerCall, checkKey } from "./answer-call.ts";
import { type IncomingCall, invalid, ProviderError, type Wire } from "./call.ts";
import type { Control, ListenerName } from "./control.ts";
import { ClientGone, Exchange } from "./exchange.ts";
import { isObject, type JsonObject } from "./json.ts";
import { answerError, misbehave } from "./misbehave.ts";
import { findModelList, type ModelList } from "./model-lists.ts";
import type { ProviderState, RequestEntry } from "./state.ts";
import { answerEntra, answerGoogle, ENTRA_PATH, GOOGLE_PATH } from "./tokens.ts";
import { anthropic } from "./wires/anthropic.ts";
import { BEDROCK_PATH, bedrock } from "./wires/bedrock.ts";
import { GEMINI_PATH, gemini } from "./wires/gemini.ts";
import { openaiChat } from "./wires/openai-chat.ts";
import { openaiResponses } from "./wires/openai-responses.ts";

/** Which wire a path belongs to. Providers that speak OpenAI's have it below different paths. */
const WIRES: readonly (readonly [path: RegExp, wire: Wire])[] = [
	[/\/chat\/completions$/, openaiChat],
	[/\/responses$/, openaiResponses],
	[/^(\/anthropic)?\/v1\/messages$/, anthropic],
	[GEMINI_PATH, gemini],
	[BEDROCK_PATH, bedrock],
];
/** The behaviours of lists are set as those of a model with this name. */
const LIST_MODEL = "/models";

/** Answers every request of a listener. */
export async function answerRequest(
	request: IncomingMessage,
	response: ServerResponse,
	state: ProviderState,
	listener: ListenerName,
	serverName: string | undefined,
): Promise<void> {
	const body = await readBody(request);
	const { url: target = "/", method = "GET" } = request;
	const url = new URL(target, "http://localhost");
	if (url.pathname.startsWith("/_")) {
		answerControl(url, body, response, state);
		return;
	}
	const entry = state.record({
		method,
		path: target,
		rawHeaders: request.rawHeaders,
		body,
		listener,
		...(serverName === undefined ? {} : { serverName }),
	});
	const exchange = new Exchange(request, response, entry, () => state.end(entry));
	try {
		await answer(exchange, url, body, entry, state);
	} catch (error) {
		if (!(error instanceof ClientGone)) throw error;
	}
}

async function answer(
	exchange: Exchange,
	{ pathname: path, searchParams: query }: URL,
	bytes: Buffer,
	entry: RequestEntry,
	state: ProviderState,
): Promise<void> {
	const { headers } = exchange.request;
	if (entry.method === "GET") {
		const list = findModelList({ path, headers });
		if (list !== undefined) {
			entry.wire = list.wire.name;
			await answerList(exchange, list, { path, query, headers, body: {}, id: "", bytes }, state);
			return;
		}
	}
	const token = entry.method === "POST" ? answerTokenRequest(path, bytes, state) : undefined;
	if (token !== undefined) {
		entry.wire = "token";
		exchange.answerJson(token.status, token.body);
		return;
	}
	const wire = entry.method === "POST" ? WIRES.find(([pattern]) => pattern.test(path))?.[1] : undefined;
	if (wire === undefined) {
		const message = `Invalid URL (${entry.method} ${path})`;
		exchange.answerJson(404, { error: { message, type: "invalid_request_error", param: null, code: null } });
		return;
	}
	entry.wire = wire.name;
	const id = createHash("sha256").update(bytes).digest("hex").slice(0, 24);
	const body = parseObject(bytes);
	if (body === undefined)
		answerError(exchange, wire, { path, headers }, wire.refuse("invalid", "") ?? invalid("not JSON"));
	else await answerCall(exchange, wire, { path, query, headers, body, id, bytes }, state);
}

async function answerList(
	exchange: Exchange,
	{ wire, usual, write }: ModelList,
	incoming: IncomingCall & { readonly bytes: Buffer },
	state: ProviderState,
): Promise<void> {
	try {
		checkKey(exchange, wire, incoming, state);
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error;
		answerError(exchange, wire, incoming, error);
		return;
	}
	if (await misbehave(exchange, wire, incoming, LIST_MODEL, state.behaviourOf(LIST_MODEL), state)) return;
	exchange.answerJson(200, write(state.listed ?? usual));
}

function answerTokenRequest(path: string, bytes: Buffer, state: ProviderState) {
	const tenant = ENTRA_PATH.exec(path)?.[1];
	if (path !== GOOGLE_PATH && tenant === undefined) return undefined;
	const form = new URLSearchParams(bytes.toString());
	const token = state.issueToken();
	return tenant === undefined
		? answerGoogle(form, state.tokens, token)
		: answerEntra(tenant, form, state.tokens, token);
}

/** What tests ask of the stand-in itself. */
function answerControl(url: URL, body: Buffer, response: ServerResponse, state: ProviderState): void {
	const json = (value: unknown) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
	switch (url.pathname) {
		case "/_control":
			try {
				state.set(JSON.parse(body.toString()) as Control);
				response.writeHead(204).end();
			} catch (error) {
				response.writeHead(400).end(String(error));
			}
			return;
		case "/_requests":
			json({ requests: state.listRequests(Number(url.searchParams.get("after") ?? 0)) });
			return;
		case "/_counters":
			json(state.count());
			return;
		case "/_connects":
			json({ connects: state.connects });
			return;
		default:
			response.writeHead(404).end();
	}
}

function parseObject(bytes: Buffer): JsonObject | undefined {
	try {
		const value: unknown = JSON.parse(bytes.toString());
		return isObject(value) ? value : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	const [first] = chunks;
	return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
