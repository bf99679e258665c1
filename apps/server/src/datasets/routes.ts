import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";

/** Datasets: examples, versions, splits, labels, uploads and downloads. */
export function datasetRoutes(_app: App, _context: Context): void {}
