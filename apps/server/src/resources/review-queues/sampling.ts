import { createHash } from "node:crypto";

/** Bytes of a hash, which make a number that JavaScript has exactly. */
const BYTES = 6;

/**
 * Whether the rule of a queue takes something: always the same for the same id, and each queue takes others. What is taken at
 * a rate is taken at each higher one.
 * @param id of the trace, for a trace and its spans; of the session
 * @param sample 0 to 1
 */
export function isSampled(queueId: number, id: string, sample: number): boolean {
	const hash = createHash("sha256").update(`${queueId}:${id}`).digest();
	return hash.readUIntBE(0, BYTES) < sample * 2 ** (8 * BYTES);
}
