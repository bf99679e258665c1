import { constants, deflateRawSync, gzipSync } from "node:zlib";
import { makeAnswer, splitText } from "./answers.ts";
import { type Behaviour, joinBehaviours, readBehaviour } from "./behaviours.ts";
import { type Answer, type IncomingCall, type ModelCall, ProviderError, type StreamEvent, type Wire } from "./call.ts";
import type { Exchange } from "./exchange.ts";
import { answerError, misbehave } from "./misbehave.ts";
import { accessKeyOf, isSignedWith } from "./signature.ts";
import type { ProviderState } from "./state.ts";

const MIB = 1_048_576;
const FLOOD_PIECE = "flood-".repeat(10_000);
/** Stands for a long text while the JSON around it is made. */
const MARK = "LONG-TEXT";
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const BOMB_MIB = 64;
const BOMB_PARTS = 160;

/** Reads a call of a model, and answers it as its model does. */
export async function answerCall(
	exchange: Exchange,
	wire: Wire,
	incoming: IncomingCall & { readonly bytes: Buffer },
	state: ProviderState,
): Promise<void> {
	try {
		checkKey(exchange, wire, incoming, state);
		const call = wire.read(incoming);
		state.begin(exchange.entry, call.model);
		const usual = state.behaviourOf(call.model);
		if (await misbehave(exchange, wire, incoming, call.model, usual, state)) return;
		// A request that fails as its model does takes no answer away.
		const given = state.nextAnswer(call);
		const own = joinBehaviours((given?.behaviours ?? []).map(readBehaviour));
		if (await misbehave(exchange, wire, incoming, call.model, own, state)) return;
		const behaviour = joinBehaviours([usual, own]);
		checkParameters(wire, call, behaviour);
		// A prompt that is filtered by a provider that answers none the less.
		const isFiltered = behaviour.refusal === "filter-prompt";
		const answer = isFiltered
			? makeAnswer(call, { ...behaviour, content: "filter" }, { text: "" })
			: makeAnswer(call, behaviour, given);
		if (call.isStreamed) await sendStream(exchange, wire, call, answer, behaviour);
		else await sendWhole(exchange, wire, call, answer, behaviour);
	} catch (error) {
		if (!(error instanceof ProviderError)) throw error;
		answerError(exchange, wire, incoming, error);
	}
}

/** @throws ProviderError when keys were set and the request has none of them */
export function checkKey(
	exchange: Exchange,
	wire: Wire,
	incoming: IncomingCall & { readonly bytes: Buffer },
	state: ProviderState,
): void {
	if (state.keys === undefined) return;
	const accessKey = wire.name === "bedrock" ? accessKeyOf(incoming.headers) : undefined;
	const secret = state.keys.find((key) => accessKey !== undefined && key.startsWith(`${accessKey}:`));
	const signed = { ...incoming, method: exchange.request.method ?? "", body: incoming.bytes };
	const isKnown =
		secret === undefined
			? state.isKnown(wire.keyOf(incoming))
			: isSignedWith(secret.slice(secret.indexOf(":") + 1), signed);
	const refused = wire.refuse("authentication", "");
	if (!isKnown && refused !== undefined) throw refused;
}

/** @throws ProviderError when the request has a parameter that the model refuses */
function checkParameters(wire: Wire, { model, parameters }: ModelCall, { refuses = [] }: Behaviour): void {
	for (const [name, own] of parameters) {
		if (!(refuses.includes(name) || refuses.includes(own))) continue;
		const refused = wire.refuse("unsupported", model, own);
		if (refused !== undefined) throw refused;
	}
}

async function sendWhole(
	exchange: Exchange,
	wire: Wire,
	call: ModelCall,
	answer: Answer,
	behaviour: Behaviour,
): Promise<void> {
	const headers = { "content-type": "application/json" };
	const longMiB = behaviour.floodMiB ?? behaviour.bigEventMiB;
	if (longMiB !== undefined) {
		const whole = JSON.stringify(wire.writeWhole(call, { ...answer, text: MARK }));
		const [before = "", after = ""] = whole.split(MARK);
		exchange.writeHead(200, headers);
		await exchange.write(before);
		for (const piece of longText(longMiB)) await exchange.write(piece);
		exchange.end(after);
		return;
	}
	if (behaviour.stream === "error-event") throw wire.refuse("server", call.model);
	const body = Buffer.from(JSON.stringify(wire.writeWhole(call, answer)));
	const half = body.subarray(0, Math.ceil(body.length / 2));
	if (behaviour.stream === "bad-event") exchange.answer(200, headers, half);
	else if (behaviour.stream === "cut" || behaviour.silent === "after first") {
		exchange.writeHead(200, { ...headers, "content-length": body.length });
		await exchange.write(half);
		if (behaviour.silent === "after first") await exchange.beSilent();
		await exchange.cut();
	} else if (behaviour.encoding === "gzip-bomb") await sendBomb(exchange, headers, body);
	else await send(exchange, headers, [{ bytes: body }], behaviour);
}

