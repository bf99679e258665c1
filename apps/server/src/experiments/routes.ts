import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";

/** Experiments on datasets: runs, evaluations, tags, comparison. */
export function experimentRoutes(_app: App, _context: Context): void {}
