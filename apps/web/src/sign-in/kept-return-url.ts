import { config } from "../lib/config.ts";

/** The page that this tab was asked for when it last came to the log-in page. */
const KEY = `spanward.return-url${config.basePath}`;

/**
 * Remembers the requested page while the browser is at a provider: a return with an error lacks it, so it is put into the
 * address again.
 */
export function keepReturnUrl(): void {
	const search = new URLSearchParams(location.search);
	const asked = search.get("returnUrl");
	try {
		const kept = sessionStorage.getItem(KEY);
		if (asked !== null) sessionStorage.setItem(KEY, asked);
		else if (!search.has("error")) sessionStorage.removeItem(KEY);
		else if (kept !== null) {
			search.set("returnUrl", kept);
			history.replaceState(null, "", `${location.pathname}?${search}`);
		}
	} catch (error) {
		if (!(error instanceof DOMException)) throw error;
	}
}
