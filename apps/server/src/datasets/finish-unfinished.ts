import type { Context } from "../context.ts";
import { findUnfinished, finish } from "./unfinished.ts";

/** Before the first request is taken it is asked what the process before left; it is finished beside the requests. */
export function finishUnfinished(context: Pick<Context, "db" | "traces" | "log">): AsyncDisposable {
	const stopped = new AbortController();
	const finishing = findUnfinished(context.db)
		.then((unfinished) => finish(context, unfinished, stopped.signal))
		.catch((error: unknown) =>
			context.log.error({ err: error }, "datasets that were being uploaded or deleted are finished at the next start"),
		);
	return {
		async [Symbol.asyncDispose]() {
			stopped.abort();
			await finishing;
		},
	};
}
