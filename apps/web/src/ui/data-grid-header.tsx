import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import ArrowUpDown from "lucide-react/icons/arrow-up-down";
import { type ReactNode, useRef, useState } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";
import type { GridColumn, GridSort } from "./grid-columns.ts";
import type { GridArranging } from "./grid-layout.ts";
import { columnMoving } from "./move-column.ts";
import { ResizeHandle } from "./resize-handle.tsx";
import { useHeaderKeys } from "./use-header-keys.ts";

export interface GridHeaderProps<Row> {
	readonly columns: readonly GridColumn<Row>[];
	readonly sort: GridSort | undefined;
	readonly onSort: ((column: string) => void) | undefined;
	readonly arranging: GridArranging<Row> | undefined;
	/** Reads out what a key did. */
	readonly onSay: (text: string) => void;
}

/** The titles of the columns: they sort, and they are moved and resized with the pointer or with keys. */
export function GridHeader<Row>({ columns, sort, onSort, arranging, onSay }: GridHeaderProps<Row>): ReactNode {
	const header = useRef<HTMLDivElement>(null);
	const canArrange = ({ key }: GridColumn<Row>) => arranging?.layout.isShown(key) === true;
	const isStop = (column: GridColumn<Row>) => (column.sortable && onSort !== undefined) || canArrange(column);
	const [lastStop, setStop] = useState<string>();
	const stop = columns.find((column) => column.key === lastStop && isStop(column)) ?? columns.find(isStop);
	const [drop, setDrop] = useState<{ readonly before: string | undefined }>();
	useHeaderKeys({ header, columns, arranging, onSay });
	return (
		// biome-ignore lint/a11y/useSemanticElements: rows are virtual, so no table element
		// biome-ignore lint/a11y/useFocusableInteractive: the cells in it take the focus
		<div
			ref={header}
			role="row"
			aria-rowindex={1}
			className="group/head sticky top-0 z-10 grid h-8 items-center gap-x-3 border-line border-b bg-canvas px-2 text-muted text-sm"
			style={{ gridTemplateColumns: "var(--tracks)" }}
		>
			{columns.map((column, index) => {
				const sorted = sort?.column === column.key ? sort.order : undefined;
				const isSortable = column.sortable && onSort !== undefined;
				const tabStop = { tabIndex: column === stop ? 0 : -1, onFocus: () => setStop(column.key) };
				return (
					// biome-ignore lint/a11y/useSemanticElements: as above
					// biome-ignore lint/a11y/useFocusableInteractive: it, or the button in it, takes the focus
					<div
						key={column.key}
						role="columnheader"
						data-column={column.key}
						{...(isSortable ? { "aria-sort": sorted === undefined ? "none" : (`${sorted}ending` as const) } : {})}
						{...(!isSortable && canArrange(column) ? tabStop : {})}
						{...(arranging && canArrange(column) ? columnMoving(column.key, arranging, setDrop) : {})}
						className={classNames(
							"relative flex h-full min-w-0 items-center",
							column.align === "right" && "justify-end",
							arranging && "select-none",
						)}
					>
						{drop && drop.before === column.key && <DropMark className="-left-1.5" />}
						{column.head ??
							(isSortable ? (
								<button
									type="button"
									title={[texts.traces.sortedBy(column.title), column.sortNote].filter(Boolean).join(". ")}
									onClick={() => onSort(column.key)}
									{...tabStop}
									className={classNames(
										"flex min-h-6 min-w-0 items-center gap-0.5 hover:text-ink",
										sorted && "text-ink",
									)}
								>
									<span className={column.hideTitle ? "sr-only" : "truncate"}>{column.title}</span>
									{column.hideTitle && !sorted && <ArrowUpDown size={12} aria-hidden className="shrink-0 opacity-60" />}
									{sorted === "asc" && <ArrowUp size={12} aria-hidden className="shrink-0" />}
									{sorted === "desc" && <ArrowDown size={12} aria-hidden className="shrink-0" />}
								</button>
							) : (
								<span className={column.hideTitle ? "sr-only" : "truncate"} title={column.title}>
									{column.title}
								</span>
							))}
						{drop && drop.before === undefined && index === columns.length - 1 && <DropMark className="-right-1.5" />}
						{arranging && canArrange(column) && (
							<ResizeHandle column={column} columns={columns} arranging={arranging} />
						)}
					</div>
				);
			})}
		</div>
	);
}

/** Where a column that is being moved would go. */
function DropMark({ className }: { className: string }): ReactNode {
	return <span className={classNames("absolute inset-y-0 w-0.5 bg-accent", className)} />;
}
