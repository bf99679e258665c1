// Where tests keep their databases: in memory, where there is much. Plain Node 18, like setup.mjs.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The file system in memory that Linux has. */
const MEMORY = "/dev/shm";
/** Several times what a run of all tests keeps at a time, so that programs and what they open have room beside it. */
const NEEDED_BYTES = 12 * 1024 ** 3;

/**
 * A folder for temporary files in memory: databases wait for the disk at each write that they promise to keep, and no test
 * takes the power away. A program that is killed loses nothing of what it has written, there as little as on a disk.
 * @returns {string | undefined} its path; undefined where there is too little memory, or nothing may be run from there
 */
export function makeFolderInMemory() {
	if (process.platform !== "linux" || process.env.TMPDIR) return undefined;
	try {
		const { bavail, bsize } = statfsSync(MEMORY);
		if (Math.min(bavail * bsize, availableMemory()) < NEEDED_BYTES) return undefined;
		const folder = mkdtempSync(join(MEMORY, "spanward-tests-"));
		// PostgreSQL runs as another user.
		chmodSync(folder, 0o1777);
		if (runsPrograms(folder)) return folder;
		rmSync(folder, { recursive: true });
	} catch (error) {
		if (!["ENOENT", "EACCES", "ENOSPC", "EROFS"].includes(error.code)) throw error;
	}
	return undefined;
}

function availableMemory() {
	const [, kibibytes = "0"] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
	return Number(kibibytes) * 1024;
}

/** It may be mounted `noexec`, and tests install programs in temporary folders. */
function runsPrograms(folder) {
	const program = join(folder, "program");
	writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
	const { status } = spawnSync(program);
	rmSync(program);
	return status === 0;
}
