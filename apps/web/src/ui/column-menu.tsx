import Columns from "lucide-react/icons/columns-3";
import type { KeyboardEvent, ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { IconButton } from "./button.tsx";
import type { GridArranging } from "./grid-layout.ts";
import { Menu, MenuCheck, MenuItem, MenuLabel, MenuSeparator } from "./menu.tsx";

/** Chooses the columns that are shown; Shift with an arrow key moves the highlighted one. */
export function ColumnMenu<Row>({
	arranging: { layout, onArrange },
	isStandard,
}: {
	arranging: GridArranging<Row>;
	/** Whether nothing was arranged. */
	isStandard: boolean;
}): ReactNode {
	const onKeyDown = (key: string) => (event: KeyboardEvent<HTMLElement>) => {
		if (!event.shiftKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
		event.preventDefault();
		event.stopPropagation();
		const item = event.currentTarget;
		onArrange(layout.stepped(key, event.key === "ArrowUp" ? -1 : 1));
		// An item that is moved in the document loses the focus.
		requestAnimationFrame(() => item.focus());
	};
	return (
		<Menu
			align="end"
			trigger={
				<IconButton label={texts.columns.title}>
					<Columns size={15} aria-hidden />
				</IconButton>
			}
		>
			<MenuLabel>{texts.columns.title}</MenuLabel>
			{layout.offered.map(({ key, title, isNeeded }) => (
				<MenuCheck
					key={key}
					checked={layout.isShown(key)}
					disabled={isNeeded === true}
					onKeyDown={onKeyDown(key)}
					onChange={(checked) => onArrange(layout.toggled(key, checked))}
				>
					<span className="min-w-0 max-w-64 truncate">{title}</span>
				</MenuCheck>
			))}
			<MenuSeparator />
			<MenuItem disabled={isStandard} onClick={() => onArrange(undefined)}>
				{texts.columns.reset}
			</MenuItem>
			<p className="max-w-56 px-2 py-1 text-muted text-sm max-sm:hidden">{texts.columns.hint}</p>
		</Menu>
	);
}
