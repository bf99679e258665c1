import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
const IDLE_SHARE = 0.03;
const IDLE_SECONDS = 5;

/** Seconds of CPU that a process has used, all of its threads. Linux only. */
export async function readCpu(pid: number): Promise<number> {
	const stat = await readFile(`/proc/${pid}/stat`, "utf8");
	// Fields after the name, which may contain anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** As {@link readCpu}, once the process has been idle for some seconds: what is done behind the commit is done. */
export async function readSettledCpu(pid: number): Promise<number> {
	let used = await readCpu(pid);
	for (let idle = 0; idle < IDLE_SECONDS; ) {
		await sleep(1_000);
		const now = await readCpu(pid);
		idle = now - used < IDLE_SHARE ? idle + 1 : 0;
		used = now;
	}
	return used;
}
