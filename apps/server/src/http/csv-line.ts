import { booleanParam } from "./query-params.ts";

/** What spreadsheets take for the beginning of a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Query parameter of CSV downloads: on unless a program asks for the cells as they are. */
export const escapeFormulasParam = booleanParam
	.default(true)
	.describe(
		"Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored.",
	);

/** A line of a CSV table (RFC 4180), with its line end. Numbers are not formulas, even negative ones. */
export function csvLine(
	cells: readonly (string | number | null)[],
	{ escapeFormulas }: { readonly escapeFormulas: boolean },
): string {
	return `${cells.map((cell) => quoted(String(cell ?? ""), escapeFormulas)).join(",")}\r\n`;
}

function quoted(cell: string, escapeFormulas: boolean): string {
	const text = escapeFormulas && FORMULA.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
