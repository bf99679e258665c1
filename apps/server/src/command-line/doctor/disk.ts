import {
	closeSync,
	existsSync,
	fsyncSync,
	openSync,
	readFileSync,
	rmSync,
	statfsSync,
	statSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Steps } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import { present } from "#base/present.ts";
import { DATABASE_FILE } from "#storage/sqlite/connection.ts";

const MEBIBYTE = 1_048_576;
const LITTLE_SPACE = 1_024 * MEBIBYTE;
const NEARLY_NONE = 64 * MEBIBYTE;
const LARGE_WAL = 1_024 * MEBIBYTE;
const SLOW_FSYNC_MS = 100;
const TRIES = 5;
/** File systems without reliable locks, or that lose files at a restart. */
const UNFIT = /^(nfs4?|cifs|smb3?|smbfs|9p|fuse\.sshfs|tmpfs|ramfs)$/;

/** Checks free space, file system and fsync time of the working folder's disk, and the sizes of the database's files. */
export function checkDisk({ SERVICE_WORKING_DIR: folder }: Pick<Config, "SERVICE_WORKING_DIR">, steps: Steps): void {
	if (!existsSync(folder)) return;
	noteSpace(folder, steps);
	noteFileSystem(folder, steps);
	noteFsync(folder, steps);
	noteSizes(folder, steps);
}

/** With PostgreSQL, the folder contains only uploads, while they are being read. */
export function checkUploadFolder(
	{ SERVICE_WORKING_DIR: folder }: Pick<Config, "SERVICE_WORKING_DIR">,
	steps: Steps,
): void {
	if (existsSync(folder)) noteSpace(folder, steps);
	else steps.skip("disk", "The folder for uploads does not exist; the server creates it at the start.");
}

function noteSpace(folder: string, steps: Steps): void {
	const { bavail, bsize, blocks } = statfsSync(folder);
	const free = bavail * bsize;
	const settings = ["SERVICE_WORKING_DIR"];
	const facts = [{ name: "Of", value: mebibytes(blocks * bsize) }];
	const text = `${mebibytes(free)} are free on the folder's disk`;
	// Names no setting: with another folder, the database would be empty.
	if (free < NEARLY_NONE) steps.fail("disk", `${text}: nothing more can be stored. Make room there.`, { facts });
	else if (free < LITTLE_SPACE) steps.warn("disk", `${text}.`, { settings, facts });
	else steps.ok("disk", `${text}.`, { facts });
}

function noteFileSystem(folder: string, steps: Steps): void {
	const type = fileSystemOf(folder);
	if (type === undefined || !UNFIT.test(type)) return;
	const reason = /^(tmpfs|ramfs)$/.test(type) ? "is lost after a restart" : "does not support SQLite's locks";
	steps.warn("disk", `The folder is on ${type}, which ${reason}: it has to be on a local disk.`, {
		settings: ["SERVICE_WORKING_DIR"],
	});
}

/** The file system type of a folder on Linux; undefined elsewhere. */
function fileSystemOf(folder: string): string | undefined {
	if (!existsSync("/proc/self/mounts")) return undefined;
	const isBelow = (point: string) => point === "/" || folder === point || folder.startsWith(`${point}/`);
	return readFileSync("/proc/self/mounts", "utf8")
		.split("\n")
		.map((line) => line.split(" "))
		.filter(([, point]) => point !== undefined && isBelow(point))
		.sort(([, a = ""], [, b = ""]) => b.length - a.length)[0]?.[2];
}

/** Measures with a file beside the database. */
function noteFsync(folder: string, steps: Steps): void {
	const path = join(folder, `.spanward-doctor-${process.pid}`);
	try {
		const file = openSync(path, "wx", 0o600);
		try {
			const times = Array.from({ length: TRIES }, () => {
				writeSync(file, Buffer.alloc(16_384));
				const start = performance.now();
				fsyncSync(file);
				return performance.now() - start;
			}).sort((a, b) => a - b);
			const median = present(times[Math.floor(TRIES / 2)], "the median");
			const text = `The disk takes ${median.toFixed(1)} ms to sync a write`;
			if (median > SLOW_FSYNC_MS) steps.warn("disk", `${text}: every group of exports waits for that.`);
			else steps.ok("disk", `${text}.`);
		} finally {
			closeSync(file);
			rmSync(path);
		}
	} catch (error) {
		const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
		if (code === "ENOSPC" || code === "EDQUOT") {
			steps.fail("disk", "A file in the folder cannot be written: the disk is full.");
			return;
		}
		steps.fail("disk", `A file in the folder cannot be written and synced (${code}).`, {
			settings: ["SERVICE_WORKING_DIR"],
		});
	}
}

function noteSizes(folder: string, steps: Steps): void {
	const sizeOf = (name: string) => (existsSync(join(folder, name)) ? statSync(join(folder, name)).size : 0);
	const database = sizeOf(DATABASE_FILE);
	if (database === 0) return;
	const wal = sizeOf(`${DATABASE_FILE}-wal`);
	const text = `The database takes ${mebibytes(database)}, its write-ahead log ${mebibytes(wal)}.`;
	if (wal > LARGE_WAL)
		steps.warn("disk", `${text} Something prevents its checkpoint, such as a program that reads the database.`);
	else steps.ok("disk", text);
}

export function mebibytes(bytes: number): string {
	return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
