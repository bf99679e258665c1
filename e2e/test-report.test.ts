import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const CACHE = join(ROOT, ".cache");
/** The tests of the run that is looked at, in a folder where they find vitest. */
const FILES: Readonly<Record<string, string>> = {
	"vitest.config.mjs": "export default {};",
	"hook.test.mjs": `
		import { beforeAll, describe, test } from "vitest";
		describe("a suite", () => {
			beforeAll(() => { throw new Error("set-up broke"); });
			test("first", () => undefined);
			describe("inside", () => test("second", () => undefined));
			test.skip("left out", () => undefined);
		});
		test("beside it", () => undefined);
		test("of another machine", ({ skip }) => skip("root may read every file"));`,
	"file.test.mjs": `
		import { beforeAll, test } from "vitest";
		beforeAll(() => { throw new Error("nothing is set up"); });
		test.each([1, 2, 3])("%s", () => undefined);`,
	"after.test.mjs": `
		import { afterAll, test } from "vitest";
		afterAll(() => { throw new Error("tear-down broke"); });
		test("passes", () => undefined);`,
	"import.test.mjs": `import "./nothing.mjs";`,
	"failing.test.mjs": `
		import { test } from "vitest";
		test("fails", () => { throw new Error("wrong"); });`,
};

let folder: string;
let output: string;
let counts: unknown;
beforeAll(async () => {
	await mkdir(CACHE, { recursive: true });
	folder = await mkdtemp(join(CACHE, "test-report-"));
	for (const [name, source] of Object.entries(FILES)) await writeFile(join(folder, name), source);
	const report = join(folder, "counts.json");
	const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
	const args = ["run", `--root=${folder}`, `--reporter=${join(ROOT, "e2e/test-report.ts")}`];
	const child = spawn(process.execPath, [vitest, ...args], { env: { PATH: process.env["PATH"], TEST_REPORT: report } });
	const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
	output = said + errors;
	expect(existsSync(report), output).toBe(true);
	counts = JSON.parse(await readFile(report, "utf8"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("tests whose beforeAll failed have failed; what is left out is skipped", () => {
	// Two of the suite, three of the file, one of each of the others.
	expect(counts).toEqual({ passed: 2, failed: 2 + 3 + 1 + 1 + 1, skipped: 2 });
});

test("what broke outside of tests is named with its error and how much it took along", () => {
	expect(output).toContain("hook.test.mjs > a suite: set-up broke (2 of its tests did not run or failed)");
	expect(output).toContain("file.test.mjs: nothing is set up (3 of its tests did not run or failed)");
	expect(output).toContain("after.test.mjs: tear-down broke (0 of its tests did not run or failed)");
	expect(output).toMatch(/import\.test\.mjs: .*nothing\.mjs/);
});

test("what was skipped is told apart, with the reason", () => {
	expect(output).toContain("skipped, not failed: 2\n");
	expect(output).toContain("  1: root may read every file (hook.test.mjs)");
	expect(output).toContain("  1: left out by its file or by -t (hook.test.mjs)");
});
