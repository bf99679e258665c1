import { describeDatabase } from "#storage/copy/database-file.ts";
import { findMissingLog } from "#storage/sqlite/in-use-mark.ts";
import { SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { type Remedies, toOpenError } from "#storage/sqlite/open-errors.ts";
import { findDamage } from "#storage/traces/sqlite/check-integrity.ts";
import { CommandError, EXIT_DATA } from "../command-error.ts";
import { type Checked, collectProblems } from "./checked.ts";

const OF_A_GIVEN_FILE: Remedies = {
	unwritable: "let this user write there, or copy the file to another folder and verify that",
	full: "make room, or copy the file to another disk and verify that",
	damaged: "it cannot be restored",
};

const WITHOUT_TRACES = "schema, file and references, without the traces, which are in ClickHouse,";

/** Checks a SQLite database: a given file, or that of the server. @throws CommandError when it cannot be checked */
export async function checkFile(path: string, whose: "given" | "of the server"): Promise<Checked> {
	// Before the file is opened, which would create a log.
	const missingLog = findMissingLog(path);
	try {
		const { rows, schemaVersion, tracesIn } = describeDatabase(path, true);
		if (schemaVersion < SCHEMA_VERSION)
			throw new CommandError(
				EXIT_DATA,
				`${path} has schema version ${schemaVersion}, and this Spanward checks version ${SCHEMA_VERSION}: use the Spanward that wrote it, or restore it and start the server once, which upgrades it`,
			);
		const problems = await collectProblems(findDamage(path), missingLog === undefined ? [] : [missingLog]);
		const parts = tracesIn === undefined ? "schema, file, references, contents and totals" : WITHOUT_TRACES;
		return { name: path, facts: { file: path }, rows, ...problems, parts };
	} catch (error) {
		const explained = toOpenError(error, path, whose === "given" ? OF_A_GIVEN_FILE : undefined);
		if (explained instanceof CommandError || !(explained instanceof Error)) throw explained;
		throw new CommandError(EXIT_DATA, explained.message);
	}
}
