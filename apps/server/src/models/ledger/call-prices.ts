import type { SpanFacts, TokenCounts } from "@spanward/semconv";
import { type Kysely, sql } from "kysely";
import { SpanPrices } from "#pricing/price-of.ts";
import { listOwnPrices } from "#storage/own-prices.ts";
import type { Tables } from "#storage/schema.ts";

/** Who is paid for which model. */
export interface Priced {
	/** As in spans. */
	readonly provider: string | undefined;
	/** The model that answered, or that is asked for. */
	readonly model: string;
	readonly requestModel?: string;
}

/** Prices of calls, by the same table as those of spans. */
export class CallPrices {
	readonly #prices = new SpanPrices();
	#known: string | undefined;

	/** Reads own prices where they have changed; a price counts from the call after it was set. */
	async refresh(db: Kysely<Tables>): Promise<void> {
		const { rows } = await sql<{ state: string }>`select count(*) || ' ' || coalesce(sum(id), 0) || ' '
			|| coalesce(sum(updated_at), 0) as state from model_prices`.execute(db);
		const state = rows[0]?.state;
		if (state === this.#known) return;
		this.#prices.useOwn(await listOwnPrices(db));
		this.#known = state;
	}

	/** Dollars; undefined where the model has no price. */
	costOf(priced: Priced, tokens: TokenCounts, micros: number): number | undefined {
		return this.#prices.priceOf(factsOf(priced, tokens), micros)?.total;
	}

	/** Dollars, whatever of the tokens is written to a cache or is reasoning. */
	highestCost(priced: Priced, tokens: { readonly input: number; readonly output: number }, micros: number) {
		const plain = { prompt: tokens.input, completion: tokens.output };
		const costs = [
			plain,
			{ ...plain, cache_write: tokens.input },
			{ ...plain, reasoning: tokens.output },
			{ ...plain, cache_write: tokens.input, reasoning: tokens.output },
		].map((counts) => this.costOf(priced, counts, micros));
		const known = costs.filter((cost) => cost !== undefined);
		return known.length === 0 ? undefined : Math.max(...known);
	}
}

function factsOf({ provider, model, requestModel }: Priced, tokens: TokenCounts): SpanFacts {
	return {
		convention: "openinference",
		kind: "LLM",
		tokens,
		tokens_are_aggregate: false,
		model,
		...(provider === undefined ? {} : { provider }),
		...(requestModel === undefined ? {} : { request_model: requestModel }),
	};
}
