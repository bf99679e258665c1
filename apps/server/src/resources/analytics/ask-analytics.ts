import { UserError } from "#base/errors.ts";
import { Abandoned, FairTurns, NoTurn } from "#base/fair-turns.ts";
import { readersGone } from "#base/readers-gone.ts";
import type { Metrics } from "#operations/metrics/metrics.ts";
import { type AnalyticsAnswer, type AnalyticsQuery, TooManyGroups } from "#storage/traces/analytics/analytics-query.ts";
import type { ValueCounts, ValuesQuery } from "#storage/traces/analytics/count-values.ts";
import { isOfTotals } from "#storage/traces/analytics/hour-sums.ts";
import { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import type { Caller, TraceReader } from "#storage/traces/trace-store.ts";

/** Questions that wait for their turn. */
const WAITING = 64;

interface Asked {
	readonly answer: Promise<unknown>;
	readonly nobodyWaits: AbortController;
	waiting: number;
}

/** What is asked, whether that reads rows, and how it is read for somebody who waits for it. */
interface Question<Answer> {
	/** Tells it from other questions. */
	readonly key: string;
	readonly timeoutMs: number;
	readonly readsRows: boolean;
	readonly read: (caller: Caller) => Promise<Answer>;
}

/** Asks questions of the store: of those that read rows only some at a time, and equal ones under way once. */
export class AnalyticsQuestions {
	readonly #turns: FairTurns;
	readonly #asked = new Map<string, Asked>();
	readonly #context: { readonly metrics: Pick<Metrics, "analytics"> } | undefined;

	/**
	 * @param atOnce questions that read rows at a time in this process
	 * @param context where they are measured; nowhere when absent
	 */
	constructor(atOnce: number, context?: { readonly metrics: Pick<Metrics, "analytics"> }) {
		this.#context = context;
		const atOnceEach = Math.max(1, atOnce - 1);
		this.#turns = new FairTurns({ atOnce, atOnceEach, waiting: WAITING, waitingEach: WAITING });
	}

	/**
	 * @param query about projects that the caller sees: who asks the same gets the same answer
	 * @throws UserError 503 `analytics_busy`, 422 `too_many_groups`
	 */
	async ask(traces: Pick<TraceReader, "analyze">, query: AnalyticsQuery, caller: Caller): Promise<AnalyticsAnswer> {
		const question = {
			key: `analyze ${JSON.stringify(query)}`,
			timeoutMs: query.timeoutMs,
			readsRows: query.of !== "ingest" && query.of !== "spend" && !isOfTotals(new AnalyticsPlan(query)),
			read: (reader: Caller) => this.#measured(query, () => traces.analyze({ ...query, caller: reader })),
		};
		return await this.#answer(question, caller);
	}

	/** As {@link ask}. */
	async countValues(
		traces: Pick<TraceReader, "countValues">,
		query: ValuesQuery,
		caller: Caller,
	): Promise<readonly ValueCounts[]> {
		const question = {
			key: `count ${JSON.stringify(query)}`,
			timeoutMs: query.timeoutMs,
			readsRows: true,
			read: (reader: Caller) => traces.countValues({ ...query, caller: reader }),
		};
		return await this.#answer(question, caller);
	}

	async #answer<Answer>(question: Question<Answer>, caller: Caller): Promise<Answer> {
		const known = this.#asked.get(question.key);
		const asked = known === undefined || known.nobodyWaits.signal.aborted ? this.#begin(question, caller) : known;
		asked.waiting += 1;
		const leave = () => {
			asked.waiting -= 1;
			if (asked.waiting === 0) asked.nobodyWaits.abort(new Abandoned());
		};
		caller.gone?.addEventListener("abort", leave, { once: true });
		try {
			// The key tells what kind of answer it is.
			return (await asked.answer) as Answer;
		} catch (error) {
			throw toUserError(error);
		} finally {
			caller.gone?.removeEventListener("abort", leave);
		}
	}

	#begin<Answer>(question: Question<Answer>, caller: Caller): Asked {
		const nobodyWaits = new AbortController();
		const { signal } = nobodyWaits;
		const read = () => readersGone.run(signal, () => question.read({ ...caller, gone: signal }));
		const reading = question.readsRows ? this.#inTurn(question, caller, signal, read) : read();
		const answer = reading.finally(() => {
			// One that nobody waited for may have been asked again.
			if (this.#asked.get(question.key) === asked) this.#asked.delete(question.key);
		});
		const asked: Asked = { answer, nobodyWaits, waiting: 0 };
		this.#asked.set(question.key, asked);
		return asked;
	}

	async #measured({ of }: AnalyticsQuery, read: () => Promise<AnalyticsAnswer>): Promise<AnalyticsAnswer> {
		const begun = performance.now();
		const answer = await read();
		const seconds = (performance.now() - begun) / 1_000;
		this.#context?.metrics.analytics.noteAnswer(
			{ of, source: answer.source },
			seconds,
			answer.coveredMicros !== undefined,
		);
		return answer;
	}

	async #inTurn<Answer>(
		{ timeoutMs }: Question<Answer>,
		caller: Caller,
		gone: AbortSignal,
		read: () => Promise<Answer>,
	): Promise<Answer> {
		const late = AbortSignal.timeout(timeoutMs);
		const endsWaiting = this.#context?.metrics.analytics.noteWaiting();
		let hasBegun = false;
		try {
			return await this.#turns.run(
				caller.name,
				() => {
					hasBegun = true;
					endsWaiting?.();
					return read();
				},
				{ gone: AbortSignal.any([gone, late]) },
			);
		} catch (error) {
			if (!hasBegun) endsWaiting?.();
			if (error instanceof Abandoned && !hasBegun && !gone.aborted) throw busy();
			throw error;
		}
	}
}

function toUserError(error: unknown): unknown {
	if (error instanceof NoTurn) return busy();
	if (!(error instanceof TooManyGroups)) return error;
	return new UserError(
		422,
		"too_many_groups",
		`There are ${error.message}; group by something with fewer values, or ask about a shorter time or with a filter.`,
	);
}

function busy(): UserError {
	return new UserError(503, "analytics_busy", "Too many questions are being answered at the moment; try again.", {
		retryAfter: 2,
	});
}
