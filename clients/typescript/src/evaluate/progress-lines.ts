import { drawProgress, type Progress } from "../experiments/progress.ts";
import type { Io } from "./io.ts";

const EVERY_MS = 10_000;

/** Shows progress: a bar on a terminal; elsewhere, such as in the log of a build, a line now and then. */
export function showProgress({ stderr }: Pick<Io, "stderr">): (progress: Progress) => void {
	if (stderr.isTTY) return drawProgress;
	let written = performance.now();
	return ({ phase, done, failed, total }) => {
		const now = performance.now();
		if (done === 0 || (done < total && now - written < EVERY_MS)) return;
		written = now;
		stderr.write(`${phase}: ${done} of ${total}${failed === 0 ? "" : `, ${failed} failed`}\n`);
	};
}
