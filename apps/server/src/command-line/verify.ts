import type { Environment } from "#base/settings/setting.ts";
import { describeDatabase } from "#storage/copy/database-file.ts";
import { findMissingLog } from "#storage/sqlite/in-use-mark.ts";
import { SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { type Remedies, toOpenError } from "#storage/sqlite/open-errors.ts";
import { findDamage } from "#storage/traces/sqlite/check-integrity.ts";
import { CommandError, EXIT_DATA } from "./command-error.ts";
import { printable } from "./printable.ts";
import { Progress } from "./progress.ts";
import { readArguments } from "./read-arguments.ts";
import { databaseFile, givenFile, sqliteFolder } from "./sqlite-folder.ts";

/** The most problems that are shown; the rest is only counted. */
const MOST_SHOWN = 50;
const OF_A_GIVEN_FILE: Remedies = {
	unwritable: "let this user write there, or copy the file to another folder and verify that",
	full: "make room, or copy the file to another disk and verify that",
	damaged: "it cannot be restored",
};

/** `spanward verify [<file>]`: checks a database, by default that of the working folder, also while its server runs. */
export async function verifyCommand(args: readonly string[], environment: Environment): Promise<void> {
	const { flags, positionals } = readArguments(args, "verify [<file>] [--json]", {
		flags: ["json"],
		positionals: [0, 1],
	});
	const given = positionals[0];
	const path = given === undefined ? databaseFile(sqliteFolder(environment, "verify")) : givenFile(given);
	// Before the file is opened, which would create a log.
	const missingLog = findMissingLog(path);
	const { rows, count, shown } = inspect(path, given, missingLog === undefined ? [] : [missingLog]);
	if (flags.has("json"))
		process.stdout.write(`${JSON.stringify({ file: path, rows, wrong: count, findings: shown })}\n`);
	else {
		const counts = Object.entries(rows).map(([table, number]) => `${number} ${table}`);
		process.stdout.write(`${path}: ${counts.join(", ")}\n`);
		for (const wrong of shown) process.stdout.write(`  ${printable(wrong)}\n`);
		if (count > shown.length) process.stdout.write(`  and ${count - shown.length} more\n`);
		if (count === 0)
			process.stdout.write("No problems found: schema, file, references, contents and totals were checked.\n");
	}
	if (count > 0)
		throw new CommandError(
			1,
			`${count} ${count === 1 ? "thing is" : "things are"} wrong with ${path}; docs/backup.md says what to do.`,
		);
}

/** @param found problems that are known already */
function inspect(path: string, given: string | undefined, found: readonly string[]) {
	using progress = new Progress();
	try {
		const { rows, schemaVersion } = describeDatabase(path, true);
		if (schemaVersion < SCHEMA_VERSION)
			throw new CommandError(
				EXIT_DATA,
				`${path} has schema version ${schemaVersion}, and this Spanward checks version ${SCHEMA_VERSION}: use the Spanward that wrote it, or restore it and start the server once, which upgrades it`,
			);
		const shown = [...found];
		let count = found.length;
		let stage = "";
		for (const { stage: next, wrong } of findDamage(path)) {
			stage = next ?? stage;
			if (wrong !== undefined) {
				count += 1;
				if (shown.length < MOST_SHOWN) shown.push(wrong);
			}
			progress.show(`Checking ${stage}${count === 0 ? "" : `, ${count} wrong`}`);
		}
		return { rows, count, shown };
	} catch (error) {
		const explained = toOpenError(error, path, given === undefined ? undefined : OF_A_GIVEN_FILE);
		if (explained instanceof CommandError || !(explained instanceof Error)) throw explained;
		throw new CommandError(EXIT_DATA, explained.message);
	}
}
