import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { errorGroupChangeRoutes } from "./change-routes.ts";
import { errorCommentRoutes } from "./comment-routes.ts";
import { errorGroupRoutes } from "./group-routes.ts";
import { errorGroupListRoutes } from "./list-routes.ts";
import { errorSettingsRoutes } from "./settings-routes.ts";

/** The inbox of errors: groups of failures that are the same, and what people do about them. */
export function errorRoutes(app: App, context: Context): void {
	errorGroupListRoutes(app, context);
	errorGroupRoutes(app, context);
	errorGroupChangeRoutes(app, context);
	errorCommentRoutes(app, context);
	errorSettingsRoutes(app, context);
}
