import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";

/** What people annotate with, and which projects ask for it. */
export function annotationConfigRoutes(_app: App, _context: Context): void {}
