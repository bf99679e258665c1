import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import GitCompare from "lucide-react/icons/git-compare-arrows";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { formatInteger } from "../lib/format.ts";
import { compareTracesTexts } from "../texts/compare-traces-en.ts";
import { selectingTexts as TEXTS } from "../texts/selecting-en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
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
					<>
						{kind === "trace" && !isAll && <CompareLink project={project} ids={[...picks.keys]} />}
						<ActionButtons selected={selected} count={isAll ? data?.item_count : picks.keys.size} onStarted={onClear} />
					</>
				)}
			</span>
		</section>
	);
}

/** Two traces can be compared: the one that was selected first is on the left. */
function CompareLink({ project, ids }: { project: string; ids: readonly string[] }): ReactNode {
	const [left, right] = ids;
	if (ids.length !== 2 || left === undefined || right === undefined) return null;
	return (
		<Link
			to="/p/$project/traces/$trace/compare"
			params={{ project, trace: left }}
			search={{ with: right }}
			className={buttonClass()}
		>
			<GitCompare size={14} aria-hidden />
			{compareTracesTexts.compareSelected}
		</Link>
	);
}
