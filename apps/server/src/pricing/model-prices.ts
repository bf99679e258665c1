import { FoundNames } from "./found-names.ts";
import { compileRule, type ModelPrices, type PriceTable, type Provider, readPriceTable } from "./price-table.ts";

interface CompiledModel {
	readonly matches: (name: string) => boolean;
	readonly prices: readonly DatedPrices[];
}

/** Prices with the time from which they apply, microseconds since 1970. */
export interface DatedPrices extends Omit<ModelPrices, "from"> {
	readonly fromMicros?: number;
}

interface CompiledProvider {
	readonly id: string;
	readonly isNamed: (name: string) => boolean;
	readonly offers: (model: string) => boolean;
	/** Whether the table recognizes some models as this provider's by their names alone. */
	readonly isMaker: boolean;
	readonly fallback: readonly string[];
	readonly models: readonly CompiledModel[];
}

/** Finds the prices of models by the names that applications send. */
export class ModelPriceFinder {
	readonly #providers: readonly CompiledProvider[];
	readonly #found = new FoundNames<readonly DatedPrices[] | null>(null);

	constructor(table: PriceTable = readPriceTable()) {
		this.#providers = table.providers.map(compileProvider);
	}

	/** The model's prices over time; null when the table does not know it. */
	find(provider: string | undefined, model: string): readonly DatedPrices[] | null {
		return this.#found.get(provider, model, () => this.#search(provider?.toLowerCase(), model.toLowerCase()) ?? null);
	}

	/**
	 * By the provider that was named; else by the one in the model's name (`openai/gpt-4o`, `us.anthropic.claude-…`);
	 * else by the name alone, because gateways and compatible servers name themselves as the provider.
	 */
	#search(provider: string | undefined, model: string): readonly DatedPrices[] | undefined {
		const bare = withDashedDate(model.slice(model.lastIndexOf("/") + 1));
		return (
			this.#pricesAt(this.#named(provider), [model, bare]) ??
			this.#pricesInName(model, "/", bare) ??
			this.#pricesInName(bare, ".", bare) ??
			this.#pricesAt(
				this.#providers.find((candidate) => candidate.offers(bare)),
				[bare],
			) ??
			this.#pricesOfMaker(bare)
		);
	}

	/**
	 * By the names of the makers' models: the table does not recognize embedding models as their makers' by name alone.
	 */
	#pricesOfMaker(bare: string): readonly DatedPrices[] | undefined {
		for (const { isMaker, models } of this.#providers) {
			const model = isMaker ? models.find(({ matches }) => matches(bare)) : undefined;
			if (model !== undefined) return model.prices;
		}
		return undefined;
	}

	/** Prices of a model that has its provider in front, as `provider<separator>model`. */
	#pricesInName(model: string, separator: string, bare: string): readonly DatedPrices[] | undefined {
		let start = 0;
		for (let end = model.indexOf(separator); end >= 0; end = model.indexOf(separator, start)) {
			const prices = this.#pricesAt(this.#named(model.slice(start, end)), [model.slice(end + 1), bare]);
			if (prices !== undefined) return prices;
			start = end + 1;
		}
		return undefined;
	}

	#named(name: string | undefined): CompiledProvider | undefined {
		if (name === undefined) return undefined;
		const id = name.trim().replaceAll("_", "-");
		return (
			this.#providers.find((provider) => provider.id === id) ??
			this.#providers.find((provider) => provider.isNamed(name) || provider.isNamed(id))
		);
	}

	#pricesAt(provider: CompiledProvider | undefined, names: readonly string[]): readonly DatedPrices[] | undefined {
		if (provider === undefined) return undefined;
		const others = provider.fallback.map((id) => this.#providers.find((other) => other.id === id));
		for (const name of names) {
			for (const candidate of [provider, ...others]) {
				const model = candidate?.models.find(({ matches }) => matches(name));
				if (model !== undefined) return model.prices;
			}
		}
		return undefined;
	}
}

function compileProvider(provider: Provider): CompiledProvider {
	const never = (): boolean => false;
	return {
		id: provider.id,
		isNamed: provider.provider === undefined ? never : compileRule(provider.provider),
		offers: provider.model === undefined ? never : compileRule(provider.model),
		isMaker: provider.model !== undefined,
		fallback: provider.fallback ?? [],
		models: provider.models.map((model) => ({ matches: compileRule(model.match), prices: model.prices.map(toDated) })),
	};
}

function toDated({ from, ...prices }: ModelPrices): DatedPrices {
	return from === undefined ? prices : { ...prices, fromMicros: Date.parse(from) * 1_000 };
}

/** Gateways write `gpt-5-20250807` for what its maker calls `gpt-5-2025-08-07`. */
function withDashedDate(model: string): string {
	return model.startsWith("claude") ? model : model.replace(/-(20\d\d)(\d\d)(\d\d)$/, "-$1-$2-$3");
}
