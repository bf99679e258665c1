import Columns from "lucide-react/icons/columns-3";
import type { ReactNode } from "react";
import { texts } from "../../texts/en.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu, MenuCheck, MenuItem, MenuLabel, MenuSeparator } from "../../ui/menu.tsx";
import { ALL_COLUMNS, areDefaultColumns, type ColumnKey, type View } from "./columns.tsx";

/** Chooses the shown columns. Their order is fixed, so that lists look alike for everybody. */
export function ColumnMenu({
	view,
	columns,
	onChange,
}: {
	view: View;
	columns: readonly ColumnKey[];
	/** Called with undefined for the default columns. */
	onChange: (columns: readonly ColumnKey[] | undefined) => void;
}): ReactNode {
	return (
		<Menu
			align="end"
			trigger={
				<IconButton label={texts.traces.columns}>
					<Columns size={15} aria-hidden />
				</IconButton>
			}
		>
			<MenuLabel>{texts.traces.columns}</MenuLabel>
			{ALL_COLUMNS[view].map((key) => (
				<MenuCheck
					key={key}
					checked={columns.includes(key)}
					disabled={key === "name"}
					onChange={(checked) =>
						onChange(ALL_COLUMNS[view].filter((each) => (each === key ? checked : columns.includes(each))))
					}
				>
					{texts.traces.column[key]}
				</MenuCheck>
			))}
			<MenuSeparator />
			<MenuItem disabled={areDefaultColumns(view, columns)} onClick={() => onChange(undefined)}>
				{texts.traces.resetColumns}
			</MenuItem>
		</Menu>
	);
}
