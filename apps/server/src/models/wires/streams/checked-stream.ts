import { ModelError } from "#models/model-error.ts";
import type { Hide } from "../errors/hide-credentials.ts";
import { ofOutgoing } from "../errors/of-outgoing.ts";
import { errorOfEvent, notOfProtocol } from "../errors/provider-error.ts";
import { isJsonObject, parseJson } from "../json-object.ts";
import type { EventMeaning, Protocol } from "./protocol.ts";
import { type EventReader, type StreamEvent, UnreadableEvent } from "./stream-events.ts";

/** How long what comes after the last event may keep a connection from being used again. */
const DRAIN_MS = 1_000;

const MAX_NAME_LENGTH = 200;

/** What was seen of an answer beside the library, which would take a part for the whole. */
export interface Seen {
	/** Why the answer is not whole. */
	error?: ModelError;
	/** The model that answered. */
	model?: string;
}

interface Checks {
	readonly reader: EventReader;
	readonly protocol: Protocol;
	readonly hide: Hide;
	readonly seen: Seen;
}

/**
 * The events of a stream up to the first that is wrong. It ends there as if it were whole, so that nothing of what came
 * before is lost in the library; `seen.error` then says what was wrong.
 */
export function checkedStream(body: ReadableStream<Uint8Array>, checks: Checks): ReadableStream<Uint8Array> {
	const { reader, protocol, hide, seen } = checks;
	const source = body.getReader();
	let mayEnd = false;

	/** Passes events on until one is the last, or wrong. */
	const pass = (
		events: Iterable<StreamEvent>,
		controller: ReadableStreamDefaultController<Uint8Array>,
	): "none" | "some" | "last" => {
		let passed: "none" | "some" = "none";
		for (const event of events) {
			const value = parseJson(event.data)?.value;
			const meaning = protocol.meaningOf({ ...event, value });
			if (meaning === "error" || meaning === "foreign") {
				seen.error = errorOf(meaning, event, value, hide);
				return "last";
			}
			noteModel(protocol, value, seen);
			controller.enqueue(event.bytes);
			passed = "some";
			mayEnd ||= meaning !== "piece";
			if (meaning === "end") return "last";
		}
		return passed;
	};

	/** Passes on what the next bytes complete; whether the stream goes on. */
	const advance = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> => {
		for (;;) {
			const { done, value } = await source.read();
			if (done) break;
			// A pull that gives nothing is not repeated.
			const passed = pass(reader.read(value), controller);
			if (passed !== "none") return passed === "some";
		}
		const rest = reader.rest();
		if (rest !== undefined && rest !== "cut") pass([rest], controller);
		if (rest === "cut" || !mayEnd) seen.error ??= cutOff();
		return false;
	};

	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			try {
				if (await advance(controller)) return;
			} catch (error) {
				seen.error ??= whyUnread(error, hide);
			}
			controller.close();
			void drain(source, seen.error === undefined);
		},
		async cancel(reason) {
			await source.cancel(reason);
		},
	});
}

/** Notes the model that a part of an answer names. */
export function noteModel(protocol: Protocol, value: unknown, seen: Seen): void {
	if (seen.model !== undefined || !isJsonObject(value)) return;
	const model = protocol.modelOf(value);
	if (typeof model === "string" && model !== "") seen.model = model.slice(0, MAX_NAME_LENGTH).toWellFormed();
}

function errorOf(
	meaning: Extract<EventMeaning, "error" | "foreign">,
	event: StreamEvent,
	value: unknown,
	hide: Hide,
): ModelError {
	if (meaning === "error") return errorOfEvent(value ?? { message: event.data }, hide, event.name.replace(/^!/, ""));
	if (event.data === "[DONE]") return cutOff();
	return notOfProtocol("An event in the answer of the provider is not of its protocol.", event.data, hide);
}

/** @throws what is a fault of this server */
function whyUnread(error: unknown, hide: Hide): ModelError {
	if (error instanceof UnreadableEvent) {
		return notOfProtocol(`The answer of the provider cannot be read: ${error.message}.`, error.text, hide);
	}
	const found = ofOutgoing(error);
	if (found instanceof ModelError) return found;
	throw found;
}

function cutOff(): ModelError {
	return new ModelError("interrupted", "The stream ended before the answer did. What came before is a part of it.", {
		isPassing: true,
	});
}

/** Reads on to the end of what was whole, so that the connection can be used again; ends the request of any other. */
async function drain(source: ReadableStreamDefaultReader<Uint8Array>, isWhole: boolean): Promise<void> {
	const timer = setTimeout(() => void cancel(source), isWhole ? DRAIN_MS : 0);
	try {
		while (!(await source.read()).done);
	} catch {
		// The answer is complete, or its error is noted.
	} finally {
		clearTimeout(timer);
	}
}

async function cancel(source: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
	try {
		await source.cancel();
	} catch {
		// It ended by itself.
	}
}
