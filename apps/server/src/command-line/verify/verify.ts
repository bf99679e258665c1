import { SecretBox } from "#access/auth/secret-box.ts";
import { deriveSigningKeys } from "#access/auth/signing-keys.ts";
import { type Config, readConfig } from "#base/config.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { clickHouseSettings } from "#base/settings/clickhouse.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import type { Database } from "#storage/database.ts";
import { openForReading } from "#storage/sqlite/connection.ts";
import { expectTracesHere } from "#storage/traces/clickhouse/metadata/expect-traces.ts";
import { CommandError } from "../command-error.ts";
import { listLost } from "../lost-secrets.ts";
import { printable } from "../printable.ts";
import { readArguments } from "../read-arguments.ts";
import { readOnlyFile, readOnlyPostgres } from "../read-only-database.ts";
import { databaseFile, givenFile } from "../sqlite-folder.ts";
import { alsoWrong, type Checked, together } from "./checked.ts";
import { checkFile } from "./file.ts";
import { checkPostgres } from "./postgres.ts";

const CACHE_MEBIBYTES = 8;
const STATEMENT_MS = 600_000;

/** `spanward verify [<file>]`: checks a database, by default that of the settings, also while servers run. */
export async function verifyCommand(args: readonly string[], environment: Environment): Promise<void> {
	const { flags, positionals } = readArguments(args, "verify [<file>] [--json]", {
		flags: ["json"],
		positionals: [0, 1],
	});
	const { name, facts, rows, count, shown, parts } = await check(positionals[0], environment);
	if (flags.has("json")) process.stdout.write(`${JSON.stringify({ ...facts, rows, wrong: count, findings: shown })}\n`);
	else {
		const counts = Object.entries(rows).map(([table, number]) => `${number} ${table}`);
		process.stdout.write(`${name}: ${counts.join(", ")}\n`);
		for (const wrong of shown) process.stdout.write(`  ${printable(wrong)}\n`);
		if (count > shown.length) process.stdout.write(`  and ${count - shown.length} more\n`);
		if (count === 0) process.stdout.write(`No problems found: ${parts} were checked.\n`);
	}
	if (count > 0)
		throw new CommandError(
			1,
			`${count} ${count === 1 ? "thing is" : "things are"} wrong with ${name}; docs/backup.md says what to do.`,
		);
}

async function check(given: string | undefined, environment: Environment): Promise<Checked> {
	if (given !== undefined) return await checkFile(givenFile(given), "given");
	const config = readConfig(environment, { listens: false });
	const [postgres, clickhouse] = [postgresSettings(config), clickHouseSettings(config)];
	const { checked, open } =
		postgres === undefined ? await checkOwnFile(config.SERVICE_WORKING_DIR) : await checkOwnPostgres(postgres);
	await using database = open();
	const metadata = alsoWrong(checked, await findLostSecrets(config, database));
	if (clickhouse === undefined) {
		await expectTracesHere({ db: database });
		return metadata;
	}
	// Loaded only where it is used.
	const { checkClickHouse } = await import("./clickhouse.ts");
	return together(metadata, await checkClickHouse(clickhouse, database));
}

/** None without `SERVICE_SECRET`, which need not be where backups are verified. */
async function findLostSecrets(config: Config, { read }: Database): Promise<readonly string[]> {
	const keys = deriveSigningKeys(config);
	if (keys === undefined) return [];
	return (await listLost(read, new SecretBox(keys))).map((name) => `SERVICE_SECRET cannot decrypt ${name}`);
}

interface CheckedMetadata {
	readonly checked: Checked;
	readonly open: () => Database;
}

async function checkOwnFile(folder: string): Promise<CheckedMetadata> {
	const path = databaseFile(folder);
	const checked = await checkFile(path, "of the server");
	return { checked, open: () => readOnlyFile(openForReading(path, CACHE_MEBIBYTES)) };
}

async function checkOwnPostgres(settings: PostgresSettings): Promise<CheckedMetadata> {
	const checked = await checkPostgres(settings);
	return { checked, open: () => readOnlyPostgres(settings, { name: "verify", statementTimeoutMs: STATEMENT_MS }) };
}
