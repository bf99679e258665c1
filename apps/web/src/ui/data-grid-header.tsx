import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";

export interface GridColumn<Row> {
	readonly key: string;
	readonly title: string;
	/** The head shows nothing (a column of icons); the title is read out. */
	readonly hideTitle?: boolean;
	/** Pixels; with `grow` the least. */
	readonly width: number;
	/** Share of the space that is left. */
	readonly grow?: number;
	readonly align?: "right";
	readonly sortable?: boolean;
	readonly className?: string;
	readonly cell: (row: Row) => ReactNode;
}

export interface GridSort {
	readonly column: string;
	readonly order: "asc" | "desc";
}

/** The tracks of the rows and of the header alike. */
export function template<Row>(columns: readonly GridColumn<Row>[]): string {
	return columns
		.map((column) => (column.grow ? `minmax(${column.width}px, ${column.grow}fr)` : `${column.width}px`))
		.join(" ");
}

export function GridHeader<Row>({
	columns,
	sort,
	onSort,
}: {
	columns: readonly GridColumn<Row>[];
	sort: GridSort | undefined;
	onSort: ((column: string) => void) | undefined;
}): ReactNode {
	return (
		// biome-ignore lint/a11y/useSemanticElements: rows are virtual, so no table element
		// biome-ignore lint/a11y/useFocusableInteractive: the buttons in it take the focus
		<div
			role="row"
			aria-rowindex={1}
			className="sticky top-0 z-10 grid h-8 items-center gap-x-3 border-line border-b bg-canvas px-2 text-muted text-sm"
			style={{ gridTemplateColumns: template(columns) }}
		>
			{columns.map((column) => {
				const sorted = sort?.column === column.key ? sort.order : undefined;
				return (
					// biome-ignore lint/a11y/useSemanticElements: as above
					// biome-ignore lint/a11y/useFocusableInteractive: as above
					<div
						key={column.key}
						role="columnheader"
						{...(column.sortable ? { "aria-sort": sorted === undefined ? "none" : (`${sorted}ending` as const) } : {})}
						className={classNames("min-w-0 truncate", column.align === "right" && "text-right")}
					>
						{column.sortable && onSort ? (
							<button
								type="button"
								title={texts.traces.sortedBy(column.title)}
								onClick={() => onSort(column.key)}
								className={classNames("inline-flex items-center gap-0.5 hover:text-ink", sorted && "text-ink")}
							>
								{column.title}
								{sorted === "asc" && <ArrowUp size={12} aria-hidden />}
								{sorted === "desc" && <ArrowDown size={12} aria-hidden />}
							</button>
						) : (
							<span className={column.hideTitle ? "sr-only" : undefined}>{column.title}</span>
						)}
					</div>
				);
			})}
		</div>
	);
}
