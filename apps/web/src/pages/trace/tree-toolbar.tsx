import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronUp from "lucide-react/icons/chevron-up";
import CircleAlert from "lucide-react/icons/circle-alert";
import ListChevronsDownUp from "lucide-react/icons/list-chevrons-down-up";
import ListChevronsUpDown from "lucide-react/icons/list-chevrons-up-down";
import Route from "lucide-react/icons/route";
import Search from "lucide-react/icons/search";
import Workflow from "lucide-react/icons/workflow";
import X from "lucide-react/icons/x";
import ZoomOut from "lucide-react/icons/zoom-out";
import type { KeyboardEvent, ReactNode, RefObject } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { SearchInput } from "../../ui/input.tsx";
import { Key } from "../../ui/keys.tsx";

export interface TreeToolbarProps {
	readonly searchRef: RefObject<HTMLInputElement | null>;
	readonly query: string;
	readonly onQuery: (query: string) => void;
	readonly matches: readonly number[];
	/** There may be more matches in a moment. */
	readonly isSearching: boolean;
	/** Position of the selected row. */
	readonly selected: number;
	/** Positions of the spans that failed. */
	readonly errors: readonly number[];
	readonly showsCriticalPath: boolean;
	readonly showsGraph: boolean;
	/** Whether only a part of the trace's time is shown. */
	readonly isZoomed: boolean;
	readonly anyCollapsed: boolean;
	readonly onGo: (direction: 1 | -1) => void;
	/** Leaves the search field for the tree. */
	readonly onLeave: () => void;
	readonly onToggleAll: () => void;
	readonly onNextError: (direction: 1 | -1) => void;
	readonly onCriticalPath: () => void;
	readonly onGraph: () => void;
	readonly onShowAllTime: () => void;
}

export function TreeToolbar(props: TreeToolbarProps): ReactNode {
	const { query, matches, selected } = props;
	const searching = query.trim() !== "";
	const none = props.isSearching ? texts.searching : texts.noMatches;
	const found = matches.length === 0 ? none : texts.matches(matches.indexOf(selected) + 1, matches.length);
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "Enter") props.onGo(event.shiftKey ? -1 : 1);
		else if (event.key === "Escape") {
			props.onQuery("");
			props.onLeave();
		} else if (event.key === "ArrowDown") props.onLeave();
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div className="flex h-9 shrink-0 pointer-coarse:h-12 items-center gap-1 px-2">
			<SearchInput
				ref={props.searchRef}
				label={texts.search}
				placeholder={texts.searchPlaceholder}
				icon={<Search size={14} aria-hidden />}
				value={query}
				onChange={(event) => props.onQuery(event.target.value)}
				onKeyDown={onKeyDown}
				after={searching ? found : <Key name="/" />}
				boxClassName="flex-1"
				className="pr-20"
			/>
			{searching && (
				<>
					<IconButton
						label={texts.previousMatch}
						shortcut="Shift N"
						disabled={matches.length === 0}
						onClick={() => props.onGo(-1)}
					>
						<ChevronUp size={16} aria-hidden />
					</IconButton>
					<IconButton
						label={texts.nextMatch}
						shortcut="N"
						disabled={matches.length === 0}
						onClick={() => props.onGo(1)}
					>
						<ChevronDown size={16} aria-hidden />
					</IconButton>
					<IconButton label={texts.clearSearch} onClick={() => props.onQuery("")}>
						<X size={14} aria-hidden />
					</IconButton>
				</>
			)}
			{props.errors.length > 0 && (
				<IconButton
					label={texts.nextError(props.errors.length)}
					shortcut="F"
					onClick={(event) => props.onNextError(event.shiftKey ? -1 : 1)}
				>
					<CircleAlert size={16} aria-hidden className="text-danger" />
				</IconButton>
			)}
			{props.isZoomed && (
				<IconButton label={texts.showAllTime} shortcut="Shift Z" onClick={props.onShowAllTime}>
					<ZoomOut size={16} aria-hidden />
				</IconButton>
			)}
			<IconButton label={texts.graph.show} shortcut="G" pressed={props.showsGraph} onClick={props.onGraph}>
				<Workflow size={16} aria-hidden />
			</IconButton>
			<IconButton
				label={texts.criticalPath}
				shortcut="P"
				pressed={props.showsCriticalPath}
				onClick={props.onCriticalPath}
			>
				<Route size={16} aria-hidden />
			</IconButton>
			<IconButton label={props.anyCollapsed ? texts.expandAll : texts.collapseAll} onClick={props.onToggleAll}>
				{props.anyCollapsed ? (
					<ListChevronsUpDown size={16} aria-hidden />
				) : (
					<ListChevronsDownUp size={16} aria-hidden />
				)}
			</IconButton>
		</div>
	);
}
