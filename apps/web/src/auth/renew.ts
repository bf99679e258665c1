import { config } from "../lib/config.ts";
import { readStamp, stampRenewal } from "./renewal-stamp.ts";
import { changeSharedEntry } from "./shared-entry.ts";
import { sharedStorage } from "./shared-storage.ts";
import { type LockMeans, withTabLock } from "./tab-lock.ts";

/** `unsure`: the server did not answer, or is too busy; the session may still be valid. */
export type Renewal = "renewed" | "ended" | "unsure";

const ANSWER_WITHIN_MS = 10_000;

/** Time for another tab's write to local storage to arrive, which may be later than the release of its lock. */
const STORAGE_MS = 60;

const MEANS: LockMeans = {
	locks: navigator.locks as LockManager | undefined,
	changeEntry: changeSharedEntry,
	storage: sharedStorage,
	wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	now: Date.now,
	onLeave(act) {
		window.addEventListener("pagehide", act);
		return () => window.removeEventListener("pagehide", act);
	},
};

/**
 * Gets new tokens, one tab at a time: a refresh token is valid once, and presenting it again after its successor was
 * used ends the whole session.
 * @param seen the stamp when the refused request was sent; if it has changed since, another tab has renewed the tokens
 */
export function renewTokens(seen: string | undefined): Promise<Renewal> {
	return withTabLock(`spanward.refresh${config.basePath}`, MEANS, async () => {
		const isDone = () => readStamp() !== seen && readStamp() !== undefined;
		if (isDone()) return "renewed";
		await MEANS.wait(STORAGE_MS);
		if (isDone()) return "renewed";
		try {
			const response = await fetch(`${config.basePath}/auth/refresh`, {
				method: "POST",
				signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
			});
			if (response.status === 401 || response.status === 403 || response.status === 404) return "ended";
			if (!response.ok) return "unsure";
		} catch (error) {
			if (error instanceof TypeError || error instanceof DOMException) return "unsure";
			throw error;
		}
		stampRenewal();
		return "renewed";
	});
}
