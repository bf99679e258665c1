import { FairTurns } from "#base/fair-turns.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { reviewAgreementRoutes } from "./agreement-routes.ts";
import { reviewAnnotationNameRoutes } from "./annotation-name-routes.ts";
import { reviewCalibrationRoutes } from "./calibration-routes.ts";
import { reviewExportRoutes } from "./export-routes.ts";
import { reviewProgressRoutes } from "./progress-routes.ts";

/** Computations each have a thread, and those of large queues take a processor for seconds. */
const TURNS = { atOnce: 2, atOnceEach: 1, waiting: 40, waitingEach: 5 };

/** What came of reviews: how far they agree with each other and with gold, how far the queue is, and all of them as a file. */
export function reviewFigureRoutes(app: App, context: Context): void {
	const turns = new FairTurns(TURNS);
	reviewAgreementRoutes(app, context, turns);
	reviewProgressRoutes(app, context);
	reviewAnnotationNameRoutes(app, context);
	reviewCalibrationRoutes(app, context, turns);
	reviewExportRoutes(app, context);
}
