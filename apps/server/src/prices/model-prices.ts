import { compileRule, type ModelPrices, type PriceTable, type Provider, readPriceTable } from "./price-table.ts";

interface CompiledModel {
	readonly matches: (name: string) => boolean;
	readonly prices: readonly ModelPrices[];
}

interface CompiledProvider {
	readonly id: string;
	readonly isNamed: (name: string) => boolean;
	readonly offers: (model: string) => boolean;
	readonly fallback: readonly string[];
	readonly models: readonly CompiledModel[];
}

/** Names longer than this are no model names; matching them would cost time. */
const MAX_NAME = 200;
const MAX_CACHED = 5_000;

/** Finds the prices of models by the names that applications send. */
export class ModelPriceFinder {
	readonly #providers: readonly CompiledProvider[];
	/** By provider and model as sent; the oldest goes when it is full. */
	readonly #found = new Map<string, readonly ModelPrices[] | null>();

	constructor(table: PriceTable = readPriceTable()) {
		this.#providers = table.providers.map(compileProvider);
	}

	/** The model's prices over time; null when the table does not know it. */
	find(provider: string | undefined, model: string): readonly ModelPrices[] | null {
		if (model.length > MAX_NAME || (provider?.length ?? 0) > MAX_NAME) return null;
		const key = `${provider ?? ""}\n${model}`;
		const known = this.#found.get(key);
		if (known !== undefined) return known;
		const prices = this.#search(provider?.toLowerCase(), model.toLowerCase()) ?? null;
		if (this.#found.size >= MAX_CACHED) {
			const [oldest] = this.#found.keys();
			if (oldest !== undefined) this.#found.delete(oldest);
		}
		this.#found.set(key, prices);
		return prices;
	}

	/**
	 * By the provider that was named; else by the one in the model's name (`openai/gpt-4o`); else by the name alone,
	 * because gateways and compatible servers name themselves as the provider.
	 */
	#search(provider: string | undefined, model: string): readonly ModelPrices[] | undefined {
		const slash = model.indexOf("/");
		const bare = slash < 0 ? model : model.slice(model.lastIndexOf("/") + 1);
		return (
			this.#pricesAt(this.#named(provider), [model, bare]) ??
			(slash < 0 ? undefined : this.#pricesAt(this.#named(model.slice(0, slash)), [model.slice(slash + 1), bare])) ??
			this.#pricesAt(
				this.#providers.find((candidate) => candidate.offers(bare)),
				[bare],
			)
		);
	}

	#named(name: string | undefined): CompiledProvider | undefined {
		if (name === undefined) return undefined;
		const id = name.trim().replaceAll("_", "-");
		return (
			this.#providers.find((provider) => provider.id === id) ??
			this.#providers.find((provider) => provider.isNamed(name) || provider.isNamed(id))
		);
	}

	#pricesAt(provider: CompiledProvider | undefined, names: readonly string[]): readonly ModelPrices[] | undefined {
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
		fallback: provider.fallback ?? [],
		models: provider.models.map((model) => ({ matches: compileRule(model.match), prices: model.prices })),
	};
}
