import { expect, test } from "vitest";
import { readParts } from "./message-parts.ts";
import { readMessage } from "./messages.ts";
import type { Plain } from "./model.ts";

const BYTES = "UklGRiQAAABXQVZFZm10IBAAAAABAAEA";
const mediaOf = (...content: Plain[]) => readParts(content).media;

test.each<[string, Plain, object]>([
	[
		"OpenAI, audio",
		{ type: "input_audio", input_audio: { data: BYTES, format: "wav" } },
		{ kind: "audio", mime: "audio/wav", url: `data:audio/wav;base64,${BYTES}` },
	],
	[
		"OpenAI, file",
		{ type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${BYTES}` } },
		{ kind: "file", mime: "application/pdf", url: `data:application/pdf;base64,${BYTES}`, name: "a.pdf" },
	],
	["OpenAI, file by id", { type: "file", file: { file_id: "file-1" } }, { kind: "file", id: "file-1" }],
	[
		"OpenAI's responses, file by address",
		{ type: "input_file", file_url: "https://example.com/a.pdf", filename: "a.pdf" },
		{ kind: "file", url: "https://example.com/a.pdf", name: "a.pdf" },
	],
	[
		"Anthropic, document",
		{ type: "document", title: "Terms", source: { type: "base64", media_type: "application/pdf", data: BYTES } },
		{ kind: "file", mime: "application/pdf", url: `data:application/pdf;base64,${BYTES}`, name: "Terms" },
	],
	[
		"Gemini, inline",
		{ inlineData: { mimeType: "video/mp4", data: BYTES } },
		{ kind: "video", mime: "video/mp4", url: `data:video/mp4;base64,${BYTES}` },
	],
	[
		"Gemini, address",
		{ fileData: { mimeType: "audio/mpeg", fileUri: "https://example.com/a.mp3" } },
		{ kind: "audio", mime: "audio/mpeg", url: "https://example.com/a.mp3" },
	],
	[
		"Bedrock, document",
		{ document: { name: "report", format: "pdf", source: { bytes: BYTES } } },
		{ kind: "file", mime: "application/pdf", url: `data:application/pdf;base64,${BYTES}`, name: "report" },
	],
	[
		"Bedrock, video elsewhere",
		{ video: { format: "mp4", source: { s3Location: {} } } },
		{ kind: "video", mime: "video/mp4" },
	],
	[
		"AI SDK",
		{ type: "file", mediaType: "audio/mpeg", filename: "a.mp3", data: BYTES },
		{ kind: "audio", mime: "audio/mpeg", url: `data:audio/mpeg;base64,${BYTES}`, name: "a.mp3" },
	],
	[
		"OpenTelemetry GenAI, blob",
		{ type: "blob", modality: "audio", mime_type: "audio/wav", content: BYTES },
		{ kind: "audio", mime: "audio/wav", url: `data:audio/wav;base64,${BYTES}` },
	],
	[
		"OpenTelemetry GenAI, address",
		{ type: "uri", modality: "video", uri: "https://example.com/v" },
		{ kind: "video", url: "https://example.com/v" },
	],
])("%s", (_name, part, media) => {
	expect(mediaOf(part)).toEqual([media]);
});

test("images and texts are no media, and what is unknown is not made one", () => {
	const image = { type: "blob", modality: "image", mime_type: "image/png", content: BYTES };
	expect(mediaOf(image, { type: "text", text: "a" }, { type: "document", text: "b" }, { type: "new", x: 1 })).toEqual(
		[],
	);
});

test("an answer of OpenAI's with audio has its transcript", () => {
	const audio = { id: "audio_1", data: BYTES, transcript: "Hello" };
	expect(readMessage({ role: "assistant", content: null, audio }, "assistant")).toEqual([
		{
			role: "assistant",
			media: [
				{ kind: "audio", id: "audio_1", url: `data:application/octet-stream;base64,${BYTES}`, transcript: "Hello" },
			],
		},
	]);
});
