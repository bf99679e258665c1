import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder } from "./temporary-folder.ts";

it("is deleted when it is disposed of", () => {
	const folder = new TemporaryFolder("spanward-test-");
	expect(existsSync(folder.path)).toBe(true);
	folder[Symbol.dispose]();
	expect(existsSync(folder.path)).toBe(false);
});

it.each(["SIGINT", "SIGTERM"] as const)(
	"is gone when %s ends the command, which ends as without it",
	async (signal) => {
		const program = `
		import { TemporaryFolder } from ${JSON.stringify(import.meta.resolve("./temporary-folder.ts"))};
		process.stdout.write(new TemporaryFolder("spanward-test-").path);
		setInterval(() => undefined, 1_000);
	`;
		const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		const [path] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
		expect(existsSync(path)).toBe(true);
		child.kill(signal);
		expect(await once(child, "exit")).toEqual([null, signal]);
		expect(existsSync(path)).toBe(false);
	},
);
