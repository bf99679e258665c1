import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { deriveSigningKeys } from "#access/auth/signing-keys.ts";
import { isSecretOf } from "#access/secrets/canary.ts";
import type { Steps } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import { fileReason } from "#base/settings/read-variable.ts";
import type { Database } from "#storage/database.ts";
import { DATABASE_FILE, openForReading } from "#storage/sqlite/connection.ts";
import { SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { toOpenError } from "#storage/sqlite/open-errors.ts";
import { getRow } from "#storage/sqlite/rows.ts";
import { readOnly, readOnlyFile } from "../read-only-database.ts";
import { checkDisk } from "./disk.ts";

const OTHERS = 0o077;
const CACHE_MEBIBYTES = 2;
const FOLDER = ["SERVICE_WORKING_DIR"];

/** Stands for the database where there is none that can be read. */
export const NO_DATABASE: Database = readOnly({
	run: async () => {
		throw new Error("there is no database");
	},
});

/**
 * Checks that a server with these settings can use its folder.
 * @returns the database, if it exists and has the schema of this version
 */
export async function checkFolder(config: Config, steps: Steps): Promise<Database | undefined> {
	if (!checkAccess(config.SERVICE_WORKING_DIR, steps)) return undefined;
	const path = join(config.SERVICE_WORKING_DIR, DATABASE_FILE);
	if (!existsSync(path)) {
		steps.warn("folder", "There is no database in this folder; the server creates an empty one at the start.", {
			settings: FOLDER,
		});
		return undefined;
	}
	warnOfOthers(path, steps);
	checkDisk(config, steps);
	const opened = openDatabase(path, steps);
	if (opened !== undefined) await checkSecret(config, opened, steps);
	return opened;
}

function checkAccess(folder: string, steps: Steps): boolean {
	const facts = [{ name: "SERVICE_WORKING_DIR", value: folder }];
	try {
		if (!existsSync(folder)) {
			accessSync(nearestPresent(folder), constants.W_OK | constants.X_OK);
			steps.warn("folder", "The folder does not exist; the server creates it at the start, with an empty database.", {
				settings: FOLDER,
				facts,
			});
			return false;
		}
		if (!statSync(folder).isDirectory()) {
			steps.fail("folder", "SERVICE_WORKING_DIR is not a folder.", { settings: FOLDER, facts });
			return false;
		}
		accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
		steps.ok("folder", "The folder can be written to.", { facts });
		return true;
	} catch (error) {
		steps.fail("folder", `The folder ${fileReason(error)}, or cannot be written to: the server needs both.`, {
			settings: FOLDER,
			facts,
		});
		return false;
	}
}

function nearestPresent(folder: string): string {
	const parent = dirname(folder);
	return existsSync(parent) || parent === folder ? parent : nearestPresent(parent);
}

function warnOfOthers(path: string, steps: Steps): void {
	if (process.platform === "win32" || (statSync(path).mode & OTHERS) === 0) return;
	steps.warn("folder", "Other users of this machine may read the database; remove their permission to read the file.", {
		facts: [{ name: "File", value: path }],
	});
}

function openDatabase(path: string, steps: Steps): Database | undefined {
	let db: DatabaseSync | undefined;
	try {
		db = openForReading(path, CACHE_MEBIBYTES);
		const { version } = getRow<{ version: number }>(
			db.prepare("select coalesce(max(version), 0) as version from schema_version"),
		);
		if (noteVersion(version, steps)) {
			const open = db;
			db = undefined;
			return readOnlyFile(open);
		}
	} catch (error) {
		const explained = toOpenError(error, path);
		const reason = explained instanceof Error ? explained.message : String(explained);
		steps.fail("folder", `The database cannot be read: ${reason}.`);
	} finally {
		db?.close();
	}
	return undefined;
}

function noteVersion(version: number, steps: Steps): boolean {
	const facts = [
		{ name: "Schema of the database", value: String(version) },
		{ name: "Schema of this Spanward", value: String(SCHEMA_VERSION) },
	];
	if (version > SCHEMA_VERSION) {
		steps.fail("folder", "The database was written by a newer Spanward: start that one, or restore a backup.", {
			facts,
		});
	} else if (version < SCHEMA_VERSION) {
		steps.warn(
			"folder",
			"The database was written by an older Spanward; the next start upgrades it, and keeps a copy.",
			{
				facts,
			},
		);
	} else {
		steps.ok("folder", "The database has the schema of this Spanward.", { facts });
	}
	return version === SCHEMA_VERSION;
}

/** Checks that `SERVICE_SECRET` is the one that the database was used with. */
export async function checkSecret(config: Config, { read }: Database, steps: Steps): Promise<void> {
	const keys = deriveSigningKeys(config);
	if (keys === undefined) return;
	if (await isSecretOf(read, keys)) steps.ok("settings", "SERVICE_SECRET is the one of this database.");
	else {
		steps.fail(
			"settings",
			"SERVICE_SECRET is not the one that this database was used with: the server does not start.",
			{
				settings: ["SERVICE_SECRET", "SERVICE_SECRET_PREVIOUS"],
			},
		);
	}
}
