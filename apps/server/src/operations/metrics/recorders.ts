import { counter, type Family, type Labels, sample } from "./exposition.ts";

/** Bounds the memory: callers must not be able to create series without limit. */
const MOST_SERIES = 1_000;

/** A counter with labels. */
export class Counter {
	readonly #name: string;
	readonly #help: string;
	readonly #counts = new Map<string, { readonly labels: Labels; count: number }>();

	constructor(name: string, help: string) {
		this.#name = name;
		this.#help = help;
	}

	add(labels: Labels, count = 1): void {
		const key = Object.values(labels).join("\n");
		const known = this.#counts.get(key);
		if (known !== undefined) known.count += count;
		else if (this.#counts.size < MOST_SERIES) this.#counts.set(key, { labels, count });
	}

	family(): Family {
		const samples = [...this.#counts.values()].map(({ labels, count }) => sample(count, labels));
		return counter(this.#name, this.#help, samples);
	}
}

/** The default buckets of Prometheus' client libraries. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Distribution {
	readonly labels: Labels;
	/** Not cumulative: each value counts in the first bucket that holds it, larger ones in the last. */
	readonly counts: number[];
	sum: number;
}

/** A histogram with labels. */
export class Histogram {
	readonly #name: string;
	readonly #help: string;
	readonly #bounds: readonly number[];
	readonly #series = new Map<string, Distribution>();

	/** @param bounds of the buckets, ascending */
	constructor(name: string, help: string, bounds: readonly number[] = SECONDS) {
		this.#name = name;
		this.#help = help;
		this.#bounds = bounds;
	}

	record(labels: Labels, value: number): void {
		const key = Object.values(labels).join("\n");
		let series = this.#series.get(key);
		if (series === undefined) {
			if (this.#series.size >= MOST_SERIES) return;
			series = { labels, counts: [...this.#bounds, 0].map(() => 0), sum: 0 };
			this.#series.set(key, series);
		}
		const at = this.#bounds.findIndex((atMost) => value <= atMost);
		const bucket = at < 0 ? this.#bounds.length : at;
		series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
		series.sum += value;
	}

	family(): Family {
		const samples = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
			let count = 0;
			const buckets = counts.map((own, index) => {
				count += own;
				const le = this.#bounds[index];
				return sample(count, { ...labels, le: le === undefined ? "+Inf" : String(le) }, "_bucket");
			});
			return [...buckets, sample(sum, labels, "_sum"), sample(count, labels, "_count")];
		});
		return { name: this.#name, type: "histogram", help: this.#help, samples };
	}
}
