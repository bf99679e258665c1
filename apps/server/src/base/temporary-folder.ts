import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const PREFIX = "spanward-in-memory-";

/** A folder, not created yet, for a database that is deleted when the server stops, as one in memory would be. */
export function temporaryFolder(): string {
	return join(tmpdir(), `${PREFIX}${randomBytes(8).toString("hex")}`);
}

export function isTemporaryFolder(folder: string): boolean {
	return dirname(folder) === tmpdir() && basename(folder).startsWith(PREFIX);
}
