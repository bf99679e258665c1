import { ApiError } from "@spanward/client";
import { sessionFetch } from "../auth/session-fetch.ts";
import { type Json, parseJson } from "../ui/content/json-value.ts";

/**
 * An answer of the API with all digits of its integers, and its entity tag: for data that is edited and sent back.
 * @param url of `api.url()`
 */
export async function fetchExact(
	url: string,
	signal: AbortSignal,
): Promise<{ body: unknown; etag: string | undefined }> {
	const response = await sessionFetch(url, {
		headers: { accept: "application/json, application/problem+json" },
		signal,
	});
	const text = await response.text();
	if (!response.ok) throw toError(response, text);
	return { body: parseJson(text), etag: response.headers.get("etag") ?? undefined };
}

/** What a refused request of another form is thrown as. */
export function toError(response: Response, text: string): ApiError {
	const isJson = response.headers.get("content-type")?.includes("json");
	const problem = isJson ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {};
	const code = typeof problem["code"] === "string" ? problem["code"] : `http_${response.status}`;
	const detail = typeof problem["detail"] === "string" ? problem["detail"] : text.slice(0, 1_000);
	const requestId = response.headers.get("x-request-id") ?? undefined;
	return new ApiError(response.status, code, detail, { requestId });
}

const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

/** The value for `JSON.stringify`, which cannot write bigints itself; a browser without `JSON.rawJSON` rounds them. */
export function toWritable(value: Json): unknown {
	if (typeof value === "bigint") return rawJSON?.(String(value)) ?? Number(value);
	if (Array.isArray(value)) return value.map(toWritable);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toWritable(member)]));
}
