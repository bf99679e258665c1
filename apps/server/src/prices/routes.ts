import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";

/** Prices of models, and computing costs again. */
export function priceRoutes(_app: App, _context: Context): void {}
