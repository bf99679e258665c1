import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "../settings/setting.ts";
import { backUp } from "../storage/copy/backup.ts";
import { toOpenError } from "../storage/sqlite/open-errors.ts";
import { Progress } from "./progress.ts";
import { readArguments } from "./read-arguments.ts";
import { databaseFile, sqliteFolder } from "./sqlite-folder.ts";

/** `spanward backup <file or folder>`: one file with everything, made while the server runs. */
export async function backupCommand(args: readonly string[], environment: Environment): Promise<void> {
	const usage = "backup <file or folder> [--json]";
	const { flags, positionals } = readArguments(args, usage, { flags: ["json"], positionals: [1, 1] });
	const path = databaseFile(sqliteFolder(environment, "backup"));
	const target = targetFile(resolve(positionals[0] ?? ""), new Date());
	using progress = new Progress();
	const report = await backUp(path, target, (share) => {
		progress.show(share < 1 ? `Copying: ${Math.floor(share * 100)} %` : "Checking the copy");
	}).catch((error: unknown) => {
		throw toOpenError(error, target);
	});
	const { seconds } = progress;
	progress[Symbol.dispose]();
	if (flags.has("json")) {
		process.stdout.write(`${JSON.stringify({ ...report, seconds: Math.round(seconds * 10) / 10 })}\n`);
		return;
	}
	const rows = Object.entries(report.rows).map(([table, count]) => `${count} ${table}`);
	process.stdout.write(
		`${report.file}: ${Math.ceil(report.bytes / 1_048_576)} MiB in ${seconds.toFixed(1)} s, checked\n${rows.join(", ")}\n` +
			"With authentication, keep SERVICE_SECRET too, elsewhere: stored secrets cannot be read without it.\n",
	);
}

function targetFile(target: string, now: Date): string {
	if (!existsSync(target) || !statSync(target).isDirectory()) return target;
	return join(target, `spanward-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}.db`);
}
