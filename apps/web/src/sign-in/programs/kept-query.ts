import { config } from "../../lib/config.ts";

const KEY = `spanward.consent${config.basePath}`;
const KEPT = "?kept";
/** With the path, and encoded once more, it still fits into the address to come back to after a log-in. */
const MAX_LENGTH = 1_000;

/** What the program asks, as the address says. A long one is kept in the tab instead, so that a log-in leads back to it. */
export function takeQuery(): string {
	const { search, pathname } = location;
	try {
		if (search === KEPT) return sessionStorage.getItem(KEY) ?? "";
		if (search.length <= MAX_LENGTH) return search;
		sessionStorage.setItem(KEY, search);
	} catch (error) {
		if (error instanceof DOMException) return search;
		throw error;
	}
	history.replaceState(null, "", pathname + KEPT);
	return search;
}
