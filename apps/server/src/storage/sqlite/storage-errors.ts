import { StorageUnavailable } from "../traces/span-batch.ts";

// https://www.sqlite.org/rescode.html: the low byte is the primary code.
const REASONS: ReadonlyMap<number, "full" | "read_only" | "failing"> = new Map([
	[5, "failing"], // SQLITE_BUSY: another process holds the write lock
	[6, "failing"], // SQLITE_LOCKED
	[8, "read_only"], // SQLITE_READONLY
	[10, "failing"], // SQLITE_IOERR
	[13, "full"], // SQLITE_FULL
	[14, "failing"], // SQLITE_CANTOPEN
]);

/** Returns `StorageUnavailable` for failures of the disk or locks of another process, anything else unchanged. */
export function toStorageError(error: unknown): unknown {
	if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
	const reason = REASONS.get(error.errcode & 0xff);
	return reason === undefined ? error : new StorageUnavailable(reason, error);
}
