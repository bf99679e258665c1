import { readConfig } from "#base/config.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { CommandError } from "../command-error.ts";
import { printable } from "../printable.ts";
import { readArguments } from "../read-arguments.ts";
import { databaseFile, givenFile } from "../sqlite-folder.ts";
import type { Checked } from "./checked.ts";
import { checkFile } from "./file.ts";
import { checkPostgres } from "./postgres.ts";

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
	const settings = postgresSettings(config);
	if (settings !== undefined) return await checkPostgres(settings);
	return await checkFile(databaseFile(config.SERVICE_WORKING_DIR), "of the server");
}
