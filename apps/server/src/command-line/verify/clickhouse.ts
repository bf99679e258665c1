import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { ClickHouseOpenError, nodeNames, toOpenError } from "#storage/clickhouse/open-errors.ts";
import { openEachShard } from "#storage/clickhouse/shard.ts";
import type { Database } from "#storage/database.ts";
import { readFacts } from "#storage/traces/clickhouse/facts.ts";
import { countRows, findDamage } from "#storage/traces/clickhouse/integrity/check-integrity.ts";
import { INSTALLATION_ID, readNotedFacts, SHARDS } from "#storage/traces/clickhouse/metadata/common-metadata.ts";
import { checkTables } from "#storage/traces/clickhouse/schema.ts";
import { ShardHistory } from "#storage/traces/clickhouse/shards/shard-history.ts";
import { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import { CommandError, EXIT_DATA, EXIT_SETTINGS } from "../command-error.ts";
import { type Checked, collectProblems } from "./checked.ts";

/** One statement of a check may take longer than one of a server. */
const STATEMENT_MS = 3_600_000;

/**
 * Checks traces in ClickHouse, with what refers to them from the metadata database.
 * @param database the metadata database, which was checked itself
 * @throws CommandError when they cannot be checked
 */
export async function checkClickHouse(settings: ClickHouseSettings, database: Database): Promise<Checked> {
	const noted = (await readNotedFacts(database)).get(SHARDS);
	const history = noted === undefined ? undefined : ShardHistory.parse(noted);
	await using shards = new TraceShards(openEachShard({ ...settings, statementTimeoutMs: STATEMENT_MS }), history);
	try {
		await assertOurs(shards, settings, database);
		let leftOut = 0;
		const leaveOut = () => {
			leftOut += 1;
		};
		const problems = await collectProblems(findDamage({ shards, db: database.read, leaveOut }));
		const server = nodeNames(settings);
		return {
			name: `the database ${settings.database} of ClickHouse at ${server}`,
			facts: { clickhouse: server, clickhouse_database: settings.database },
			rows: await countRows(shards),
			...problems,
			parts: `references, contents and totals${leftOut === 0 ? "" : ` (without ${leftOut} traces and hours that changed all the time)`}`,
		};
	} catch (error) {
		throw notChecked(toOpenError(error, settings));
	}
}

/** @throws ClickHouseOpenError, CommandError */
async function assertOurs(shards: TraceShards, settings: ClickHouseSettings, database: Database): Promise<void> {
	const facts = await readNotedFacts(database);
	let isOurs = shards.history.count === shards.list.length;
	for (const [index, shard] of shards.list.entries()) {
		const { version } = await checkTables(shard, settings);
		if (version === undefined)
			throw new CommandError(
				EXIT_DATA,
				`Not checked: the database ${settings.database} of ClickHouse has no traces of Spanward yet.`,
			);
		const stored = await readFacts(shard);
		isOurs &&= facts.get(INSTALLATION_ID) === stored.get("installation_id");
		isOurs &&= shards.list.length === 1 || stored.get("shard") === String(index + 1);
	}
	if (isOurs) return;
	throw new CommandError(
		EXIT_DATA,
		`Not checked: the traces in the database ${settings.database} of ClickHouse are not those of this installation; a start of the server says what to do.`,
	);
}

function notChecked(error: unknown): unknown {
	if (error instanceof CommandError || !(error instanceof Error)) return error;
	const exitCode = error instanceof ClickHouseOpenError ? EXIT_SETTINGS : EXIT_DATA;
	return new CommandError(exitCode, `Not checked: ${error.message}.`);
}
