import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";

/** Policies of how long traces are kept, what they would delete and what they deleted. */
export function retentionPolicyRoutes(_app: App, _context: Context): void {}
