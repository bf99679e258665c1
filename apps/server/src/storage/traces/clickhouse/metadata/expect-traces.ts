import { ConfigError } from "#base/config.ts";
import type { Storage } from "#storage/storage.ts";
import { readNotedFacts } from "./common-metadata.ts";

/** @throws ConfigError when the traces of the installation are in ClickHouse, and no setting says where */
export async function expectTracesHere({ db }: Pick<Storage, "db">): Promise<void> {
	if (!(await readNotedFacts(db)).has("traces")) return;
	throw new ConfigError([
		"this installation has its traces in ClickHouse: SERVICE_CLICKHOUSE_URL has to say where, and spanward copy --traces-from brings them to another database",
	]);
}
