import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { formatJson } from "../../../ui/content/json-value.ts";
import type { ChatMessage, ChatToolCall } from "../../../ui/content/message.ts";
import { alignLists } from "./align-lists.ts";

/** Messages of two conversations that stand beside each other. */
export interface MessageRow {
	readonly left: ChatMessage | undefined;
	readonly right: ChatMessage | undefined;
	readonly isEqual: boolean;
}

/** Aligns two conversations: equal messages first, between them those of the same role, in order. */
export function alignMessages(left: readonly ChatMessage[], right: readonly ChatMessage[]): MessageRow[] {
	const rows: MessageRow[] = [];
	const equal = alignLists(left.map(messageKey), right.map(messageKey));
	let [l, r] = [0, 0];
	for (const [nextLeft, nextRight] of [...equal, [left.length, right.length] as const]) {
		rows.push(...alignRoles(left.slice(l, nextLeft), right.slice(r, nextRight)));
		[l, r] = [nextLeft + 1, nextRight + 1];
		if (nextLeft < left.length) rows.push({ left: left[nextLeft], right: right[nextRight], isEqual: true });
	}
	return rows;
}

function alignRoles(left: readonly ChatMessage[], right: readonly ChatMessage[]): MessageRow[] {
	const rows: MessageRow[] = [];
	const pairs = alignLists(
		left.map(({ role }) => role),
		right.map(({ role }) => role),
	);
	let [l, r] = [0, 0];
	for (const [nextLeft, nextRight] of [...pairs, [left.length, right.length] as const]) {
		for (const message of left.slice(l, nextLeft)) rows.push({ left: message, right: undefined, isEqual: false });
		for (const message of right.slice(r, nextRight)) rows.push({ left: undefined, right: message, isEqual: false });
		[l, r] = [nextLeft + 1, nextRight + 1];
		if (nextLeft < left.length) rows.push({ left: left[nextLeft], right: right[nextRight], isEqual: false });
	}
	return rows;
}

function messageKey(message: ChatMessage): string {
	return `${message.role} ${messageText(message)} ${(message.image_urls ?? []).join(" ")}`;
}

/** All that a message says, as one text; without the ids of calls, which differ with each call. */
export function messageText(message: ChatMessage): string {
	const { reasoning, text, tool_calls: calls = [], images = 0, media = [] } = message;
	return [
		...(reasoning ? [TEXTS.reasoning(reasoning)] : []),
		...(text ? [text] : []),
		...(images > 0 ? [TEXTS.images(images)] : []),
		...media.map(({ kind, name, url, transcript }) => TEXTS.media(kind, transcript ?? name ?? url ?? "")),
		...calls.map(callText),
	].join("\n");
}

function callText({ name = "", arguments: given }: ChatToolCall): string {
	return TEXTS.toolCall(name, given === undefined ? "" : typeof given === "string" ? given : formatJson(given));
}
