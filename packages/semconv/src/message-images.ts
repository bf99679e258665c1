import { field, isObject, type PlainObject } from "./json.ts";
import type { Plain } from "./model.ts";

/** Whether a part, possibly of a generic file type, is an image. */
export function isImage(part: PlainObject): boolean {
	if (isObject(field(part, "image")) || isObject(field(part, "image_url"))) return true;
	const data = [part, ...["inlineData", "inline_data", "fileData", "file_data", "file"].map((key) => field(part, key))];
	return data.some((item) => {
		if (!isObject(item)) return false;
		if (field(item, "modality") === "image") return true;
		const mime = mimeType(item);
		return mime?.startsWith("image/") === true;
	});
}

export function mimeType(item: PlainObject): string | undefined {
	for (const key of ["mime_type", "mimeType", "mediaType", "media_type"]) {
		const value = field(item, key);
		if (typeof value === "string" && value !== "") return value;
	}
	return undefined;
}

/** The URL of an image part: as sent, or a data: URL for inline data. */
export function imageUrl(part: PlainObject): string | undefined {
	for (const key of [
		"image_url",
		"image",
		"url",
		"uri",
		"source",
		"inlineData",
		"inline_data",
		"fileData",
		"file_data",
		"file",
	]) {
		const url = addressOf(field(part, key), mimeType(part));
		if (url !== undefined) return url;
	}
	return addressOf(part, mimeType(part));
}

/** The URL in a text or an object; inline data becomes a data: URL, of the type `unknown` where none was sent. */
export function addressOf(
	value: Plain | undefined,
	mime: string | undefined,
	unknown = "image/png",
	depth = 0,
): string | undefined {
	if (typeof value === "string") {
		if (/^(https?:|data:)/.test(value)) return value;
		return BASE64.test(value) ? `data:${mime ?? unknown};base64,${value}` : undefined;
	}
	if (!isObject(value) || depth > 4) return undefined;
	const type = mimeType(value) ?? mime ?? formatType(value);
	for (const key of ["url", "uri", "fileUri", "file_uri", "image.url", "data", "content", "bytes", "source", "image"]) {
		const url = addressOf(field(value, key), type, unknown, depth + 1);
		if (url !== undefined) return url;
	}
	return undefined;
}

function formatType(value: PlainObject): string | undefined {
	const format = field(value, "format");
	return typeof format === "string" ? `image/${format}` : undefined;
}

const BASE64 = /^[A-Za-z0-9+/\n]{16,}={0,2}\s*$/;
