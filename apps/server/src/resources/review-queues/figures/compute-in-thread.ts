import { Worker } from "node:worker_threads";
import { Abandoned } from "#base/fair-turns.ts";
import type { Tasks, ToThread } from "./thread-messages.ts";

const OLD_GENERATION_MEBIBYTES = 1_536;

/**
 * Computes figures in a thread of their own, so that the event loop never waits for them.
 * @param parts what the figures are of, which are sent as they are read
 * @param gone ends the thread when it aborts
 * @throws Abandoned when `gone` aborts first; what reading `parts` throws
 */
export async function computeInThread<Kind extends keyof Tasks>(
	task: Tasks[Kind]["task"] & { readonly kind: Kind },
	parts: AsyncIterable<readonly Tasks[Kind]["part"][]>,
	gone: AbortSignal | undefined,
): Promise<Tasks[Kind]["result"]> {
	const worker = new Worker(new URL("./figures-thread.ts", import.meta.url), {
		name: "review figures",
		workerData: task,
		execArgv: ["--disable-warning=ExperimentalWarning"],
		resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MEBIBYTES },
	});
	const { promise, resolve, reject } = Promise.withResolvers<Tasks[Kind]["result"]>();
	worker.once("message", resolve);
	worker.once("error", reject);
	worker.once("exit", (code) => reject(new Error(`the thread of review figures ended with code ${code}`)));
	const abandon = () => reject(new Abandoned());
	gone?.addEventListener("abort", abandon, { once: true });
	// It may fail while parts are still read, whose reading then ends with it.
	let isOver = gone?.aborted === true;
	const end = () => {
		isOver = true;
	};
	void promise.then(end, end);
	if (isOver) abandon();
	try {
		for await (const part of parts) {
			if (isOver) break;
			worker.postMessage(part satisfies ToThread);
		}
		worker.postMessage("end" satisfies ToThread);
		return await promise;
	} finally {
		gone?.removeEventListener("abort", abandon);
		await worker.terminate();
	}
}
