import { setTimeout as sleep } from "node:timers/promises";

/** For statements that do nothing: without an answer in this time the database is down. Others may take longer. */
const ANSWER_MS = 2_000;

export class ProbeTimeout extends Error {
	override readonly name = "ProbeTimeout";
}

/**
 * Waits for `asked`, a statement that does nothing. It rejects by itself when its connection ends, so that needs no
 * promise in the race, which would keep every race in memory until then.
 * @throws ProbeTimeout when no answer came in time; answers that arrived while this process was busy still count
 */
export function withProbeTimeout<T>(asked: Promise<T>): Promise<T> {
	return Promise.race([asked, silence()]);
}

async function silence(): Promise<never> {
	await sleep(ANSWER_MS, undefined, { ref: false });
	await sleep(100, undefined, { ref: false });
	throw new ProbeTimeout(`the database did not answer within ${ANSWER_MS} ms`);
}
