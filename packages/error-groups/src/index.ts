export { findOccurrences } from "./find-occurrences.ts";
export { FINGERPRINT_VERSION, sharedFingerprint } from "./fingerprint.ts";
export { mayHaveFailed } from "./may-have-failed.ts";
export type * from "./model.ts";
export { ERROR_KINDS } from "./model.ts";
