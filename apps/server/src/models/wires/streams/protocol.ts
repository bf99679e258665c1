import { isJsonObject, type JsonObject, objectAt } from "../json-object.ts";
import type { Wire } from "../wire.ts";

/**
 * What an event of a stream is: a piece, the last one, an error that the provider tells, or nothing of the protocol.
 * `may end`: the stream is whole when it ends now, but more may come.
 */
export type EventMeaning = "piece" | "may end" | "end" | "error" | "foreign";

/** What of a protocol tells whether an answer is whole; the libraries take a stream for whole when it merely ends. */
export interface Protocol {
	/** The meaning of one event; `value` is undefined for what is not JSON. */
	meaningOf(event: { readonly name: string; readonly data: string; readonly value: unknown }): EventMeaning;
	/** The model that answers, where this part of an answer names it. */
	modelOf(value: JsonObject): unknown;
	/** Whether an answer that is not streamed is an error that came with a status of success. */
	isError(body: JsonObject): boolean;
}

/**
 * For one answer: some of them remember what came before. `needsDone`: whether a stream of Chat Completions is whole only
 * with its last event, which some of the servers that speak it leave out.
 */
export function protocolOf(wire: Wire, { needsDone = true } = {}): Protocol {
	switch (wire) {
		case "chat":
			return chat(needsDone);
		case "responses":
			return RESPONSES;
		case "messages":
			return MESSAGES;
		case "gemini":
			return GEMINI;
		case "converse":
			return converse();
	}
}

/** The last chunk of text says why it is the last; `[DONE]` comes after it, and after the chunk with the usage. */
function chat(needsDone: boolean): Protocol {
	let isFinished = false;
	return {
		meaningOf({ data, value }) {
			if (data === "[DONE]") return isFinished ? "end" : "foreign";
			if (!isJsonObject(value)) return "foreign";
			if (hasError(value)) return "error";
			const { choices } = value;
			if (!Array.isArray(choices)) return "foreign";
			// Some servers say "" where others say null.
			isFinished ||= choices.some((choice) => /./.test(String(objectAt(choice)["finish_reason"] ?? "")));
			return isFinished && !needsDone ? "may end" : "piece";
		},
		modelOf: ({ model }) => model,
		isError: hasError,
	};
}

const RESPONSES: Protocol = {
	meaningOf({ value }) {
		const type = objectAt(value)["type"];
		if (typeof type !== "string") return isJsonObject(value) && hasError(value) ? "error" : "foreign";
		if (type === "error" || type === "response.failed") return "error";
		return type === "response.completed" || type === "response.incomplete" ? "end" : "piece";
	},
	modelOf: (value) => objectAt(value, "response")["model"] ?? value["model"],
	isError: (body) => hasError(body) || body["status"] === "failed",
};

const MESSAGES: Protocol = {
	meaningOf({ value }) {
		const type = objectAt(value)["type"];
		if (typeof type !== "string") return isJsonObject(value) && hasError(value) ? "error" : "foreign";
		if (type === "error") return "error";
		return type === "message_stop" ? "end" : "piece";
	},
	modelOf: (value) => objectAt(value, "message")["model"] ?? value["model"],
	isError: (body) => hasError(body) || body["type"] === "error",
};

/** Nothing comes after the chunk with a reason to finish but what is said about the whole. */
const GEMINI: Protocol = {
	meaningOf({ value }) {
		if (!isJsonObject(value)) return "foreign";
		if (hasError(value) || isBlocked(value)) return "error";
		const { candidates } = value;
		if (!Array.isArray(candidates)) return Object.hasOwn(value, "usageMetadata") ? "piece" : "foreign";
		return typeof objectAt(candidates[0])["finishReason"] === "string" ? "may end" : "piece";
	},
	modelOf: ({ modelVersion }) => modelVersion,
	isError: (body) => hasError(body) || isBlocked(body),
};

/** The prompt was filtered: there is no answer. */
function isBlocked({ promptFeedback, candidates }: JsonObject): boolean {
	return typeof objectAt(promptFeedback)["blockReason"] === "string" && candidates === undefined;
}

/** The last message has the usage. */
function converse(): Protocol {
	let isStopped = false;
	return {
		meaningOf({ name, value }) {
			if (name.startsWith("!")) return "error";
			if (name === "" || !isJsonObject(value)) return "foreign";
			isStopped ||= name === "messageStop";
			return name === "metadata" && isStopped ? "end" : "piece";
		},
		modelOf: () => undefined,
		isError: () => false,
	};
}

function hasError(value: JsonObject): boolean {
	const { error } = value;
	return error !== undefined && error !== null && error !== false;
}
