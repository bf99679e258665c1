import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { reviewAdjudicationRoutes } from "./adjudication-routes.ts";
import { reviewFigureRoutes } from "./figures/routes.ts";
import { reviewGoldRoutes } from "./gold/routes.ts";
import { reviewItemRoutes } from "./item-routes.ts";
import { LeftItems } from "./left-items.ts";
import { openReviewRoutes } from "./open-routes.ts";
import { reviewPeopleRoutes } from "./people-routes.ts";
import { reviewQueueOnlyRoutes } from "./queue-routes.ts";
import { reviewRuleRoutes } from "./rule-routes.ts";
import { reviewItemsOfTraceRoutes } from "./trace-routes.ts";
import { reviewTurnRoutes } from "./turn-routes.ts";

/** Lists of what people review, and the turns that they take. */
export function reviewQueueRoutes(app: App, context: Context): void {
	const leftItems = new LeftItems();
	reviewQueueOnlyRoutes(app, context);
	reviewPeopleRoutes(app, context);
	reviewItemRoutes(app, context);
	reviewTurnRoutes(app, context, leftItems);
	reviewRuleRoutes(app, context);
	reviewAdjudicationRoutes(app, context);
	openReviewRoutes(app, context, leftItems);
	reviewItemsOfTraceRoutes(app, context);
	reviewFigureRoutes(app, context);
	reviewGoldRoutes(app, context);
}
