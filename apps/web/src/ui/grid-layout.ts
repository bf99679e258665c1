import type { GridColumn } from "./grid-columns.ts";

/** A column of a list that people can arrange. */
export interface ListColumn<Row> extends GridColumn<Row> {
	/** Comes with the rows (a score); shown at {@link REST} unless it is placed or hidden. */
	readonly isDynamic?: boolean;
	/** Can be moved, but not hidden, as it has the row's link. */
	readonly isNeeded?: boolean;
}

/** One entry of a layout: a column at its place, or one that is hidden. */
interface LayoutItem {
	readonly key: string;
	/** Pixels, where a person chose them. */
	readonly width?: number;
	readonly isHidden?: boolean;
}

/** The place of dynamic columns that a layout does not name. Named as a column of all annotations once was. */
export const REST = "annotations";
export const LEAST_WIDTH = 32;
export const MOST_WIDTH = 1_600;
/** More dynamic columns are shown only when they are chosen. */
const MOST_DYNAMIC = 8;

/** A layout as text: `name:240,input,-score.tone`; keys are encoded as in URLs, hidden dynamic columns begin with `-`. */
function parseLayout(text: string): LayoutItem[] {
	const items = new Map<string, LayoutItem>();
	for (const part of text.split(",")) {
		const match = /^(?<hidden>-?)(?<key>[^:-][^:]*)(?::(?<width>\d{1,4}))?$/.exec(part);
		const key = decoded(match?.groups?.["key"]);
		if (!key) continue;
		const width = match?.groups?.["width"];
		items.set(key, {
			key,
			...(width ? { width: bounded(Number(width)) } : {}),
			...(match?.groups?.["hidden"] ? { isHidden: true } : {}),
		});
	}
	return [...items.values()];
}

function formatLayout(items: readonly LayoutItem[]): string {
	return items
		.map(({ key, width, isHidden }) => {
			const shown = encodeURIComponent(key).replaceAll("-", "%2D");
			return `${isHidden ? "-" : ""}${shown}${width === undefined ? "" : `:${width}`}`;
		})
		.join(",");
}

function decoded(text: string | undefined): string | undefined {
	try {
		return text && decodeURIComponent(text);
	} catch (error) {
		if (error instanceof URIError) return undefined;
		throw error;
	}
}

export function bounded(width: number): number {
	return Math.round(Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, width)));
}

/** A layout of the columns that there are; it is changed by making another one. */
export class GridLayout<Row> {
	/** In the order that they are offered in. */
	readonly #all: readonly ListColumn<Row>[];
	readonly #items: readonly LayoutItem[];
	/** What is shown, in order, with the chosen widths. */
	readonly columns: readonly ListColumn<Row>[];

	/** @param text as of {@link toText}; one that shows nothing known counts as absent */
	static of<Row>(
		all: readonly ListColumn<Row>[],
		text: string | undefined,
		standard: readonly string[],
	): GridLayout<Row> {
		const items = text === undefined ? [] : parseLayout(text);
		const isKnown = items.some(({ key, isHidden }) => !isHidden && all.some((column) => column.key === key));
		return new GridLayout(all, isKnown ? items : standard.map((key) => ({ key })));
	}

	private constructor(all: readonly ListColumn<Row>[], items: readonly LayoutItem[]) {
		this.#all = all;
		this.#items = withRest(all, items);
		const needed = all.filter(({ key, isNeeded }) => isNeeded && !this.#items.some((item) => item.key === key));
		const placed = this.#items.flatMap(({ key, width, isHidden }) => {
			const column = isHidden ? undefined : all.find((each) => each.key === key);
			if (!column) return [];
			if (width === undefined) return [column];
			const { grow: _grow, ...fixed } = column;
			return [{ ...fixed, width }];
		});
		this.columns = [...needed, ...placed];
	}

	/** Everything that can be shown: first what is, in order. */
	get offered(): readonly ListColumn<Row>[] {
		const shown = new Set(this.columns.map(({ key }) => key));
		return [...this.columns, ...this.#all.filter(({ key }) => !shown.has(key))];
	}

	isShown(key: string): boolean {
		return this.columns.some((column) => column.key === key);
	}

	/** Shows a column at the place that it has in the standard order, or hides it. */
	toggled(key: string, isShown: boolean): GridLayout<Row> {
		const rest = this.#items.filter((item) => item.key !== key);
		if (!isShown) {
			const isDynamic = this.#all.find((column) => column.key === key)?.isDynamic === true;
			return new GridLayout(this.#all, isDynamic ? [...rest, { key, isHidden: true }] : rest);
		}
		const order = this.#all.map((column) => column.key);
		const before = new Set(order.slice(0, order.indexOf(key)));
		const at = rest.findLastIndex((item) => !item.isHidden && before.has(item.key)) + 1;
		return new GridLayout(this.#all, rest.toSpliced(at, 0, { key }));
	}

	/** Moves a column in front of another one, or to the end. */
	moved(key: string, before: string | undefined): GridLayout<Row> {
		if (key === before) return this;
		const item = this.#items.find((each) => each.key === key) ?? { key };
		const rest = this.#items.filter((each) => each.key !== key);
		const at = before === undefined ? rest.length : rest.findIndex((each) => each.key === before);
		return new GridLayout(this.#all, rest.toSpliced(at < 0 ? rest.length : at, 0, item));
	}

	/** Moves a column by so many places among those that are shown. */
	stepped(key: string, step: 1 | -1): GridLayout<Row> {
		const keys = this.columns.map((column) => column.key);
		const at = keys.indexOf(key);
		const to = at + step;
		if (at < 0 || to < 0 || to >= keys.length) return this;
		return this.moved(key, step < 0 ? keys[to] : keys[to + 1]);
	}

	/** @param width pixels; undefined for the usual one */
	resized(key: string, width: number | undefined): GridLayout<Row> {
		const sized = { key, ...(width === undefined ? {} : { width: bounded(width) }) };
		return new GridLayout(
			this.#all,
			this.#items.map((item) => (item.key === key ? sized : item)),
		);
	}

	toText(): string {
		return formatLayout(this.#items);
	}
}

/** How people arrange the columns of a grid. */
export interface GridArranging<Row> {
	readonly layout: GridLayout<Row>;
	/** Called with undefined for the standard layout. */
	readonly onArrange: (next: GridLayout<Row> | undefined) => void;
}

/** Writes the dynamic columns at the place of {@link REST} into a layout; those of other projects stay in it. */
function withRest<Row>(all: readonly ListColumn<Row>[], items: readonly LayoutItem[]): LayoutItem[] {
	const named = new Set(items.map(({ key }) => key));
	const dynamic = all.filter(({ isDynamic }) => isDynamic);
	const isFew = new Set(dynamic.slice(0, MOST_DYNAMIC).map(({ key }) => key));
	const unnamed = dynamic.filter(({ key }) => !named.has(key) && isFew.has(key)).map(({ key }) => ({ key }));
	return items.flatMap((item) => (item.key === REST ? [...unnamed, item] : [item]));
}
