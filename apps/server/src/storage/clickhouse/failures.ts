/**
 * Why a statement failed.
 * - `unreachable`: no connection, or one that was cut; nobody knows whether the statement was done
 * - `foreign`: what answered is not ClickHouse, such as a proxy's error page
 * - `uncertain`: ClickHouse itself does not know whether it was done
 * - `behind`: no replica has what was stored long enough ago
 * - `overloaded`: too many statements, or parts that wait for a merge
 * - `full`, `read_only`: of the disk, or of tables whose Keeper is away
 * - `memory`, `too_slow`: a bound of the statement was reached, of what it holds or reads or of its time
 * - `refused`: the user, the password, a grant, or a setting that the user may not change
 * - `statement`: ClickHouse refuses what it says or carries
 */
export type FailureKind =
	| "unreachable"
	| "foreign"
	| "uncertain"
	| "behind"
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
	158: "memory", // TOO_MANY_ROWS
	191: "memory", // SET_SIZE_LIMIT_EXCEEDED
	307: "memory", // TOO_MANY_BYTES
	396: "memory", // TOO_MANY_ROWS_OR_BYTES
	159: "too_slow", // TIMEOUT_EXCEEDED
	160: "too_slow", // TOO_SLOW
	164: "refused", // READONLY
	192: "refused", // UNKNOWN_USER
	193: "refused", // WRONG_PASSWORD
	194: "refused", // REQUIRED_PASSWORD
	452: "refused", // SETTING_CONSTRAINT_VIOLATION
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

	/** Whether it may do when it is asked about less. */
	get isOfBound(): boolean {
		return this.kind === "memory" || this.kind === "too_slow";
	}

	/** Whether the statement may have been done: an insert is repeated with its token, and a read may be. */
	get mayBeDone(): boolean {
		return this.kind === "unreachable" || this.kind === "foreign" || this.kind === "uncertain";
	}
}

/** A node does not answer `/ping` either, or does not accept a connection within the time for that. */
export class NodeIsSilent extends ClickHouseFailure {
	constructor(name: string) {
		super("unreachable", `ClickHouse at ${name} is silent`);
	}
}

/**
 * The failure for an exception that ClickHouse answered; `text` is its message, of which only the name is kept, and the
 * right that the user lacks.
 */
export function toFailure(code: number, text: string, queryId: string): ClickHouseFailure {
	const name = /\(([A-Z][A-Z0-9_]*)\)(?: \(version [^()]*(?:\([^()]*\))?\))?\s*$/.exec(text)?.[1];
	const called = name === undefined ? String(code) : `${code} ${name}`;
	const grant = code === ACCESS_DENIED ? GRANT.exec(text) : null;
	const lacking = grant === null ? "" : `, which needs the grant ${grant[1]} on ${grant[2]}`;
	const message = `ClickHouse answered ${called} to query ${queryId}${lacking}`;
	return new ClickHouseFailure(KINDS[code] ?? "statement", message, code);
}

/**
 * The failure of a statement whose exception came when its answer had begun, in the frame of the answer's tag:
 * https://clickhouse.com/docs/interfaces/http#http_response_codes_caveats. Without a tag, as before ClickHouse 25.11, the
 * number of rows tells.
 */
export function exceptionBehind(
	answer: Buffer,
	tag: string | undefined,
	queryId: string,
): ClickHouseFailure | undefined {
	if (tag === undefined) return undefined;
	const begin = answer.lastIndexOf(`\r\n__exception__\r\n${tag}\r\n`);
	if (begin === -1) return undefined;
	const text = answer.toString("utf8", begin).replace(/\s*\d+ \w+\s+__exception__\s*$/, "");
	const code = Number(/Code: (\d+)\. /.exec(text)?.[1] ?? Number.NaN);
	return Number.isNaN(code)
		? new ClickHouseFailure("uncertain", `the answer to query ${queryId} ended in an exception`)
		: toFailure(code, text, queryId);
}

const ACCESS_DENIED = 497;
const OBJECT = /(?:[\w*]+|`[^`]+`)(?:\.(?:[\w*]+|`[^`]+`))?/.source;
/** Names of columns, or a note that one of them would do, may be between the right and what it is for. */
const GRANT = new RegExp(`have the grant ([A-Z][A-Z ]*[A-Z])(?:\\([^()]*\\)| for [a-z ]+)? (?:ON|on) (${OBJECT})`);

/** What ClickHouse failed with, also as the cause of an error that says what that means; undefined for any other. */
export function failureOf(error: unknown): ClickHouseFailure | undefined {
	const failure = error instanceof Error && !(error instanceof ClickHouseFailure) ? error.cause : error;
	return failure instanceof ClickHouseFailure ? failure : undefined;
}
