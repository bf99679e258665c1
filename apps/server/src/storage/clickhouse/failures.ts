/**
 * Why a statement failed.
 * - `unreachable`: no connection, or one that was cut; nobody knows whether the statement was done
 * - `foreign`: what answered is not ClickHouse, such as a proxy's error page
 * - `uncertain`: ClickHouse itself does not know whether it was done
 * - `overloaded`: too many statements, or parts that wait for a merge
 * - `full`, `read_only`: of the disk, or of tables whose Keeper is away
 * - `memory`, `too_slow`: a bound of the statement was reached
 * - `refused`: the user, the password or a grant
 * - `statement`: ClickHouse refuses what it says or carries
 */
export type FailureKind =
	| "unreachable"
	| "foreign"
	| "uncertain"
	| "overloaded"
	| "full"
	| "read_only"
	| "memory"
	| "too_slow"
	| "refused"
	| "statement";

/** https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
const KINDS: Readonly<Record<number, FailureKind>> = {
	202: "overloaded", // TOO_MANY_SIMULTANEOUS_QUERIES
	252: "overloaded", // TOO_MANY_PARTS
	439: "overloaded", // CANNOT_SCHEDULE_TASK
	243: "full", // NOT_ENOUGH_SPACE
	242: "read_only", // TABLE_IS_READ_ONLY
	241: "memory", // MEMORY_LIMIT_EXCEEDED
	173: "memory", // CANNOT_ALLOCATE_MEMORY
	159: "too_slow", // TIMEOUT_EXCEEDED
	160: "too_slow", // TOO_SLOW
	192: "refused", // UNKNOWN_USER
	193: "refused", // WRONG_PASSWORD
	194: "refused", // REQUIRED_PASSWORD
	497: "refused", // ACCESS_DENIED
	516: "refused", // AUTHENTICATION_FAILED
	209: "uncertain", // SOCKET_TIMEOUT
	210: "uncertain", // NETWORK_ERROR
	285: "uncertain", // TOO_FEW_LIVE_REPLICAS
	286: "uncertain", // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
	319: "uncertain", // UNKNOWN_STATUS_OF_INSERT
	394: "uncertain", // QUERY_WAS_CANCELLED
	999: "uncertain", // KEEPER_EXCEPTION
};

/**
 * A statement failed. ClickHouse's own message is left out, as it quotes the statement and data; its log has it under
 * the query id.
 */
export class ClickHouseFailure extends Error {
	override readonly name = "ClickHouseFailure";
	readonly kind: FailureKind;
	/** ClickHouse's; absent when it gave no answer. */
	readonly code: number | undefined;

	constructor(kind: FailureKind, message: string, code?: number) {
		super(message);
		this.kind = kind;
		this.code = code;
	}

	/** Whether the statement may have been done: an insert is repeated with its token, and a read may be. */
	get mayBeDone(): boolean {
		return this.kind === "unreachable" || this.kind === "foreign" || this.kind === "uncertain";
	}
}

/** The failure for an exception that ClickHouse answered; `text` is its message, of which only the name is kept. */
export function toFailure(code: number, text: string, queryId: string): ClickHouseFailure {
	const name = /\(([A-Z][A-Z0-9_]*)\)(?: \(version [^()]*(?:\([^()]*\))?\))?\s*$/.exec(text)?.[1];
	const called = name === undefined ? String(code) : `${code} ${name}`;
	return new ClickHouseFailure(KINDS[code] ?? "statement", `ClickHouse answered ${called} to query ${queryId}`, code);
}
