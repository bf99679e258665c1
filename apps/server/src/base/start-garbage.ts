import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const AFTER_MS = 1_000;

/**
 * Frees, a second from now, memory that only the start of this thread needed and that V8 would keep for later: about 30
 * MB on the main thread and 4 MB on each other. It takes up to 150 ms, once.
 */
export function returnStartGarbageSoon(): void {
	setTimeout(() => {
		setFlagsFromString("--expose-gc");
		const collect: (options: object) => void = runInNewContext("gc");
		setFlagsFromString("--no-expose-gc");
		collect({ type: "major", flavor: "last-resort" });
	}, AFTER_MS).unref();
}
