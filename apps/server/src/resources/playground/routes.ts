import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { CallingRequests } from "#models/calling-requests.ts";
import { playgroundRunRoutes } from "./run-routes.ts";
import { playgroundSourceRoutes } from "./source-routes.ts";

/** @param callingRequests how many a user may send, to all routes together */
export function playgroundRoutes(app: App, context: Context, callingRequests: CallingRequests): void {
	playgroundSourceRoutes(app, context);
	playgroundRunRoutes(app, context, callingRequests);
}
