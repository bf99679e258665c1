export type * from "./model.ts";
export { SPAN_KINDS } from "./model.ts";
