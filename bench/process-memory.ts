import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Resident memory of a process in MB. */
export async function readMemory(pid: number): Promise<number> {
	const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
	return Number(stdout.trim()) / 1_024;
}

/** Looks at a process again and again until stopped; `stop` resolves with the largest resident memory seen, in MB. */
export function watchMemory(pid: number): { readonly stop: () => Promise<number> } {
	let peak = 0;
	let pending: Promise<void> = Promise.resolve();
	const timer = setInterval(() => {
		pending = readMemory(pid).then(
			(memory) => {
				peak = Math.max(peak, memory);
			},
			// It has ended, which stops what is measured, and says how.
			() => clearInterval(timer),
		);
	}, 200);
	return {
		stop: async () => {
			clearInterval(timer);
			await pending;
			return peak;
		},
	};
}
