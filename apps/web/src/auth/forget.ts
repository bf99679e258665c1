import { clearStamp } from "./renewal-stamp.ts";
import { sharedStorage } from "./shared-storage.ts";

/** Settings of appearance, which reveal no data and are kept. */
const KEPT =
	/^spanward\.(theme|time-zone|log-in-way|text-view|rail-pinned|trace-split|trace-panel-share|columns\.\w+)$/;

const acts: (() => void)[] = [];

/** Registers what to empty when the user of this page is no longer the one who is logged in. */
export function whenForgotten(act: () => void): void {
	acts.push(act);
}

/** Removes the user's data from the page and this browser, so that the next user does not find it. */
export function forgetUser(): void {
	clearStamp();
	for (const act of acts) act();
	for (const name of ["localStorage", "sessionStorage"] as const) clear(name);
}

/**
 * Remembers the settings in {@link KEPT}. @returns restores them, after the server told the browser at log-out to clear
 * everything (`Clear-Site-Data`)
 */
export function keepChoices(): () => void {
	const kept = Object.entries(readAll()).filter(([key]) => KEPT.test(key));
	return () => {
		for (const [key, value] of kept) sharedStorage.set(key, value);
	};
}

function readAll(): Readonly<Record<string, string>> {
	try {
		return { ...localStorage };
	} catch (error) {
		if (error instanceof DOMException) return {};
		throw error;
	}
}

function clear(name: "localStorage" | "sessionStorage"): void {
	try {
		const storage = window[name];
		for (const key of Object.keys(storage)) {
			if (key.startsWith("spanward.") && !KEPT.test(key)) storage.removeItem(key);
		}
	} catch (error) {
		if (!(error instanceof DOMException)) throw error;
	}
}
