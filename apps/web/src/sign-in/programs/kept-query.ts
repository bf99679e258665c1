import { config } from "../../lib/config.ts";

const KEY = `spanward.consent${config.basePath}`;
const KEPT = "?kept";
/** With the path, and encoded once more, it still fits into the address to come back to after a log-in. */
const MAX_LENGTH = 1_000;

/** What the program asks, as the address says. A long one is kept in the tab instead, so that a log-in leads back to it. */
export function takeQuery(): string {
	const { search, pathname } = location;
	if (search !== KEPT && search.length <= MAX_LENGTH) return search;
	const query = search === KEPT ? read() : search;
	// A log-out empties the storage; what the program asks is nobody's data.
	if (keep(query)) addEventListener("pagehide", () => keep(query));
	else return search;
	history.replaceState(null, "", pathname + KEPT);
	return query;
}

function read(): string {
	try {
		return sessionStorage.getItem(KEY) ?? "";
	} catch (error) {
		if (error instanceof DOMException) return "";
		throw error;
	}
}

/** @returns false where the browser stores nothing */
function keep(query: string): boolean {
	try {
		sessionStorage.setItem(KEY, query);
		return true;
	} catch (error) {
		if (error instanceof DOMException) return false;
		throw error;
	}
}
