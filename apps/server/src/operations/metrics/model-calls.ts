import type { Family } from "./exposition.ts";
import { Counter, Histogram } from "./recorders.ts";

/** A try of a call of a model, or a call that was refused before it was sent. */
export interface CountedCall {
	/** Its name; undefined where no call has found it yet. */
	readonly connection: string | undefined;
	readonly purpose: string;
	/** `ok` or a code of an error. */
	readonly outcome: string;
	/** Undefined where nothing was sent. */
	readonly seconds?: number | undefined;
	readonly firstTokenSeconds?: number | undefined;
	readonly inputTokens?: number | undefined;
	readonly outputTokens?: number | undefined;
	readonly costUsd?: number | undefined;
}

/** Models answer within seconds or minutes. */
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];

/** Calls of models by this process. */
export class ModelCallMetrics {
	readonly #calls = new Counter(
		"spanward_model_calls_total",
		"Calls of models by connection, purpose and outcome; each try counts, and what was refused before it was sent.",
	);
	readonly #seconds = new Histogram(
		"spanward_model_call_seconds",
		"Time from sending a call of a model to the end of its answer, by connection.",
		SECONDS,
	);
	readonly #firstTokens = new Histogram(
		"spanward_model_first_token_seconds",
		"Time from sending a call of a model to the first piece of a streamed answer, by connection.",
		SECONDS,
	);
	readonly #tokens = new Counter(
		"spanward_model_tokens_total",
		"Tokens of calls of models as providers counted them, by connection and direction.",
	);
	readonly #cost = new Counter(
		"spanward_model_cost_usd_total",
		"Dollars booked for calls of models, by connection and purpose.",
	);

	count(call: CountedCall): void {
		const { connection = "unknown", purpose, outcome, seconds, firstTokenSeconds, inputTokens, outputTokens } = call;
		this.#calls.add({ connection, purpose, outcome });
		if (seconds !== undefined) this.#seconds.record({ connection }, seconds);
		if (firstTokenSeconds !== undefined) this.#firstTokens.record({ connection }, firstTokenSeconds);
		if (inputTokens !== undefined) this.#tokens.add({ connection, direction: "input" }, inputTokens);
		if (outputTokens !== undefined) this.#tokens.add({ connection, direction: "output" }, outputTokens);
		if (call.costUsd !== undefined && call.costUsd > 0) this.#cost.add({ connection, purpose }, call.costUsd);
	}

	families(): readonly Family[] {
		return [
			this.#calls.family(),
			this.#seconds.family(),
			this.#firstTokens.family(),
			this.#tokens.family(),
			this.#cost.family(),
		];
	}
}
