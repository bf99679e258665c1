import { setTimeout as sleep } from "node:timers/promises";

/** An answer that takes longer does not come; other statements may take longer, one that asks for nothing has nothing to do. */
const ANSWER_MS = 2_000;

export class NoAnswer extends Error {
	override readonly name = "NoAnswer";
}

/**
 * What `asked` resolves to. What is asked of a connection rejects when it ends: a promise of that in each race would keep
 * all races until then.
 * @throws NoAnswer when an answer that came could have been read meanwhile, however busy this process was
 */
export function answerInTime<T>(asked: Promise<T>): Promise<T> {
	return Promise.race([asked, silence()]);
}

async function silence(): Promise<never> {
	await sleep(ANSWER_MS, undefined, { ref: false });
	await sleep(100, undefined, { ref: false });
	throw new NoAnswer(`the database did not answer within ${ANSWER_MS} ms`);
}
