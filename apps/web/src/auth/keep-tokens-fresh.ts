import { config } from "../lib/config.ts";
import { renewTokens } from "./renew.ts";
import { needsRenewal, readStamp } from "./renewal-stamp.ts";
import { endSession, sessionEnd } from "./session-end.ts";

/** At most ten times a minute, which is less than the server allows a session. */
const CHECK_MS = Math.max(6_000, Math.min(30_000, config.auth.accessTokenMinutes * 6_000));
const USED_MS = 10 * 60_000;

/**
 * Renews the tokens shortly before they expire while the page is visible and used, so that requests seldom have to wait
 * for that and links to files work. A page that is only left open lets its session expire.
 */
export function keepTokensFresh(): void {
	let usedAt = Date.now();
	const use = () => {
		usedAt = Date.now();
	};
	for (const type of ["pointerdown", "keydown", "wheel"]) {
		document.addEventListener(type, use, { capture: true, passive: true });
	}
	const renewIfNeeded = async () => {
		if (sessionEnd.isWaiting() || document.visibilityState !== "visible") return;
		if (Date.now() - usedAt > USED_MS || !needsRenewal()) return;
		if ((await renewTokens(readStamp())) === "ended") await endSession();
	};
	document.addEventListener("visibilitychange", () => {
		use();
		void renewIfNeeded();
	});
	setInterval(() => void renewIfNeeded(), CHECK_MS);
	void renewIfNeeded();
}
