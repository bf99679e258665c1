import { type CallImage, invalid } from "../call.ts";

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const DATA_URL = /^data:([\w.+/-]+);base64,/;
const MEDIA_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** @throws ProviderError when it is no image in base64, as providers do that decode it */
export function readImage(mediaType: unknown, data: unknown): CallImage {
	if (typeof mediaType !== "string" || !MEDIA_TYPES.includes(mediaType))
		throw invalid(`Unsupported image type ${String(mediaType)}. The image has to be one of ${MEDIA_TYPES.join(", ")}.`);
	if (typeof data !== "string" || data === "" || !BASE64.test(data)) throw invalid("The image is not valid base64.");
	return { mediaType, bytes: Buffer.byteLength(data, "base64") };
}

/** @throws ProviderError for addresses: this one has no network to fetch them */
export function readDataUrl(url: unknown): CallImage {
	const match = typeof url === "string" ? DATA_URL.exec(url) : null;
	if (match === null || typeof url !== "string") throw invalid("Failed to download the image: it is not a data URL.");
	return readImage(match[1], url.slice(match[0].length));
}
