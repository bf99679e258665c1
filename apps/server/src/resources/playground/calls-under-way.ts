import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { RunWatch } from "./run-watch.ts";

/** Calls of models that requests wait for: the stop of the server ends them, and waits until they have ended. */
export class CallsUnderWay {
	readonly #running = new Map<RunWatch, Promise<unknown>>();

	constructor(app: App, { stopping }: Pick<Context, "stopping">) {
		const endAll = () => {
			for (const watch of this.#running.keys()) watch.end("stopping");
		};
		stopping.addEventListener("abort", endAll);
		// Their spans are written before that becomes impossible.
		app.addHook("preClose", async () => {
			endAll();
			await Promise.allSettled(this.#running.values());
		});
	}

	/** Until it has ended, the stop of the server ends it, and waits for it. */
	async track<T>(watch: RunWatch, call: Promise<T>): Promise<T> {
		this.#running.set(watch, call);
		try {
			return await call;
		} finally {
			this.#running.delete(watch);
		}
	}
}