async function sendStream(
	exchange: Exchange,
	wire: Wire,
	call: ModelCall,
	answer: Answer,
	behaviour: Behaviour,
): Promise<void> {
	const headers = { "content-type": wire.streamType, "cache-control": "no-cache" };
	if (behaviour.floodMiB !== undefined) {
		exchange.writeHead(200, headers);
		const flood = { ...answer, text: "flood", pieces: longText(behaviour.floodMiB) };
		for (const { bytes } of wire.writeStream(call, flood)) await exchange.write(bytes);
		exchange.end();
		return;
	}
	const [first = "", ...rest] = splitText(answer.text);
	const big = behaviour.bigEventMiB && { pieces: [first, "big-".repeat((behaviour.bigEventMiB * MIB) / 4), ...rest] };
	const events = Array.from(wire.writeStream(call, { ...answer, ...(big ? big : {}) }));
	const body = alterStream(wire, call, events, behaviour);
	if (behaviour.encoding === "gzip-bomb") await sendBomb(exchange, headers, toBuffer(body));
	else if (behaviour.stream === "cut" || behaviour.silent === "after first") {
		exchange.writeHead(200, headers);
		const isCut = behaviour.stream === "cut";
		// Of the event behind the half, too: a connection is not cut between two.
		const sent = isCut ? body.slice(0, Math.ceil(body.length / 2)) : body.slice(0, findFirst(events) + 1);
		await sendEvents(exchange, sent, behaviour);
		const next = toBuffer(body.slice(sent.length, sent.length + 1));
		if (isCut) await exchange.write(next.subarray(0, Math.ceil(next.length / 2)));
		else await exchange.beSilent();
		await exchange.cut();
	} else await send(exchange, headers, body, behaviour);
}

/** The events with what goes wrong among them. */
function alterStream(
	wire: Wire,
	{ model }: ModelCall,
	events: readonly StreamEvent[],
	{ stream }: Behaviour,
): readonly StreamEvent[] {
	const middle = Math.ceil(events.length / 2);
	switch (stream) {
		case "no-end":
			return events.filter(({ part }) => part === undefined);
		case "no-done":
			return events.filter(({ part }) => part !== "done");
		case "bad-event":
			return events.toSpliced(middle, 1, { bytes: wire.brokenEvent });
		case "error-event": {
			const error = wire.refuse("overloaded", model) ?? new ProviderError("overloaded", 503, "Overloaded");
			return [...events.slice(0, middle), { bytes: wire.writeErrorEvent(error) }];
		}
		default:
			return events;
	}
}

/** Place of the first event that has a piece of the answer: those before it only begin. */
function findFirst(events: readonly StreamEvent[]): number {
	const bare = events.findIndex(
		({ bytes }) => /delta|parts/i.test(bytes.toString()) && !/"content":(""|null)/.test(bytes.toString()),
	);
	return Math.max(0, bare);
}

async function send(
	exchange: Exchange,
	headers: Readonly<Record<string, string>>,
	events: readonly StreamEvent[],
	behaviour: Behaviour,
): Promise<void> {
	if (behaviour.encoding === "gzip") {
		exchange.answer(200, { ...headers, "content-encoding": "gzip" }, gzipSync(toBuffer(events)));
		return;
	}
	exchange.writeHead(200, headers);
	await sendEvents(exchange, events, behaviour);
	exchange.end();
}

async function sendEvents(
	exchange: Exchange,
	events: readonly StreamEvent[],
	{ paceMs, split }: Behaviour,
): Promise<void> {
	if (paceMs === undefined && !split) {
		await exchange.write(toBuffer(events));
		return;
	}
	for (const { bytes } of events) {
		for (const piece of split ? cutInPieces(bytes) : [bytes]) await exchange.write(piece);
		if (paceMs !== undefined) await exchange.wait(paceMs);
	}
}

function* cutInPieces(bytes: string | Buffer): Iterable<Buffer> {
	const all = Buffer.from(bytes);
	for (let start = 0; start < all.length; start += 7) yield all.subarray(start, start + 7);
}

function toBuffer(events: readonly StreamEvent[]): Buffer {
	return Buffer.concat(events.map(({ bytes }) => (typeof bytes === "string" ? Buffer.from(bytes) : bytes)));
}

function* longText(mebibytes: number): Iterable<string> {
	for (let sent = 0; sent < mebibytes * MIB; sent += FLOOD_PIECE.length) yield FLOOD_PIECE;
}

/** The start of an answer, then 10 GiB of white space in 10 MiB. */
async function sendBomb(exchange: Exchange, headers: Readonly<Record<string, string>>, body: Buffer): Promise<void> {
	exchange.writeHead(200, { ...headers, "content-encoding": "gzip" });
	await exchange.write(GZIP_HEADER);
	await exchange.write(compressPart(body.subarray(0, Math.ceil(body.length / 2))));
	const spaces = compressPart(Buffer.alloc(BOMB_MIB * MIB, " "));
	for (let part = 0; part < BOMB_PARTS; part++) await exchange.write(spaces);
	exchange.end();
}

/** A part of a stream of deflate, which may be put behind others and repeated. */
function compressPart(bytes: Buffer): Buffer {
	return deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
}
