export type { SpanLimits } from "./limits.ts";
export type * from "./model.ts";
