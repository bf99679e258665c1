export { ApiError, type Issue } from "./api-error.ts";
export { type Client, type ClientOptions, createClient } from "./client.ts";
export type * from "./generated/api.ts";
export type { ServerSentEvent } from "./server-sent-events.ts";
