import type { Json } from "../e2e/fixture-comparison.ts";

/** @throws when the answer is no success */
export async function getJson(url: string): Promise<Json> {
	const response = await fetch(url);
	if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as Json;
}
