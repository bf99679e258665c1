import { namespacesOf, type SpanAttributes } from "../content/attribute-values.ts";
import type { AnalyticsPlan } from "./plan.ts";

interface Place {
	readonly at: number;
	readonly path: readonly string[];
	readonly isNumber: boolean;
}

/** Where a row of `columnsOf` lacks values of attributes, which its span's content has. */
export class AttributePlaces {
	readonly #places: readonly Place[];
	/** Of all attributes that are asked for, as `SpanAttributes` takes them. */
	readonly namespaces: readonly Uint8Array[] | undefined;

	constructor({ query, parts }: AnalyticsPlan) {
		const groups: Place[] = query.groupBy.flatMap((by, at) =>
			by.type === "attribute" ? [{ at: 1 + at, path: by.path, isNumber: false }] : [],
		);
		const quantities: Place[] = parts.quantities.flatMap((name, at) => {
			const value = parts.values.get(name);
			if (value?.type !== "attribute") return [];
			return [{ at: 1 + query.groupBy.length + at, path: value.path, isNumber: true }];
		});
		this.#places = [...groups, ...quantities];
		this.namespaces = namespacesOf(this.#places.map(({ path }) => path));
	}

	fill(row: unknown[], attributes: SpanAttributes): void {
		for (const { at, path, isNumber } of this.#places) {
			const value = attributes.find(path);
			const fits = isNumber ? typeof value === "number" : value !== undefined && typeof value !== "object";
			row[at] = fits ? value : null;
		}
	}
}
