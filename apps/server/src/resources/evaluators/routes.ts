import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { CallingRequests } from "#models/calling-requests.ts";
import { catalogueRoutes } from "./catalogue-routes.ts";
import { datasetRoutes } from "./dataset-routes.ts";
import { evaluateRoutes } from "./evaluate-routes.ts";
import { manageRoutes } from "./manage-routes.ts";
import { versionRoutes } from "./version-routes.ts";

/** Evaluators: their versions, what they can be made from, where they are used, and one at work. */
export function evaluatorRoutes(app: App, context: Context, callingRequests: CallingRequests): void {
	manageRoutes(app, context);
	versionRoutes(app, context);
	catalogueRoutes(app);
	datasetRoutes(app, context);
	evaluateRoutes(app, context, callingRequests);
}
