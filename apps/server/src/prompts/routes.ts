import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";

/** Prompts, their versions and tags. */
export function promptRoutes(_app: App, _context: Context): void {}
