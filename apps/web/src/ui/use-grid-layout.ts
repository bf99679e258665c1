import type { LocalSetting } from "../lib/local-setting.ts";
import { useLocalSetting } from "../lib/use-local-setting.ts";
import type { GridArranging } from "./grid-layout.ts";
import { GridLayout, type ListColumn } from "./grid-layout.ts";

export interface GridLayoutOptions<Row> {
	/** Where this browser keeps the person's layout of the list. */
	readonly setting: LocalSetting;
	/** All columns that can be shown, in their usual order. */
	readonly all: readonly ListColumn<Row>[];
	/** Keys of the columns that are shown unless others are chosen. */
	readonly standard: readonly string[];
	/** The layout in the address, which comes first. */
	readonly cols: string | undefined;
	/** Writes it into the address. */
	readonly onCols: (cols: string | undefined) => void;
}

/** The columns of a list as a person arranged them: those of the address, else those of this browser. */
export function useGridLayout<Row>({ setting, all, standard, cols, onCols }: GridLayoutOptions<Row>): {
	readonly arranging: GridArranging<Row>;
	readonly isStandard: boolean;
} {
	const [kept, keep] = useLocalSetting(setting);
	const chosen = cols ?? kept;
	const onArrange = (next: GridLayout<Row> | undefined) => {
		const text = next?.toText();
		const other = text === GridLayout.of(all, undefined, standard).toText() ? undefined : text;
		keep(other);
		onCols(other);
	};
	return { arranging: { layout: GridLayout.of(all, chosen, standard), onArrange }, isStandard: chosen === undefined };
}
