import { StorageUnavailable } from "../traces/span-batch.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, by class or code. */
const UNAVAILABLE: readonly (readonly [string, "full" | "read_only" | "failing"])[] = [
	["53100", "full"], // disk_full
	["25006", "read_only"], // read_only_sql_transaction: a standby
	["08", "failing"], // connection exceptions
	["53", "failing"], // insufficient resources
	["57", "failing"], // operator intervention: shutdown, crash, starting up, statement timeout
	["58", "failing"], // system errors
	["XX", "failing"],
	["28", "failing"], // the password was changed
	["3D", "failing"],
];

/** Whether the transaction may succeed when it is run again: it met another one. */
export function isConflict(error: unknown): boolean {
	const code = codeOf(error);
	return code === "40001" || code === "40P01";
}

/** `StorageUnavailable` for what the database or the way to it caused, anything else as it is. */
export function toStorageError(error: unknown): unknown {
	if (!(error instanceof Error) || error instanceof StorageUnavailable) return error;
	const code = codeOf(error);
	// Errors of the socket and of the pool have no SQLSTATE.
	if (code === undefined) return isConnectionError(error) ? new StorageUnavailable("failing", error) : error;
	const found = UNAVAILABLE.find(([prefix]) => code.startsWith(prefix));
	return found === undefined ? error : new StorageUnavailable(found[1], error);
}

function codeOf(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
	return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

function isConnectionError(error: Error): boolean {
	if ("code" in error && typeof error.code === "string") return true;
	return /connection|timeout/i.test(error.message);
}
