import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { annotateRoutes } from "./annotate-routes.ts";
import { annotationListRoutes } from "./list-routes.ts";
import { annotationNameRoutes } from "./name-routes.ts";
import { oneAnnotationRoutes } from "./one-routes.ts";
import { waitingAnnotationRoutes } from "./waiting-routes.ts";

/** Annotations of spans, traces, sessions and documents, and notes. */
export function annotationRoutes(app: App, context: Context): void {
	annotateRoutes(app, context);
	annotationListRoutes(app, context);
	annotationNameRoutes(app, context);
	oneAnnotationRoutes(app, context);
	waitingAnnotationRoutes(app, context);
}
