import { readFileSync, writeFileSync } from "node:fs";
import type { TestServer } from "./server.ts";

/**
 * Largest growth of the server's resident memory while `work` runs, in bytes; undefined where there is no /proc.
 * https://docs.kernel.org/filesystems/proc.html: writing 5 to clear_refs resets the peak.
 */
export async function measureGrowth(
	{ pid }: Pick<TestServer, "pid">,
	work: () => Promise<void>,
): Promise<number | undefined> {
	if (process.platform !== "linux") {
		await work();
		return undefined;
	}
	const read = (line: string) => {
		const status = readFileSync(`/proc/${pid}/status`, "utf8");
		return Number(new RegExp(`^${line}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024;
	};
	writeFileSync(`/proc/${pid}/clear_refs`, "5");
	const before = read("VmRSS");
	await work();
	return read("VmHWM") - before;
}
