import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { manageRoutes } from "./manage-routes.ts";
import { tagRoutes } from "./tag-routes.ts";
import { versionRoutes } from "./version-routes.ts";

/** Prompts, their versions and tags. */
export function promptRoutes(app: App, context: Context): void {
	manageRoutes(app, context);
	versionRoutes(app, context);
	tagRoutes(app, context);
}
