import { usageFailure } from "./failure.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * `fetch` that follows no redirect: to another address it would go without the key, and after most of them a POST would be
 * a GET. Who sets `redirect` gets what they ask for.
 * @throws CommandFailure that names the address to give instead
 */
export const fetchWithoutRedirects: typeof fetch = async (input, init) => {
	if (init?.redirect !== undefined) return await fetch(input, init);
	const response = await fetch(input, { ...init, redirect: "manual" });
	const location = response.headers.get("location");
	if (!REDIRECTS.has(response.status) || location === null) return response;
	await response.body?.cancel();
	const from = input instanceof Request ? input.url : String(input);
	const to = URL.parse(location, from);
	throw usageFailure(
		`${new URL(from).origin} leads to ${to?.origin ?? "another address"}: log in to that address, or give it with --url, if it is right.`,
	);
};
