import type { z } from "zod";
import type { Semantic as SemanticSchema } from "../spans/semantic-schema.ts";
import { grouped } from "./budget.ts";
import type { Content } from "./contents.ts";

type Semantic = z.output<typeof SemanticSchema>;
type Message = NonNullable<Semantic["input_messages"]>[number];

/** The messages that a model was given, and those that it gave. */
export function messageContents(semantic: Semantic): { readonly given: Content[]; readonly gave: Content[] } {
	return {
		given: (semantic.input_messages ?? semantic.conversation ?? []).map(toContent),
		gave: (semantic.output_messages ?? []).map(toContent),
	};
}

/** What a span was given: messages, else its input, with the documents that it found. */
export function inputContents(semantic: Semantic): Content[] {
	const { given } = messageContents(semantic);
	if (given.length > 0) return given;
	const text = semantic.input_text ?? rawText(semantic.input);
	return text === undefined ? [] : [{ title: "input", text }];
}

/** What a span gave: messages, else its output. */
export function outputContents(semantic: Semantic): Content[] {
	const { gave } = messageContents(semantic);
	const documents = (semantic.documents ?? []).map(({ id, score, content }, at) => ({
		title: `document ${id ?? at + 1}${score === undefined ? "" : ` (score ${score})`}`,
		text: content ?? "",
	}));
	const text = semantic.output_text ?? rawText(semantic.output);
	const output = gave.length > 0 || text === undefined ? gave : [{ title: "output", text }];
	return [...documents, ...output];
}

/** How a span failed. */
export function errorContents({ error }: Semantic): Content[] {
	if (error === undefined) return [];
	const text = [error.message ?? error.raw_status_message, error.stacktrace].filter(
		(each) => each !== undefined && each !== "",
	);
	return [{ title: `error${error.type === undefined ? "" : ` ${error.type}`}`, text: text.join("\n") }];
}

/** JSON, or a text as it is. */
export function jsonText(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function rawText(raw: Semantic["input"]): string | undefined {
	return raw === undefined ? undefined : jsonText(raw.value);
}

/** A message with what it holds besides text: calls of tools, and images and files by type and size alone. */
function toContent(message: Message): Content {
	const {
		role,
		text,
		name,
		tool_call_id: answers,
		images = 0,
		media = [],
		reasoning,
		tool_calls: calls = [],
	} = message;
	const lines = [
		...(reasoning === undefined ? [] : [`(reasoning) ${reasoning}`]),
		...(text === undefined ? [] : [text]),
		...calls.map((call) => `→ ${call.name ?? "tool"}(${jsonText(call.arguments ?? {})})`),
		...(images > 0 ? [`[${images} image${images === 1 ? "" : "s"}${sizeOf(message.image_urls ?? [])}]`] : []),
		...media.map(({ kind, mime, url, name: file, transcript }) =>
			[
				`[${[kind, mime, file].filter((part) => part !== undefined).join(" ")}${sizeOf(url === undefined ? [] : [url])}]`,
				transcript,
			]
				.filter((part) => part !== undefined)
				.join(" "),
		),
	];
	const of = name === undefined ? "" : ` ${name}`;
	return { title: `${role}${of}${answers === undefined ? "" : ` (answers ${answers})`}`, text: lines.join("\n") };
}

/** Of what is in the messages themselves, about: base64 has four characters for three bytes. */
function sizeOf(urls: readonly string[]): string {
	const characters = urls.filter((url) => url.startsWith("data:")).reduce((sum, url) => sum + url.length, 0);
	return characters === 0 ? "" : `, about ${grouped(Math.ceil((characters * 3) / 4 / 1_024))} KiB`;
}
