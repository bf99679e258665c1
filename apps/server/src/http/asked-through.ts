import { AsyncLocalStorage } from "node:async_hooks";
import type { Audience } from "./principal.ts";

/**
 * The entrance through which requests came that the server sends to its own routes: a token that was let in there is for
 * them, too. Undefined for what comes from the network.
 */
export const askedThrough = new AsyncLocalStorage<Audience>();
