import ChevronDown from "lucide-react/icons/chevron-down";
import type { ReactNode } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import type { Compared } from "./compare-page.tsx";
import { ExperimentMenu } from "./experiment-menu.tsx";

const TEXTS = dataTexts.compare;

/** Actions on a column of the comparison, and on its experiment. */
export function ComparedMenu({
	experiment,
	onBase,
	onRemove,
}: {
	experiment: Compared;
	/** Absent for the base. */
	onBase: (() => void) | undefined;
	/** Absent for the only experiment. */
	onRemove: (() => void) | undefined;
}): ReactNode {
	return (
		<span className="ml-auto flex">
			{(onBase || onRemove) && (
				<Menu
					align="end"
					trigger={
						<IconButton label={TEXTS.columnOf(experiment.name)} className="size-6">
							<ChevronDown size={14} aria-hidden />
						</IconButton>
					}
				>
					{onBase && <MenuItem onClick={onBase}>{TEXTS.makeBase}</MenuItem>}
					{onRemove && <MenuItem onClick={onRemove}>{TEXTS.remove}</MenuItem>}
				</Menu>
			)}
			{experiment.loaded && <ExperimentMenu experiment={experiment.loaded} onDeleted={onRemove} />}
		</span>
	);
}
