import { config } from "../lib/config.ts";
import { keepChoices } from "./forget.ts";
import { renewTokens } from "./renew.ts";
import { readStamp } from "./renewal-stamp.ts";
import { forgetPage, redirectTo } from "./session-end.ts";
import { broadcastToTabs } from "./tabs.ts";

/**
 * Ends this session, or with `everywhere` all of the user's, and leaves nothing of it in this browser. Logging in again
 * then leads to `returnUrl`.
 * @throws TypeError when the server does not answer, Error when it refuses: the user is then still logged in
 */
export async function logOut(everywhere = false, returnUrl?: string): Promise<never> {
	const send = () =>
		fetch(`${config.basePath}/auth/${everywhere ? "logout-all" : "logout"}`, {
			method: "POST",
			headers: { accept: "application/problem+json" },
		});
	const putChoicesBack = keepChoices();
	let response = await send();
	if (response.status === 401 && (await renewTokens(readStamp())) === "renewed") response = await send();
	// 401: the session has ended already.
	if (!response.ok && response.status !== 401) throw new Error(await response.text());
	forgetPage();
	putChoicesBack();
	broadcastToTabs({ kind: "logged-out" });
	return redirectTo("/logout", returnUrl);
}
