import type { DatasetExampleInSplits } from "@spanward/client";
import Check from "lucide-react/icons/check";
import type { ReactNode } from "react";
import { UNKNOWN } from "../../lib/format.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { classNames } from "../../ui/class-names.ts";
import { shortText } from "../../ui/content/short-text.ts";
import type { GridColumn } from "../../ui/grid-columns.ts";
import type { ListColumn } from "../../ui/grid-layout.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";

const TEXTS = dataTexts.examples;
const NAMES = TEXTS.column;

/** @param href where the value's row leads, in the column with the row's link */
function Value({ value, href }: { value: Readonly<Record<string, unknown>>; href?: string }): ReactNode {
	const text = shortText(value);
	if (href)
		return (
			<a href={href} title={text} {...rowLink()}>
				{text || UNKNOWN}
			</a>
		);
	return text === "" ? <span className="text-muted">{UNKNOWN}</span> : <span title={text}>{text}</span>;
}

export const chosenColumns = localSetting("columns.examples");
/** Keys of the columns that are shown unless others are chosen. */
export const SHOWN = ["id", "input", "output", "metadata", "splits", "changed"];
/** Keys of those that there is room for on phones and beside an open example. */
export const IN_LITTLE_ROOM = ["input", "output"];

export interface ExampleColumnsOptions {
	readonly onSplit: (split: string) => void;
	readonly hrefOf: (row: DatasetExampleInSplits) => string;
}

/** All columns of the list but the one that selects. */
export function exampleColumns({ onSplit, hrefOf }: ExampleColumnsOptions): ListColumn<DatasetExampleInSplits>[] {
	return [
		{
			key: "id",
			title: NAMES.id,
			width: 96,
			cell: (row) =>
				row.id === row.node_id ? <span className="text-muted">{UNKNOWN}</span> : <span title={row.id}>{row.id}</span>,
		},
		{
			key: "input",
			title: NAMES.input,
			isNeeded: true,
			width: 200,
			grow: 3,
			cell: (row) => <Value value={row.input} href={hrefOf(row)} />,
		},
		{ key: "output", title: NAMES.output, width: 200, grow: 3, cell: (row) => <Value value={row.output} /> },
		{
			key: "metadata",
			title: NAMES.metadata,
			width: 100,
			grow: 1,
			cell: (row) => <Value value={row.metadata} />,
		},
		{
			key: "splits",
			title: NAMES.splits,
			width: 120,
			cell: (row) =>
				row.splits.map((split) => (
					<button
						key={split}
						type="button"
						tabIndex={-1}
						title={texts.filter.by(TEXTS.split, split)}
						onClick={() => onSplit(split)}
						className="mr-1 rounded bg-sunken px-1.5 text-sm hover:text-accent"
					>
						{split}
					</button>
				)),
		},
		{
			key: "changed",
			title: NAMES.changed,
			width: 90,
			align: "right",
			cell: (row) => <RelativeTime time={row.updated_at} className="text-muted" />,
		},
	];
}

/** The column that selects examples. */
export function selectColumn(
	selected: ReadonlySet<string>,
	onToggle: (id: string) => void,
): GridColumn<DatasetExampleInSplits> {
	return {
		key: "select",
		title: NAMES.select,
		hideTitle: true,
		width: 20,
		cell: (row) => (
			<SelectBox id={row.id} isSelected={selected.has(row.node_id)} onToggle={() => onToggle(row.node_id)} />
		),
	};
}

function SelectBox({ id, isSelected, onToggle }: { id: string; isSelected: boolean; onToggle: () => void }): ReactNode {
	return (
		// biome-ignore lint/a11y/useSemanticElements: an arrow key moves within the row, which an <input> would take
		<button
			type="button"
			role="checkbox"
			aria-checked={isSelected}
			aria-label={TEXTS.select(id)}
			tabIndex={-1}
			onClick={onToggle}
			className={classNames(
				"flex size-4 items-center justify-center rounded-sm border",
				isSelected ? "border-accent bg-accent text-on-accent" : "border-line-strong",
			)}
		>
			{isSelected && <Check size={12} aria-hidden />}
		</button>
	);
}
