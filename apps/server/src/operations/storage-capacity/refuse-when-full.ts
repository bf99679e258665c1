import type { App } from "#http/app-type.ts";
import { assertRoom } from "#http/storage-full.ts";
import type { StorageCapacity } from "./storage-capacity.ts";

/** Not DELETE, which frees space. */
const STORES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Answers 507 to requests that would store something while the storage is full, except exports, which ingest refuses. */
export function refuseWhenFull(app: App, capacity: StorageCapacity): void {
	app.addHook("onRequest", async ({ method, routeOptions: { url, config } }) => {
		if (!STORES.has(method) || url?.startsWith("/v1/") !== true) return;
		if (config.access !== "ingest" && config.whenFull !== "allowed") assertRoom(capacity);
	});
}
