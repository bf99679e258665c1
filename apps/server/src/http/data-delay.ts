import type { Context } from "#context.ts";
import type { App } from "./app-type.ts";

/** Where a replica is read that is behind, each answer of the API says by how many seconds. */
export function sayDelay(app: App, context: Pick<Context, "place">): void {
	app.addHook("onSend", async (request, reply) => {
		if (!request.url.startsWith("/v1/")) return;
		const delay = context.place.delaySeconds?.() ?? 0;
		if (delay > 0) void reply.header("x-spanward-data-delay", String(Math.ceil(delay)));
	});
}
