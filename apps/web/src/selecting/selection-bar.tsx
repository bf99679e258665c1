import { useQuery } from "@tanstack/react-query";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { formatInteger } from "../lib/format.ts";
import { selectingTexts as TEXTS } from "../texts/selecting-en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ActionButtons } from "./actions.tsx";
import { summaryQuery } from "./queries.ts";
import { MAX_IDS, type Picks, type Selected } from "./selection.ts";

export interface SelectionBarProps {
	readonly project: string;
	readonly kind: Selected["kind"];
	readonly picks: Picks;
	/** Undefined where the list shows only a part of what fits its filter, as when it is sorted by scores. */
	readonly filter: Selected["filter"] | undefined;
	readonly onSelectAll: () => void;
	readonly onClear: () => void;
}

/** The foot of a list with selected rows: how many, and what can be done with them. */
export function SelectionBar(props: SelectionBarProps): ReactNode {
	const { project, kind, picks, filter, onSelectAll, onClear } = props;
	const isAll = picks.isAll && filter !== undefined;
	const selected: Selected = { project, kind, ...(isAll ? { filter } : { ids: [...picks.keys] }) };
	const { data } = useQuery({ ...summaryQuery(selected), enabled: isAll });
	const count = data === undefined ? undefined : formatInteger(data.item_count);
	const isTooMany = !isAll && picks.keys.size > MAX_IDS;
	return (
		<section
			aria-label={TEXTS.bar}
			className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-line border-t bg-sunken px-3 py-1.5"
		>
			<span role="status" className="font-medium">
				{isAll
					? TEXTS.allSelected(
							kind,
							data?.is_complete === false ? TEXTS.moreThan(count ?? "") : (count ?? TEXTS.counting),
						)
					: TEXTS.selected(kind, picks.keys.size)}
			</span>
			{!isAll && filter !== undefined && (
				<Button look="quiet" onClick={onSelectAll}>
					{TEXTS.selectAll}
				</Button>
			)}
			<IconButton label={TEXTS.clear} shortcut="Esc" onClick={onClear}>
				<X size={16} aria-hidden />
			</IconButton>
			<span className="ml-auto flex flex-wrap items-center gap-1.5 max-sm:ml-0">
				{isTooMany ? (
					<span className="text-warn text-sm">{TEXTS.tooMany}</span>
				) : (
					<ActionButtons selected={selected} count={isAll ? data?.item_count : picks.keys.size} onStarted={onClear} />
				)}
			</span>
		</section>
	);
}
