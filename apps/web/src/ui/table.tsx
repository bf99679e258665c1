import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface TableColumn<Row> {
	readonly key: string;
	readonly title: string;
	/** The head shows nothing (a column of buttons); the title is read out. */
	readonly hideTitle?: boolean;
	readonly align?: "right";
	/** Of the head and the cells: widths, and `max-sm:hidden` for what a phone has no room for. */
	readonly className?: string;
	readonly cell: (row: Row) => ReactNode;
}

/**
 * A table of at most a few hundred rows, as it is in HTML; what is in its cells is reached with Tab, its rows
 * with the keys of {@link useTableKeys}. The first column names the row.
 */
export function Table<Row>({
	label,
	columns,
	rows,
	rowKey,
}: {
	label: string;
	columns: readonly TableColumn<Row>[];
	rows: readonly Row[];
	rowKey: (row: Row) => string;
}): ReactNode {
	return (
		<table aria-label={label} className="w-full table-fixed border-collapse">
			<thead>
				<tr className="border-line border-b text-left text-muted text-sm">
					{columns.map((column) => (
						<th key={column.key} scope="col" className={classNames("h-8 px-2 font-normal", ...look(column))}>
							<span className={column.hideTitle ? "sr-only" : undefined}>{column.title}</span>
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<tr key={rowKey(row)} data-row className="border-line border-b hover:bg-hover">
						{columns.map((column, index) =>
							index === 0 ? (
								<th
									key={column.key}
									scope="row"
									className={classNames("px-2 py-1.5 text-left font-normal", ...look(column))}
								>
									{column.cell(row)}
								</th>
							) : (
								<td key={column.key} className={classNames("truncate px-2 py-1.5", ...look(column))}>
									{column.cell(row)}
								</td>
							),
						)}
					</tr>
				))}
			</tbody>
		</table>
	);
}

function look<Row>(column: TableColumn<Row>): (string | false | undefined)[] {
	return [column.align === "right" && "text-right", column.className];
}
