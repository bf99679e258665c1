import type { Style, Terminal } from "./terminal.ts";
import { cutTo, padEnd, padStart, widthOf } from "./terminal-text.ts";

const GAP = "  ";
/** Texts are cut to no less than this; before that, the last columns are left out. */
const LEAST_TEXT_WIDTH = 12;

export interface Column<Row> {
	readonly title: string;
	readonly value: (row: Row) => string | number | null | undefined;
	readonly isNumber?: boolean;
	/** May be cut to make room. */
	readonly isText?: boolean;
	/** Columns with a larger one are left out first where the terminal is narrow. The first column is always there. */
	readonly rank?: number;
	readonly style?: (row: Row) => readonly Style[];
}

/** A table that fits the terminal. Values may be of others. */
export function formatTable<Row>(
	terminal: Pick<Terminal, "oneLine" | "width" | "cutMark" | "style">,
	columns: readonly Column<Row>[],
	rows: readonly Row[],
): string[] {
	const all = columns.map((column) => {
		const cells = rows.map((row) => terminal.oneLine(String(column.value(row) ?? "")));
		// Without Math.max(...), which takes some hundred thousand arguments at the most.
		const width = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), column.title.length);
		return { column, cells, width };
	});
	const least = ({ column, width }: { column: Column<Row>; width: number }) =>
		column.isText ? Math.min(width, LEAST_TEXT_WIDTH) : width;
	const sum = (widths: readonly number[]) =>
		widths.reduce((total, width) => total + width, 0) + GAP.length * (widths.length - 1);
	const shown = [...all];
	while (shown.length > 1 && sum(shown.map(least)) > terminal.width) {
		const ranks = shown.slice(1).map(({ column }) => column.rank ?? 0);
		shown.splice(1 + ranks.lastIndexOf(Math.max(...ranks)), 1);
	}
	const widths = shown.map(({ width }) => width);
	for (let excess = sum(widths) - terminal.width; excess > 0; excess -= 1) {
		const shrinkable = shown.flatMap(({ column }, index) => (column.isText ? [index] : []));
		const widest = shrinkable.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0] ?? 0;
		if ((widths[widest] ?? 0) <= 1) break;
		widths[widest] = (widths[widest] ?? 0) - 1;
	}
	const line = (cellOf: (index: number) => string, styleOf: (index: number) => readonly Style[]) =>
		shown
			.map(({ column }, index) => {
				const width = widths[index] ?? 0;
				const cut = cutTo(cellOf(index), width, terminal.cutMark);
				const isLast = index === shown.length - 1;
				const padded = column.isNumber ? padStart(cut, width) : isLast ? cut : padEnd(cut, width);
				return terminal.style(padded, ...styleOf(index));
			})
			.join(GAP)
			.trimEnd();
	return [
		line(
			(index) => shown[index]?.column.title ?? "",
			() => ["bold"],
		),
		...rows.map((row, at) =>
			line(
				(index) => shown[index]?.cells[at] ?? "",
				(index) => shown[index]?.column.style?.(row) ?? [],
			),
		),
	];
}

/** Names and values, one a line; values may be of others, and are not cut. */
export function formatFields(
	terminal: Terminal,
	fields: readonly (readonly [name: string, value: unknown])[],
): string[] {
	const present = fields.filter(([, value]) => value !== null && value !== undefined && value !== "");
	const column = Math.max(0, ...present.map(([name]) => name.length)) + GAP.length;
	return present.map(([name, value]) => terminal.style(name.padEnd(column), "dim") + terminal.oneLine(String(value)));
}
