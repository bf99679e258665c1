import pg from "pg";
import { StorageUnavailable, type WhyUnavailable } from "../traces/span-batch.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, by class or code. */
const UNAVAILABLE: readonly (readonly [string, WhyUnavailable])[] = [
	["53100", "full"], // disk_full
	["25006", "read_only"], // read_only_sql_transaction: a standby
	["08", "unreachable"], // connection exceptions
	["57P", "unreachable"], // shutdown, crash, starting up, not connectable now
	["53", "failing"], // insufficient resources
	["57", "failing"], // operator intervention: statement timeout
	["58", "failing"], // system errors
	["XX", "failing"],
	["28", "unreachable"], // the password was changed
	["3D", "unreachable"],
];

/** Whether the transaction conflicted with another one, and may succeed when it is run again. */
export function isConflict(error: unknown): boolean {
	const code = codeOf(error);
	return code === "40001" || code === "40P01" || isOutdatedPlan(error);
}

/** Whether a prepared statement would return other columns than when it was planned. */
export function isOutdatedPlan(error: unknown): boolean {
	return error instanceof pg.DatabaseError && error.code === "0A000" && error.routine === "RevalidateCachedQuery";
}

/**
 * Whether a statement broke a unique index or a foreign key. A transaction that checked first may fail so, too, because
 * of a concurrent one: https://www.postgresql.org/docs/current/transaction-iso.html#XACT-SERIALIZABLE
 */
export function isViolation(error: unknown): boolean {
	const code = codeOf(error);
	return code === "23505" || code === "23503";
}

/** Returns `StorageUnavailable` for failures of the database or the network, anything else unchanged. */
export function toStorageError(error: unknown): unknown {
	if (!(error instanceof Error) || error instanceof StorageUnavailable) return error;
	const code = codeOf(error);
	if (isPoolInUse(error)) return new StorageUnavailable("busy", error);
	// Errors of the socket and the pool have no SQLSTATE.
	if (code === undefined) return isConnectionError(error) ? new StorageUnavailable("unreachable", error) : error;
	const found = UNAVAILABLE.find(([prefix]) => code.startsWith(prefix));
	return found === undefined ? error : new StorageUnavailable(found[1], error);
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: query_canceled */
const QUERY_CANCELED = "57014";

/** Whether a statement exceeded its timeout, also after conversion to `StorageUnavailable`. */
export function isTooSlow(error: unknown): boolean {
	return codeOf(error) === QUERY_CANCELED || (error instanceof Error && codeOf(error.cause) === QUERY_CANCELED);
}

/** The SQLSTATE of an error that the database returned. */
function codeOf(error: unknown): string | undefined {
	return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** No connection of the pool became free in time; the database may be fine. */
function isPoolInUse({ message }: Error): boolean {
	return message === "timeout exceeded when trying to connect";
}

/** Errors of the socket, of TLS, or of `pg`, whose own errors have only a message. */
function isConnectionError(error: Error): boolean {
	if ("code" in error && typeof error.code === "string") return /^[A-Z][A-Z_]+$/.test(error.code);
	return /^(Connection terminated|Client (has encountered a connection error|was closed)|Query read timeout|timeout expired|Cannot use a pool|The server does not support SSL)/.test(
		error.message,
	);
}
