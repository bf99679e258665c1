import { ClickHouseFailure, type FailureKind } from "#storage/clickhouse/failures.ts";
import { StorageUnavailable, type WhyUnavailable } from "../span-batch.ts";

/** Of a statement that ClickHouse refuses for what it says there is none: it is a mistake of ours. */
const REASONS: Readonly<Record<FailureKind, WhyUnavailable | undefined>> = {
	unreachable: "traces_unreachable",
	foreign: "traces_unreachable",
	uncertain: "traces_busy",
	behind: "traces_behind",
	overloaded: "traces_busy",
	full: "full",
	read_only: "read_only",
	memory: "too_large",
	too_slow: "too_slow",
	refused: "traces_refused",
	statement: undefined,
};

/** A failure of ClickHouse itself as `StorageUnavailable`; anything else as it is. */
export function toStorageError(error: unknown): unknown {
	if (!(error instanceof ClickHouseFailure)) return error;
	const reason = REASONS[error.kind];
	return reason === undefined ? error : new StorageUnavailable(reason, error);
}
