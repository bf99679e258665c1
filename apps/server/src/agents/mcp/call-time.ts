/** A call that takes longer answers what was read until then. */
export const CALL_MS = 10_000;
/** The same in words. */
export const CALL_SECONDS = `${CALL_MS / 1_000} seconds`;
