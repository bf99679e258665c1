import { config } from "../lib/config.ts";
import { forgetUser } from "./forget.ts";
import type { Me } from "./me.ts";
import { clearStamp } from "./renewal-stamp.ts";
import { currentPage } from "./return-url.ts";
import { onTabMessage } from "./tabs.ts";
import { hasTypedText } from "./typed-text.ts";

let me: Me | undefined;
let ended: Promise<void> | undefined;
let resume: (() => void) | undefined;
let isLoggedOut = false;
const listeners = new Set<() => void>();

/** Sets the user of this page; undefined while authentication is off. */
export function startSession(user: Me | undefined): void {
	me = user;
}

/** Replaces this page by one of sign-in. The promise never settles, as the page is unloaded. */
export function redirectTo(path: string, returnUrl?: string): Promise<never> {
	const search = returnUrl === undefined || returnUrl === "/" ? "" : `?returnUrl=${encodeURIComponent(returnUrl)}`;
	// After a log-out, requests refused meanwhile must not redirect to the log-in page, which may log in automatically.
	if (!isLoggedOut) location.replace(`${config.basePath}${path}${search}`);
	isLoggedOut ||= path === "/logout";
	return new Promise(() => undefined);
}

/** As {@link redirectTo}, and returns to this page afterwards. */
export function redirectAndReturn(path: string): Promise<never> {
	return redirectTo(path, currentPage(location, config.basePath));
}

/**
 * The session is over. Goes to the log-in page, or, where something typed would be lost, has the page ask for the password
 * ({@link sessionEnd}); resolves once the same user has logged in again here or in another tab.
 */
export function endSession(): Promise<void> {
	ended ??= new Promise<void>((resolve) => {
		clearStamp();
		if (me === undefined || !hasTypedText()) {
			void redirectAndReturn("/login");
			return;
		}
		resume = () => {
			ended = undefined;
			resume = undefined;
			resolve();
			for (const listener of listeners) listener();
		};
		for (const listener of listeners) listener();
	});
	return ended;
}

/** Whether the page waits for a new log-in, as a store for `useSyncExternalStore`. */
export const sessionEnd = {
	subscribe(listener: () => void): () => void {
		listeners.add(listener);
		return () => listeners.delete(listener);
	},
	isWaiting: () => resume !== undefined,
};

/** Resolves at once unless the session is known to have ended, else as {@link endSession}. */
export async function untilLoggedIn(): Promise<void> {
	await ended;
}

/** To be called when somebody has logged in with this browser: the page continues for the same user, else it reloads. */
export function continueAs(userId: string): void {
	if (userId === me?.id) resume?.();
	else reloadPage();
}

/** Reloads the page, for the user who is logged in now. */
export function reloadPage(): void {
	forgetPage();
	location.reload();
}

/** Removes what is shown and stored, at once. */
export function forgetPage(): void {
	const root = document.getElementById("root");
	forgetUser();
	root?.setAttribute("hidden", "");
}

/** Follows changes of the session in other tabs, and while the page was in the browser's back/forward cache. */
export function followSession(): void {
	onTabMessage((message) => {
		if (message.kind === "logged-in") return continueAs(message.userId);
		forgetPage();
		// With automatic log-in, the log-in page would log in again at once.
		void redirectTo(config.auth.autoLogin === undefined ? "/login" : "/logout");
	});
	window.addEventListener("pageshow", ({ persisted }) => {
		if (persisted) reloadPage();
	});
}
