import { ClickHouseFailure, type FailureKind } from "#storage/clickhouse/failures.ts";
import { StorageUnavailable } from "../span-batch.ts";

const REASONS: Readonly<Partial<Record<FailureKind, StorageUnavailable["reason"]>>> = {
	unreachable: "unreachable",
	foreign: "unreachable",
	uncertain: "failing",
	overloaded: "busy",
	full: "full",
	read_only: "read_only",
	memory: "busy",
	too_slow: "busy",
	refused: "failing",
};

/** A failure of ClickHouse itself as `StorageUnavailable`; anything else as it is. */
export function toStorageError(error: unknown): unknown {
	if (!(error instanceof ClickHouseFailure)) return error;
	const reason = REASONS[error.kind];
	return reason === undefined ? error : new StorageUnavailable(reason, error);
}

/** @throws as {@link toStorageError} says */
export async function asStorageError<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		throw toStorageError(error);
	}
}
