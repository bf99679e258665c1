/** As much as is looked at of an answer that says why there is none. */
export const MAX_ERROR_BYTES = 64 * 1_024;

/** Reads the text of an answer, of which no more than `maxBytes` are kept. */
export async function readText(response: Response, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	let left = maxBytes;
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk.subarray(0, left), { stream: true });
		left -= chunk.byteLength;
		if (left <= 0) break;
	}
	return text + decoder.decode();
}
