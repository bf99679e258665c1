/** What images in messages may be, by the bytes that they begin with. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

export const MAX_IMAGE_BYTES = 5 * 1_024 * 1_024;

/** The bytes of a text in base64; undefined when it is none. */
export function decodeImage(data: string): Buffer | undefined {
	const bytes = Buffer.from(data, "base64");
	// Node skips what is not base64.
	return bytes.byteLength > 0 && bytes.toString("base64") === data ? bytes : undefined;
}

/** What the bytes are; undefined for anything that models are not sent. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
	if (beginsWith(bytes, "\x89PNG\r\n\x1a\n")) return "image/png";
	if (beginsWith(bytes, "\xff\xd8\xff")) return "image/jpeg";
	if (beginsWith(bytes, "GIF87a") || beginsWith(bytes, "GIF89a")) return "image/gif";
	const isWebp = beginsWith(bytes, "RIFF") && bytes.toString("latin1", 8, 12) === "WEBP";
	return isWebp ? "image/webp" : undefined;
}

function beginsWith(bytes: Buffer, start: string): boolean {
	return bytes.toString("latin1", 0, start.length) === start;
}
