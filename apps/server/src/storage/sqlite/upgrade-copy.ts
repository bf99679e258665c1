import {
	closeSync,
	constants,
	copyFileSync,
	fsyncSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	statfsSync,
	statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { markSettled } from "./in-use-mark.ts";

/** Bytes kept free beside a copy, for the upgrade itself. */
const SPARE_BYTES = 256 * 1_048_576;

/**
 * Copies the database to `<path>.before-<version>`, for a downgrade to the former Spanward, and removes the copies of
 * earlier upgrades. Nobody else may have the file open for writing.
 * @returns a sentence for the log: where the copy is, or that there was no room for one
 */
export function copyBeforeUpgrade(db: DatabaseSync, path: string, version: number): string {
	// The copy is complete without a log, and nobody uses it.
	markSettled(db);
	db.exec("pragma wal_checkpoint(truncate)");
	const folder = dirname(path);
	const { bavail, bsize } = statfsSync(folder);
	const { size } = statSync(path);
	const copy = `${path}.before-${version}`;
	if (bavail * bsize < size + SPARE_BYTES)
		return `no copy of ${path} was made before its upgrade, the disk has no room for another ${Math.ceil(size / 1_048_576)} MiB`;
	const unfinished = `${copy}.unfinished`;
	copyFileSync(path, unfinished, constants.COPYFILE_FICLONE);
	const file = openSync(unfinished, "r+");
	fsyncSync(file);
	closeSync(file);
	renameSync(unfinished, copy);
	const others = readdirSync(folder).filter(
		(name) => name.startsWith(`${basename(path)}.before-`) && name !== basename(copy),
	);
	for (const name of others) rmSync(join(folder, name));
	return `${copy} is a copy of the database as it was before the upgrade; the next upgrade replaces it`;
}
