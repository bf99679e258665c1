import { basename, dirname, resolve } from "node:path";
import { isTemporaryFolder, temporaryFolder } from "../temporary-folder.ts";
import type { Config } from "./settings.ts";

const OWN_NAME = "spanward.db";

/**
 * Reads `sqlite:///path/to/file` and `sqlite:///:memory:`, as for programs that keep a file and not a folder:
 * everything is kept in the file's folder when the file has our name, else in a folder beside it. Another program's
 * file is never opened.
 */
export function withSqliteUrl(config: Config): Config {
	const folder = folderOf(config.SERVICE_SQL_DATABASE_URL?.reveal() ?? "");
	if (folder === undefined) return config;
	return { ...config, SERVICE_SQL_DATABASE_URL: null, SERVICE_WORKING_DIR: folder };
}

/** Undefined for any other address. */
function folderOf(text: string): string | undefined {
	const [, file] = /^sqlite:\/\/(?:\/([^?#]*))?$/.exec(text) ?? [];
	if (file === undefined) return text === "sqlite://" ? temporaryFolder() : undefined;
	if (file === "" || file === ":memory:") return temporaryFolder();
	const path = resolve(file);
	return basename(path) === OWN_NAME ? dirname(path) : `${path}.spanward`;
}

/** Warns that the data is not where the address says. */
export function warnOfSqliteUrl(config: Config, url: string | undefined): readonly string[] {
	if (url?.trim().startsWith("sqlite:") !== true) return [];
	const until = isTemporaryFolder(config.SERVICE_WORKING_DIR) ? " until the server stops" : "";
	return [
		`SERVICE_SQL_DATABASE_URL names no PostgreSQL: SQLite keeps everything in ${config.SERVICE_WORKING_DIR}${until}`,
	];
}
