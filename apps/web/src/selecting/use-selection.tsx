import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import { type MouseEvent, type ReactNode, useState } from "react";
import { selectingTexts as TEXTS } from "../texts/selecting-en.ts";
import { classNames } from "../ui/class-names.ts";
import type { DataGridProps } from "../ui/data-grid.tsx";
import type { GridColumn } from "../ui/grid-columns.ts";
import type { ListKeys } from "../ui/list-keys.ts";
import { extend, hasPicks, NOTHING, type Picks, toggle } from "./selection.ts";

export interface ListSelection<Row> {
	readonly picks: Picks;
	readonly selectAll: () => void;
	readonly clear: () => void;
	/** The column of check boxes. */
	readonly column: GridColumn<Row>;
	/** What the grid needs of it. */
	readonly grid: Pick<DataGridProps<Row>, "onSelectTo" | "isSelected">;
	/** The keys, at the row that the keys are at. */
	readonly keys: (activeKey: string | undefined) => NonNullable<ListKeys["more"]>;
}

/**
 * The selected rows of a list, by mouse and by keys.
 * @param scope which list it is, with its filters: another one starts with nothing selected
 */
export function useSelection<Row>(
	scope: string,
	rows: readonly Row[],
	rowKey: (row: Row) => string,
	nameOf: (row: Row) => string,
): ListSelection<Row> {
	const [kept, keep] = useState({ scope, picks: NOTHING });
	const picks = kept.scope === scope ? kept.picks : NOTHING;
	const change = (next: Picks) => keep({ scope, picks: next });
	const order = () => rows.map(rowKey);
	const isSelected = (row: Row) => picks.isAll || picks.keys.has(rowKey(row));
	const press = (row: Row, event: MouseEvent) =>
		change(event.shiftKey ? extend(picks, order(), rowKey(row)) : toggle(asListed(picks, rows, rowKey), rowKey(row)));
	const isEverything = rows.length > 0 && rows.every(isSelected);
	const column: GridColumn<Row> = {
		key: "select",
		title: TEXTS.all,
		width: 18,
		head: (
			<CheckButton
				label={TEXTS.all}
				state={isEverything ? "true" : rows.some(isSelected) ? "mixed" : "false"}
				onPress={() => change(isEverything ? NOTHING : { ...picks, keys: new Set(order()), isAll: false })}
			/>
		),
		cell: (row) => (
			<CheckButton
				label={`${TEXTS.row} ${nameOf(row)}`.trim()}
				state={isSelected(row) ? "true" : "false"}
				onPress={(event) => press(row, event)}
			/>
		),
	};
	return {
		picks,
		selectAll: () => change({ ...picks, isAll: true }),
		clear: () => change(NOTHING),
		column,
		grid: {
			isSelected,
			onSelectTo: (row, from) => change(extend(picks, order(), rowKey(row), from && rowKey(from))),
		},
		keys: (activeKey) => [
			{
				keys: ["x"],
				label: TEXTS.key.toggle,
				run: (event) => {
					if (activeKey === undefined) return false;
					return change(
						event.shiftKey ? extend(picks, order(), activeKey) : toggle(asListed(picks, rows, rowKey), activeKey),
					);
				},
			},
			{
				keys: ["Escape"],
				label: TEXTS.key.clear,
				run: () => (hasPicks(picks) ? change(NOTHING) : false),
			},
		],
	};
}

/** The loaded rows one by one, where all that fit were selected. */
function asListed<Row>(picks: Picks, rows: readonly Row[], rowKey: (row: Row) => string): Picks {
	return picks.isAll ? { ...picks, isAll: false, keys: new Set(rows.map(rowKey)) } : picks;
}

function CheckButton({
	label,
	state,
	onPress,
}: {
	label: string;
	state: "true" | "false" | "mixed";
	onPress: (event: MouseEvent) => void;
}): ReactNode {
	return (
		// biome-ignore lint/a11y/useSemanticElements: the keys of the grid go from button to button
		<button
			type="button"
			role="checkbox"
			aria-checked={state}
			aria-label={label}
			tabIndex={-1}
			onClick={onPress}
			// Shift would select text.
			onMouseDown={(event) => event.shiftKey && event.preventDefault()}
			className="-m-1.5 inline-flex size-7 items-center justify-center p-1.5 align-middle"
		>
			<span
				className={classNames(
					"inline-flex size-4 items-center justify-center rounded-xs border",
					state === "false" ? "border-line-strong bg-surface" : "border-accent bg-accent text-on-accent",
				)}
			>
				{state === "true" && <Check size={12} strokeWidth={3} aria-hidden />}
				{state === "mixed" && <Minus size={12} strokeWidth={3} aria-hidden />}
			</span>
		</button>
	);
}
