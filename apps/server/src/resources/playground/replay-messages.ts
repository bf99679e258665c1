import type { Message, MessagePart, ToolCall } from "@spanward/semconv";
import { toWirePlain } from "#http/wire-plain.ts";
import { MESSAGE_ROLES } from "#models/definition-schemas.ts";
import { decodeImage, imageTypeOf, MAX_IMAGE_BYTES } from "#models/image-bytes.ts";
import { MAX_MESSAGES, type VariantContent } from "#models/variant.ts";
import type { Notes } from "./notes.ts";

type VariantMessage = VariantContent["messages"][number];
type Part = Exclude<VariantMessage["content"], string>[number];
type Role = VariantMessage["role"];

/** Characters of a text that a run takes. */
const MAX_TEXT = 1_000_000;

/** Recorded messages as those of a variant; what cannot be sent again is noted. */
export function replayMessages(messages: readonly Message[], notes: Notes): VariantMessage[] {
	if (messages.length > MAX_MESSAGES) {
		notes.add(`There are ${messages.length} messages, and a run takes ${MAX_MESSAGES}: delete some.`);
	}
	const ids = new CallIds();
	return messages.flatMap((message, position) => replayMessage(message, { position, notes, ids }) ?? []);
}

interface Place {
	readonly position: number;
	readonly notes: Notes;
	readonly ids: CallIds;
}

function replayMessage(message: Message, place: Place): VariantMessage | undefined {
	noteLeftOut(message, place);
	const content = contentOf(message).flatMap((part) => replayPart(part, place) ?? []);
	const parts: Part[] =
		message.role === "tool" ? [resultOf(message, content, place)] : [...content, ...callsOf(message, place)];
	const [first] = parts;
	if (first === undefined) {
		place.notes.addOfMessage("Nothing of {messages} can be sent again.", place.position);
		return undefined;
	}
	const role = roleOf(message, place);
	return parts.length === 1 && first.type === "text" ? { role, content: first.text } : { role, content: parts };
}

function noteLeftOut(message: Message, { notes, position }: Place): void {
	const note = (sentence: string) => notes.addOfMessage(sentence, position);
	if (message.reasoning !== undefined) note("The reasoning in {messages} is left out.");
	if (message.name !== undefined && message.role !== "tool") note("The name of who speaks in {messages} is left out.");
	for (const { kind } of message.media ?? []) {
		note(kind === "file" ? "A file in {messages} is left out." : `The ${kind} in {messages} is left out.`);
	}
}

/** Texts and images in their order, where it was recorded. */
function contentOf({ parts, text, images = 0, image_urls: urls = [] }: Message): readonly MessagePart[] {
	if (parts !== undefined) return parts;
	return [
		...(text === undefined ? [] : [{ type: "text" as const, text }]),
		...urls.map((url) => ({ type: "image" as const, url })),
		...Array.from({ length: Math.max(0, images - urls.length) }, () => ({ type: "image" as const })),
	];
}

function replayPart(part: MessagePart, place: Place): Part | undefined {
	if (part.type === "text") return { type: "text", text: sendable(part.text, place) };
	const image = part.url === undefined ? undefined : imageIn(part.url);
	if (typeof image === "object") return image;
	const reason = image ?? "was not recorded";
	place.notes.addOfMessage(`An image in {messages} ${reason}.`, place.position);
	return undefined;
}

const DATA_URL = /^data:[^,]{0,200};base64,/;

/** The image of a data URL, or why it cannot be sent. The address of an image is never fetched. */
function imageIn(url: string): Part | string {
	const head = DATA_URL.exec(url)?.[0];
	if (head === undefined) return "was not recorded, only its address, which the server does not fetch";
	const data = url.slice(head.length).replaceAll(/\s/g, "");
	const bytes = decodeImage(data);
	const type = bytes === undefined ? undefined : imageTypeOf(bytes);
	if (bytes === undefined || type === undefined) return "is no PNG, JPEG, WebP or GIF";
	if (bytes.byteLength > MAX_IMAGE_BYTES) return "has more than 5 MiB";
	return { type: "image", media_type: type, data };
}

function resultOf(message: Message, content: readonly Part[], place: Place): Part {
	const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
	if (texts.length < content.length) {
		place.notes.addOfMessage("An image in the tool result {messages} is left out.", place.position);
	}
	const id = message.tool_call_id ?? place.ids.nextAnswered();
	if (message.tool_call_id === undefined) noteIds(place);
	return { type: "tool_result", tool_call_id: id, tool_result: texts.join("\n") };
}

function callsOf(message: Message, place: Place): Part[] {
	return (message.tool_calls ?? []).map((call) => {
		if (call.id === undefined) noteIds(place);
		return {
			type: "tool_call",
			tool_call_id: place.ids.ofCall(call.id),
			tool_call: { type: "function", name: call.name ?? "", arguments: argumentsOf(call) },
		};
	});
}

function noteIds({ notes, position }: Place): void {
	notes.addOfMessage("Ids of tool calls in {messages} were not recorded: made up.", position);
}

/** Arguments that are no JSON are as the model wrote them. */
function argumentsOf({ arguments: sent }: ToolCall): string {
	if (sent === undefined) return "{}";
	return typeof sent === "string" ? sent : JSON.stringify(toWirePlain(sent));
}

/** Ids for calls without one; their results, which have none either, answer them in order. */
class CallIds {
	#made = 0;
	readonly #unanswered: string[] = [];

	ofCall(id: string | undefined): string {
		if (id !== undefined) return id;
		const made = this.#make();
		this.#unanswered.push(made);
		return made;
	}

	nextAnswered(): string {
		return this.#unanswered.shift() ?? this.#make();
	}

	#make(): string {
		this.#made += 1;
		return `call_${this.#made}`;
	}
}

function roleOf({ role }: Message, { notes, position }: Place): Role {
	const known = MESSAGE_ROLES.find((each) => each === role);
	if (known !== undefined) return known;
	notes.addOfMessage(`The role ${role.slice(0, 100)} of {messages} is not known to models: taken as user.`, position);
	return "user";
}

/** A text that a run takes. */
function sendable(text: string, { notes, position }: Place): string {
	if (text.length > MAX_TEXT) {
		notes.addOfMessage("{messages} is longer than the 1,000,000 characters that a run takes.", position);
	}
	if (!text.includes("\0") && text.isWellFormed()) return text;
	notes.addOfMessage("Characters of {messages} that are no text are left out.", position);
	return text.replaceAll("\0", "").toWellFormed();
}
