import { config } from "../lib/config.ts";
import { renewTokens } from "./renew.ts";
import { needsRenewal, readStamp } from "./renewal-stamp.ts";
import { endSession } from "./session-end.ts";

/**
 * Renews the access token before a download (`<a download>`) if it may have expired: the browser sends that request
 * itself, without a retry.
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
