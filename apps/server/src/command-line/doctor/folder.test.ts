import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Steps } from "#access/sign-in/steps.ts";
import { readConfig } from "#base/config.ts";
import { openSqlite } from "#storage/sqlite/open-sqlite.ts";
import { checkFolder } from "./folder.ts";

/** Writes until nothing more fits. */
function fill(folder: string): void {
	for (const size of [1_048_576, 65_536, 4_096])
		for (let part = 0; ; part += 1) {
			try {
				writeFileSync(join(folder, `fill-${size}-${part}`), Buffer.alloc(size));
			} catch (error) {
				if (error instanceof Error && "code" in error && error.code === "ENOSPC") break;
				throw error;
			}
		}
}

test("on a full disk says that it is full, and does not advise to set another folder", async (context) => {
	const disk = await mkdtemp(join(tmpdir(), "spanward-full-"));
	await using cleanUp = new AsyncDisposableStack();
	cleanUp.defer(() => rm(disk, { recursive: true, force: true }));
	try {
		if (!existsSync("/bin/mount")) throw new Error("no mount");
		execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", disk], { stdio: "ignore" });
	} catch {
		return context.skip("this process may not mount a file system");
	}
	cleanUp.defer(() => void execFileSync("/bin/umount", ["--lazy", disk]));
	const config = readConfig({ SERVICE_WORKING_DIR: join(disk, "data") });
	await mkdir(config.SERVICE_WORKING_DIR);
	await (await openSqlite(config))[Symbol.asyncDispose]();
	fill(disk);
	const steps = new Steps();
	expect(await checkFolder(config, steps)).toBeUndefined();
	const failed = steps.list.filter(({ outcome }) => outcome === "failed");
	expect(failed.map(({ text }) => text)).toEqual([
		expect.stringMatching(/^0 MiB are free.*Make room/),
		expect.stringMatching(/cannot be written.*disk is full/),
		expect.stringMatching(/cannot be read.*is full.*make room/),
	]);
	expect(failed.flatMap(({ settings }) => settings)).toEqual([]);
});
