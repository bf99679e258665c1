import type { AnalyticsQuery, Totals } from "./analytics-query.ts";
import { Cell, MOST_DISTINCT } from "./cell.ts";
import { compileMeasure, MEASURES } from "./measures.ts";
import { Parts } from "./parts.ts";

/** What a question asks of each row, found out once. */
export class AnalyticsPlan {
	readonly parts = new Parts();
	readonly query: AnalyticsQuery;
	readonly #readers: readonly ((cell: Cell) => number | null)[];
	readonly #distinct: readonly boolean[];

	constructor(query: AnalyticsQuery) {
		this.query = query;
		this.#readers = query.measures.map((measure) => compileMeasure(query.of, measure, this.parts));
		this.#distinct = query.measures.map(
			(measure) => measure.type === "named" && MEASURES[query.of][measure.name]?.isDistinct === true,
		);
	}

	/** Whether groups or measures are read from attributes. */
	get needsContent(): boolean {
		return [...this.query.groupBy, ...this.parts.values.values()].some(
			({ type }) => type === "attribute" || type === "tag",
		);
	}

	get isOverlapping(): boolean {
		return this.query.groupBy.some(({ type }) => type === "tag" || type === "label");
	}

	/** Numbers of the measures that count different values. */
	get distinctMeasures(): number[] {
		return this.#distinct.flatMap((isDistinct, number) => (isDistinct ? [number] : []));
	}

	/** @param isWithoutDistinct leaves those measures null that count different values */
	totals(cell: Cell | undefined, isWithoutDistinct: boolean): Totals {
		const known = cell ?? new Cell(this.parts);
		return this.#readers.map((read, number) => {
			if (this.#distinct[number] !== true) return read(known);
			const count = read(known);
			return isWithoutDistinct || (count ?? 0) > MOST_DISTINCT ? null : count;
		});
	}
}
