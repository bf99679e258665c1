import type { Reporter, TestCase } from "vitest/node";

/** Lists at the end what passed at a second try only, so that a test that often needs one is seen. */
export default class SecondTries implements Reporter {
	readonly #names: string[] = [];

	onTestCaseResult(test: TestCase): void {
		if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
	}

	onTestRunEnd(): void {
		for (const name of this.#names) console.log(`passed at the second try: ${name}`);
	}
}
