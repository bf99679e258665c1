import type { StepName, Steps } from "#access/sign-in/steps.ts";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseOpenError, toOpenError } from "#storage/clickhouse/open-errors.ts";

/** Notes why ClickHouse did not do what it was asked. @throws the error, if it is not one of ClickHouse's */
export function noteFailure(error: unknown, settings: ClickHouseSettings, steps: Steps, name: StepName): void {
	const explained = toOpenError(error, settings);
	if (!(explained instanceof ClickHouseOpenError)) throw error;
	const { message } = explained;
	steps.fail(name, `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`, { settings: explained.settings });
}
