import { config } from "../lib/config.ts";
import { renewTokens } from "./renew.ts";
import { needsRenewal, readStamp } from "./renewal-stamp.ts";
import { endSession } from "./session-end.ts";

/**
 * Links to files of the API (`<a download>`) are asked for by the browser, once: where the access token may have ended, it
 * is renewed first.
 */
export function renewBeforeDownloads(): void {
	const files = `${location.origin}${config.basePath}/v1/`;
	let isRenewed = false;
	document.addEventListener(
		"click",
		(event) => {
			const link = event.target instanceof Element ? event.target.closest("a[download]") : null;
			if (!(link instanceof HTMLAnchorElement) || !link.href.startsWith(files) || isRenewed || !needsRenewal()) return;
			event.preventDefault();
			const follow = async () => {
				if ((await renewTokens(readStamp())) === "ended") await endSession();
				isRenewed = true;
				link.click();
				isRenewed = false;
			};
			void follow();
		},
		{ capture: true },
	);
}
