export const TEST_STEPS = [
	"address",
	"connect",
	"certificate",
	"authentication",
	"model_list",
	"answer",
	"stream",
	"tools",
	"structured_output",
] as const;
export type TestStepName = (typeof TEST_STEPS)[number];

export const TEST_OUTCOMES = ["ok", "warning", "failed", "skipped"] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

export interface TestStep {
	readonly name: TestStepName;
	readonly outcome: TestOutcome;
	/** What was seen, or why it failed and what to change. */
	readonly message: string;
	/** The variable to change. */
	readonly setting?: string;
	readonly latencyMs: number;
}

/** The steps so far. */
export class TestSteps {
	readonly #list: TestStep[] = [];

	note(name: TestStepName, outcome: TestOutcome, message: string, latencyMs: number, setting?: string): void {
		this.#list.push({
			...{ name, outcome, message },
			latencyMs: Math.round(latencyMs),
			...(setting === undefined ? {} : { setting }),
		});
	}

	/** All steps, those that were not taken with this reason. */
	skipRest(reason: string): readonly TestStep[] {
		return TEST_STEPS.map(
			(name) =>
				this.#list.find((step) => step.name === name) ?? { name, outcome: "skipped", message: reason, latencyMs: 0 },
		);
	}
}
