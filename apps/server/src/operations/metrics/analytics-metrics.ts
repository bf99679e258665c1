import { type Family, gauge } from "./exposition.ts";
import { Counter, Histogram } from "./recorders.ts";

/** A question may take a minute. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Questions of analytics that this process answers. */
export class AnalyticsMetrics {
	readonly #seconds = new Histogram(
		"spanward_analytics_seconds",
		"Time of answering a question of analytics without waiting for a turn, by its rows and by where the numbers come from.",
		SECONDS,
	);
	readonly #partial = new Counter(
		"spanward_analytics_partial_total",
		"Questions of analytics whose time was up before all was read, by their rows.",
	);
	#waiting = 0;

	/** @param of one of the rows that there are @param source totals or rows */
	noteAnswer(
		{ of, source }: { readonly of: string; readonly source: string },
		seconds: number,
		isPartial: boolean,
	): void {
		this.#seconds.record({ of, source }, seconds);
		if (isPartial) this.#partial.add({ of });
	}

	/** A question begins to wait. @returns to be called once when it does no more */
	noteWaiting(): () => void {
		this.#waiting += 1;
		return () => {
			this.#waiting -= 1;
		};
	}

	families(): readonly Family[] {
		return [
			this.#seconds.family(),
			this.#partial.family(),
			gauge("spanward_analytics_waiting", "Questions of analytics that wait for their turn.", this.#waiting),
		];
	}
}
