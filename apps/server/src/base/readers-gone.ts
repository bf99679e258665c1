import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Aborted, with `Abandoned`, once nobody waits for what is being read: its statements end then. There is none for what the
 * server reads for itself or for several at once, and none for changes, which are completed.
 */
export const readersGone = new AsyncLocalStorage<AbortSignal>();
