import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { compareRoutes } from "./compare-routes.ts";
import { downloadRoutes } from "./download-routes.ts";
import { gateRoutes } from "./gate/gate-routes.ts";
import { manageRoutes } from "./manage-routes.ts";
import { oneRunRoutes } from "./one-run-routes.ts";
import { runRoutes } from "./run-routes.ts";
import { tagRoutes } from "./tag-routes.ts";

/** Experiments on datasets: runs, evaluations, tags, comparison, gate. */
export function experimentRoutes(app: App, context: Context): void {
	manageRoutes(app, context);
	tagRoutes(app, context);
	runRoutes(app, context);
	oneRunRoutes(app, context);
	downloadRoutes(app, context);
	compareRoutes(app, context);
	gateRoutes(app, context);
}
