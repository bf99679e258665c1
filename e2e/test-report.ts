import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from "vitest/node";
import { missingOf, POSTGRES_LEFT_OUT } from "./peers/missing.ts";

/** What `scripts/test.mjs` reads of a run. */
interface Counts {
	passed: number;
	failed: number;
	skipped: number;
}

/**
 * Writes {@link Counts} of a run to the file that TEST_REPORT names, and lists at the end what failed before it could run,
 * what this machine could not run, which files took longest and what passed at a second try only.
 */
export default class TestReport implements Reporter {
	readonly #secondTries: string[] = [];
	/** Suites and files that failed outside of their tests, with how many tests that took along. */
	readonly #broken: string[] = [];
	/** Names of files by the reason why tests of them were skipped. */
	readonly #skipped = new Map<string, { count: number; readonly files: Set<string> }>();
	readonly #counts: Counts = { passed: 0, failed: 0, skipped: 0 };

	onTestCaseResult(test: TestCase): void {
		if (!test.diagnostic()?.flaky) return;
		const reasons = test.result().errors?.map(({ message }) => message.replaceAll(/\s*\n\s*/g, "; ").slice(0, 500));
		this.#secondTries.push(`${test.module.relativeModuleId} > ${test.fullName}: ${reasons?.join(" | ")}`);
	}

	onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
		for (const module of modules) this.#count(module, false);
		this.#counts.failed += unhandledErrors.length;
		if (this.#skipped.size > 0) console.log(`\nskipped, not failed: ${this.#counts.skipped}`);
		for (const [reason, { count, files }] of this.#skipped)
			console.log(`  ${count}: ${reason} (${[...files].join(", ")})`);
		if (this.#broken.length > 0) console.log("\nfailed outside of their tests:");
		for (const line of this.#broken) console.log(`  ${line}`);
		console.log("\nfiles that took longest:");
		for (const line of longestFiles(modules)) console.log(`  ${line}`);
		for (const name of this.#secondTries) console.log(`passed at the second try: ${name}`);
		const path = process.env["TEST_REPORT"];
		if (path !== undefined) writeFileSync(path, JSON.stringify(this.#counts));
	}

	/** @returns how many tests of it failed; all that did not run where it, or what it is in, is broken */
	#count(suite: TestModule | TestSuite, isIn: boolean): number {
		const errors = suite.errors();
		const isBroken = isIn || errors.length > 0;
		let failed = 0;
		for (const child of suite.children) {
			failed += child.type === "suite" ? this.#count(child, isBroken) : this.#countTest(child, isBroken);
		}
		const [first] = errors;
		if (first !== undefined) {
			// Its tests passed before it broke, or it has none.
			if (failed === 0) this.#counts.failed += 1;
			const name =
				suite.type === "suite" ? `${suite.module.relativeModuleId} > ${suite.fullName}` : suite.relativeModuleId;
			this.#broken.push(`${name}: ${first.message.split("\n", 1)[0]} (${failed} of its tests did not run or failed)`);
		}
		return Math.max(failed, errors.length > 0 ? 1 : 0);
	}

	#countTest(test: TestCase, isBroken: boolean): number {
		const result = test.result();
		const isLeftOut = test.options.mode === "skip" || test.options.mode === "todo";
		if (result.state === "passed") this.#counts.passed += 1;
		else if (result.state === "failed" || result.state === "pending" || (isBroken && !isLeftOut)) {
			this.#counts.failed += 1;
			return 1;
		} else this.#skip(test, result.note);
		return 0;
	}

	#skip(test: TestCase, note: string | undefined): void {
		this.#counts.skipped += 1;
		const reason = note ?? reasonOf(test.module.moduleId) ?? "left out by its file or by -t";
		const entry = this.#skipped.get(reason) ?? { count: 0, files: new Set<string>() };
		entry.count += 1;
		entry.files.add(test.module.relativeModuleId);
		this.#skipped.set(reason, entry);
	}
}

/** What the tests of a file need and this machine has not, by the calls of `testWith` in it. */
function reasonOf(path: string): string | undefined {
	if (!existsSync(path)) return undefined;
	const source = readFileSync(path, "utf8");
	const named = [...source.matchAll(/\btestWith\(([^)]*)\)/g)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
	if (/\btestWithPostgres\b|\bHAS_POSTGRES\b/.test(source)) {
		if (POSTGRES_LEFT_OUT) return "npm run test:fast leaves PostgreSQL out";
		named.push("postgres");
	}
	const missing = missingOf([...new Set(named)]);
	return missing.length === 0 ? undefined : missing.join("; ");
}

const LISTED_FILES = 40;

/** Seconds, project and path of the files that took longest, with what they prepared. */
function longestFiles(modules: readonly TestModule[]): string[] {
	return modules
		.map((module) => {
			const { duration, collectDuration, setupDuration } = module.diagnostic();
			return { seconds: (duration + collectDuration + setupDuration) / 1_000, module };
		})
		.toSorted((a, b) => b.seconds - a.seconds)
		.slice(0, LISTED_FILES)
		.map(({ seconds, module }) => `${seconds.toFixed(0)} s ${module.project.name}: ${module.relativeModuleId}`);
}
