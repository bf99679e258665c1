import type { Json } from "./json-value.ts";

/** A message of a conversation, as the wire's `semantic` has it. */
export interface ChatMessage {
	readonly role: string;
	readonly text?: string | undefined;
	readonly tool_calls?: readonly ChatToolCall[] | undefined;
	readonly tool_call_id?: string | undefined;
	readonly images?: number | undefined;
	readonly image_urls?: readonly string[] | undefined;
	readonly media?: readonly ChatMedia[] | undefined;
	readonly reasoning?: string | undefined;
	readonly name?: string | undefined;
}

/** Audio, video or a file. */
export interface ChatMedia {
	readonly kind: "audio" | "video" | "file";
	readonly mime?: string | undefined;
	readonly url?: string | undefined;
	readonly name?: string | undefined;
	readonly id?: string | undefined;
	readonly transcript?: string | undefined;
}

export interface ChatToolCall {
	readonly id?: string | undefined;
	readonly name?: string | undefined;
	readonly arguments?: Json | undefined;
}

/** Names of called tools by the id of the call, for messages that carry only the id. */
export function toolNames(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
	const names = new Map<string, string>();
	for (const message of messages)
		for (const call of message.tool_calls ?? []) if (call.id && call.name) names.set(call.id, call.name);
	return names;
}

export interface ChatPart {
	readonly type: "messages" | "folded";
	readonly messages: readonly ChatMessage[];
}

/** At most this many messages are listed at once; of more, the middle is folded. */
const LISTED = 16;
const LAST = 8;

/** A long conversation as its beginning, a folded middle, and its end: what was asked last matters most. */
export function foldConversation(messages: readonly ChatMessage[]): readonly ChatPart[] {
	if (messages.length <= LISTED) return [{ type: "messages", messages }];
	return [
		{ type: "messages", messages: messages.slice(0, 2) },
		{ type: "folded", messages: messages.slice(2, -LAST) },
		{ type: "messages", messages: messages.slice(-LAST) },
	];
}

export interface ChatImages {
	/** data: addresses, which need no other host. */
	readonly inline: readonly string[];
	/** Addresses that are shown and not loaded. */
	readonly remote: readonly string[];
	/** Parts whose address was not sent. */
	readonly notSent: number;
}

const INLINE_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp)[;,]/iu;

export function imagesOf(message: ChatMessage): ChatImages {
	const urls = message.image_urls ?? [];
	return {
		inline: urls.filter((url) => INLINE_IMAGE.test(url)),
		remote: urls.filter((url) => !INLINE_IMAGE.test(url)),
		notSent: Math.max(0, (message.images ?? 0) - urls.length),
	};
}

/** Bytes of a data: address; undefined for other addresses. */
export function inlineBytes(url: string | undefined): number | undefined {
	const [, isBase64, data] = /^data:[^,]*?(;base64)?,(.*)$/su.exec(url ?? "") ?? [];
	if (data === undefined) return undefined;
	if (isBase64 === undefined) return decodedLength(data);
	const digits = data.replaceAll(/[\s=]/gu, "").length;
	return Math.floor((digits * 3) / 4);
}

/** Each escaped byte (`%20`) counts once. */
function decodedLength(text: string): number {
	return text.length - 2 * (text.match(/%[0-9a-f]{2}/giu)?.length ?? 0);
}

/** The arguments of a call on one line: `city: "Berlin", days: 3`. */
export function argumentsLine(value: Json | undefined, limit = 160): string {
	if (value === undefined || value === null || value === "") return "";
	const text =
		typeof value === "object" && !Array.isArray(value)
			? Object.entries(value)
					.slice(0, 8)
					.map(([key, member]) => `${key}: ${scalarLine(member)}`)
					.join(", ")
			: scalarLine(value);
	const line = text.replaceAll(/\s+/gu, " ");
	return line.length > limit ? `${line.slice(0, limit)}…` : line;
}

function scalarLine(value: Json): string {
	if (typeof value === "string") return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
	if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}]`;
	if (typeof value === "object" && value !== null) return Object.keys(value).length === 0 ? "{}" : "{…}";
	return String(value);
}
