import { Socket } from "node:net";
import type { App } from "./app-type.ts";

/** Enough for a few kilobytes over the worst connection. */
const BODY_MS = 30_000;

/**
 * Hangs up on a sender that takes longer for the body of a public route: anybody could otherwise hold as many
 * connections as the server may have, for as long as they like.
 */
export function hangUpOnSlowBodies(app: App, withinMs = BODY_MS): void {
	app.addHook("preParsing", async ({ raw, routeOptions }) => {
		// A request that comes from no network, as in tests, holds no connection.
		if (routeOptions.config.access !== "public" || raw.complete || !(raw.socket instanceof Socket)) return;
		const timer = setTimeout(() => raw.socket.destroy(), withinMs).unref();
		const stop = () => clearTimeout(timer);
		raw.once("end", stop).once("close", stop);
	});
}
