import { compact } from "./compact.ts";
import { field, isObject, type PlainObject } from "./json.ts";
import { addressOf, mimeType } from "./message-images.ts";
import type { Media } from "./model.ts";

/** Types of parts that carry audio, video or files; those without a type are known by their members. */
const TYPES = /^(?:input_|output_)?(?:audio|video|file)(?:_url|_data)?$|^(?:blob|uri|media|document)$/;

/**
 * Members in which the providers put data, addresses and descriptions: OpenAI, Anthropic, Gemini and Bedrock each have
 * their own.
 */
const MEMBERS = [
	"input_audio",
	"audio",
	"audio_url",
	"video",
	"video_url",
	"document",
	"file",
	"inlineData",
	"inline_data",
	"fileData",
	"file_data",
	"source",
	"s3Location",
];

/** Formats that are not the second half of their MIME type. */
const MIME_OF_FORMAT: Readonly<Record<string, string>> = {
	mp3: "audio/mpeg",
	wav: "audio/wav",
	pcm16: "audio/pcm",
	opus: "audio/opus",
	flac: "audio/flac",
	mp4: "video/mp4",
	mov: "video/quicktime",
	mkv: "video/x-matroska",
	webm: "video/webm",
	pdf: "application/pdf",
	txt: "text/plain",
	md: "text/markdown",
	csv: "text/csv",
	html: "text/html",
};

/** The audio, video or file of a part of any provider's form; undefined when it is none. */
export function readMedia(part: PlainObject): Media | undefined {
	const type = (stringOf(part, "type") ?? stringOf(part, "part_kind"))?.replaceAll("-", "_");
	const holders = holdersIn(part);
	const isMedia = type === undefined ? holders.length > 1 : TYPES.test(type);
	if (!isMedia) return undefined;
	const format = first(holders, ["format"]);
	const mime = holders.map(mimeType).find((each) => each !== undefined) ?? (format && MIME_OF_FORMAT[format]);
	const url = addressIn(holders, mime);
	const inUrl = /^data:([\w.+-]+\/[\w.+-]+)/.exec(url ?? "")?.[1];
	const sentMime = mime ?? (inUrl === UNKNOWN ? undefined : inUrl);
	return compact<Media>({
		kind: kindOf(first(holders, ["modality"]) ?? sentMime ?? format ?? "", type, part),
		mime: sentMime,
		url,
		name: first(holders, ["filename", "file_name", "name", "title"]),
		id: first(holders, ["file_id", "fileId"]) ?? (isObject(field(part, "audio")) ? first(holders, ["id"]) : undefined),
		transcript: first(holders, ["transcript"]),
	});
}

/** The part and the objects in it that describe the medium. */
function holdersIn(part: PlainObject): readonly PlainObject[] {
	const holders = [part];
	for (let at = 0; at < holders.length && at < MEMBERS.length; at += 1) {
		for (const key of MEMBERS) {
			const value = field(holders[at] ?? part, key);
			if (isObject(value)) holders.push(value);
		}
	}
	return holders;
}

function addressIn(holders: readonly PlainObject[], mime: string | undefined): string | undefined {
	for (const holder of holders) {
		for (const key of ["file_data", "file_url", "audio_url", "video_url", "source"]) {
			const value = field(holder, key);
			const url = typeof value === "string" ? addressOf(value, mime, UNKNOWN) : undefined;
			if (url !== undefined) return url;
		}
		const url = addressOf(holder, mime, UNKNOWN);
		if (url !== undefined) return url;
	}
	return undefined;
}

const UNKNOWN = "application/octet-stream";

function kindOf(described: string, type: string | undefined, part: PlainObject): Media["kind"] {
	for (const kind of ["audio", "video"] as const) {
		if (described.startsWith(kind)) return kind;
	}
	if (described !== "") return "file";
	for (const kind of ["audio", "video"] as const) {
		if (type?.includes(kind) || isObject(field(part, kind))) return kind;
	}
	return "file";
}

function first(holders: readonly PlainObject[], keys: readonly string[]): string | undefined {
	for (const holder of holders) {
		for (const key of keys) {
			const value = stringOf(holder, key);
			if (value !== undefined) return value;
		}
	}
	return undefined;
}

function stringOf(object: PlainObject, key: string): string | undefined {
	const value = field(object, key);
	return typeof value === "string" && value !== "" ? value : undefined;
}
