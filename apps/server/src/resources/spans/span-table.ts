import { type Cells, FIELD_NAMES, isCumulative, readField, type TableSpan, toCells, toFieldName } from "./table-row.ts";
import type { SpanTable } from "./table-schemas.ts";

export interface Row {
	/** As many as {@link Table.indexNames}. */
	readonly index: readonly unknown[];
	readonly cells: Cells;
}

/** A query of spans that is ready to run. */
export interface Table {
	readonly indexNames: readonly string[];
	/** Columns that are always present; others follow as they appear. */
	readonly columnNames: readonly string[];
	readonly needsCumulative: boolean;
	/** No rows when the query explodes a list that the span does not have. */
	toRows(span: TableSpan): readonly Row[];
}

const DEFAULT_INDEX = "context.span_id";

/** The table for a query of a released client. */
export function toTable(query: SpanTable): Table {
	const { explode, concat } = query;
	const primary = toFieldName(query.index?.key ?? explode?.primary_index_key ?? DEFAULT_INDEX);
	const takesApart = (explode ?? concat ?? null) !== null;
	const chosen = query.select ?? (takesApart ? {} : null);
	const select =
		chosen === null ? undefined : Object.entries(chosen).map(([name, value]) => [name, value?.key ?? name]);
	const kept = (name: string) => select === undefined || name !== primary;
	const renamed = (name: string) => query.rename?.[name] ?? name;
	const items = [...Object.keys(explode?.kwargs ?? {}), ...Object.keys(concat?.kwargs ?? {})];
	const fixed = [...(select === undefined ? FIELD_NAMES : select.map(([name = ""]) => name)), ...items];

	const selectCells = (span: TableSpan): Cells => {
		if (select === undefined) return toCells(span);
		const cells: Cells = Object.create(null);
		for (const [name = "", key = name] of select) cells[name] = readField(span, key);
		return cells;
	};
	const finish = (cells: Cells): Cells => {
		if (select === undefined && !query.rename) return cells;
		const finished: Cells = Object.create(null);
		for (const [name, value] of Object.entries(cells)) if (kept(name)) finished[renamed(name)] = value;
		return finished;
	};

	return {
		indexNames: explode
			? [primary, explode.key === "retrieval.documents" ? "document_position" : "position"]
			: [primary],
		columnNames: [...new Set(fixed.filter(kept).map(renamed))],
		needsCumulative: [primary, ...(select ?? []).map(([, key = ""]) => key)].some(isCumulative),
		toRows: (span) => {
			const index = readField(span, primary);
			const joined = concat ? joinItems(listOf(span, concat.key), concat) : undefined;
			if (concat && joined === undefined) return [];
			if (!explode) return [{ index: [index], cells: finish(Object.assign(selectCells(span), joined)) }];
			const items = listOf(span, explode.key);
			if (items.length === 0) return [];
			const common = Object.assign(selectCells(span), joined);
			return items.map((item, position) => ({
				index: [index, position],
				cells: finish(Object.assign(Object.create(null), common, itemCells(item, explode))),
			}));
		},
	};
}

/** A table of these fields and attributes; of all if `select` is undefined. */
export function selectTable(select: readonly string[] | undefined): Table {
	return toTable({ select: select && Object.fromEntries(select.map((key) => [key, { key }])) });
}

function listOf(span: TableSpan, key: string): readonly unknown[] {
	const value = readField(span, key);
	return Array.isArray(value) ? value : [];
}

interface ItemQuery {
	readonly key: string;
	readonly kwargs?: Readonly<Record<string, string>> | null | undefined;
	readonly separator?: string | null | undefined;
}

function itemCells(item: unknown, { key, kwargs }: ItemQuery): Cells {
	const cells: Cells = Object.create(null);
	if (kwargs) for (const [name, path] of Object.entries(kwargs)) cells[name] = readItem(item, path);
	else if (isObject(item)) Object.assign(cells, item);
	else cells[key] = item ?? null;
	return cells;
}

/** @returns undefined for an empty list */
function joinItems(items: readonly unknown[], query: ItemQuery): Cells | undefined {
	if (items.length === 0) return undefined;
	const texts = new Map<string, string[]>();
	for (const item of items) {
		for (const [name, value] of Object.entries(itemCells(item, query))) {
			const list = texts.get(name) ?? [];
			if (value !== null && value !== undefined) list.push(typeof value === "string" ? value : JSON.stringify(value));
			texts.set(name, list);
		}
	}
	const cells: Cells = Object.create(null);
	for (const [name, list] of texts) cells[name] = list.join(query.separator ?? "\n\n");
	return cells;
}

/** The value under a path such as `document.metadata.page` of an item with dotted or nested keys; null if absent. */
function readItem(item: unknown, path: string): unknown {
	if (!isObject(item)) return null;
	if (path in item) return item[path] ?? null;
	for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
		const below = item[path.slice(0, dot)];
		if (below !== undefined) return readItem(below, path.slice(dot + 1));
	}
	return null;
}

function isObject(value: unknown): value is Cells {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
