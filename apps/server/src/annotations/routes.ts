import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";

/** Annotations of spans, traces, sessions and documents, and notes. */
export function annotationRoutes(_app: App, _context: Context): void {}
