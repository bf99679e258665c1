import { forgetAutoLogIn } from "./auth/auto-log-in.ts";
import { renewBeforeDownloads } from "./auth/fresh-downloads.ts";
import { keepTokensFresh } from "./auth/keep-tokens-fresh.ts";
import { fetchMe, type Me } from "./auth/me.ts";
import { readStamp } from "./auth/renewal-stamp.ts";
import { followSession, redirectAndReturn, startSession } from "./auth/session-end.ts";
import { sessionFetch } from "./auth/session-fetch.ts";
import { broadcastToTabs } from "./auth/tabs.ts";
import { watchTyping } from "./auth/typed-text.ts";
import { config } from "./lib/config.ts";
import { loadPart } from "./lib/load-part.ts";

/** Asks who is logged in while the app loads, and renders it; redirects to the log-in page if nobody is. */
export async function startApp(element: HTMLElement): Promise<void> {
	const loading = loadPart(() => import("./app.tsx"));
	if (!config.auth.enabled) return (await loading).renderApp(element, undefined);
	followSession();
	const me = await findMe();
	const { renderApp, renderFailure } = await loading;
	if (me instanceof Error) return renderFailure(element, me);
	if (me?.passwordNeedsReset) return redirectAndReturn("/reset-password");
	startSession(me);
	if (me !== undefined) announceLogIn(me);
	watchTyping();
	keepTokensFresh();
	renewBeforeDownloads();
	renderApp(element, me);
}

/** Tells the other tabs about a log-in with a provider, as the log-in form does for its own. */
function announceLogIn(me: Me): void {
	forgetAutoLogIn();
	if (readStamp() === undefined) broadcastToTabs({ kind: "logged-in", userId: me.id });
}

async function findMe(): Promise<Me | undefined | Error> {
	try {
		return await fetchMe(sessionFetch);
	} catch (error) {
		if (error instanceof Error) return error;
		throw error;
	}
}
