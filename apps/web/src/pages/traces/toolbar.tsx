import RefreshCw from "lucide-react/icons/refresh-cw";
import Search from "lucide-react/icons/search";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { texts } from "../../texts/en.ts";
import { IconButton } from "../../ui/button.tsx";
import { SearchInput } from "../../ui/input.tsx";
import { Key } from "../../ui/keys.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { ColumnMenu } from "./column-menu.tsx";
import type { ColumnKey, View } from "./columns.tsx";
import { type ChangeSearch, FilterChips, FilterMenu } from "./filters.tsx";
import type { TracesSearch } from "./search.ts";

const TYPING_MS = 300;

export interface ToolbarProps {
	readonly search: TracesSearch;
	readonly change: ChangeSearch;
	readonly view: View;
	readonly columns: readonly ColumnKey[];
	readonly onColumns: (columns: readonly ColumnKey[] | undefined) => void;
	readonly onRefresh: () => void;
	readonly isBusy: boolean;
	readonly searchRef: RefObject<HTMLInputElement | null>;
}

/** Rows, words, filters and columns of the list, on one line while there is room. */
export function Toolbar(props: ToolbarProps): ReactNode {
	const { search, change, view } = props;
	return (
		<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
			<SegmentedControl
				label={texts.traces.viewLabel}
				value={view}
				onChange={(next) => change((before) => toView(before, next))}
				choices={[
					{ value: "traces", label: texts.traces.roots },
					{ value: "spans", label: texts.traces.spans },
				]}
			/>
			<WordSearch words={search.q ?? ""} change={change} inputRef={props.searchRef} />
			<FilterMenu search={search} change={change} />
			<FilterChips search={search} change={change} />
			<div className="ml-auto flex items-center">
				<IconButton label={texts.traces.refresh} shortcut="r" onClick={props.onRefresh}>
					<RefreshCw size={14} aria-hidden className={props.isBusy ? "motion-safe:animate-spin" : ""} />
				</IconButton>
				<ColumnMenu view={view} columns={props.columns} onChange={props.onColumns} />
			</div>
		</div>
	);
}

/** Filters and order that the other view does not know are dropped with it. */
function toView(search: TracesSearch, view: View): TracesSearch {
	const { view: _view, kind: _kind, sort: _sort, cols: _cols, ...rest } = search;
	return view === "spans" ? { ...rest, view } : rest;
}

function WordSearch({
	words,
	change,
	inputRef,
}: {
	words: string;
	change: ChangeSearch;
	inputRef: RefObject<HTMLInputElement | null>;
}): ReactNode {
	const [text, setText] = useState(words);
	const [applied, setApplied] = useState(words);
	// The address changed from elsewhere: back and forward, a cleared filter.
	if (applied !== words) {
		setApplied(words);
		setText(words);
	}
	const apply = (next: string) => {
		const trimmed = next.trim();
		if (trimmed === words) return;
		setApplied(trimmed);
		change(({ q: _q, ...rest }) => (trimmed ? { ...rest, q: trimmed } : rest));
	};
	useEffect(() => {
		if (text.trim() === words) return;
		const timer = setTimeout(() => apply(text), TYPING_MS);
		return () => clearTimeout(timer);
	});
	return (
		<SearchInput
			ref={inputRef}
			label={texts.traces.search}
			placeholder={texts.traces.search}
			icon={<Search size={14} aria-hidden />}
			value={text}
			maxLength={500}
			onChange={(event) => setText(event.target.value)}
			onKeyDown={(event) => {
				if (event.key === "Enter") apply(text);
				else if (event.key === "Escape" && text !== "") {
					setText("");
					apply("");
					event.stopPropagation();
				}
			}}
			after={text === "" && <Key name="/" />}
			boxClassName="min-w-40 max-w-md flex-1 basis-56"
		/>
	);
}
