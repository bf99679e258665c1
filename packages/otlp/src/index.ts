export type { SpanLimits } from "./limits.ts";
export type * from "./model.ts";
export type * from "./scan-model.ts";
