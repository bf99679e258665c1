import Search from "lucide-react/icons/search";
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { SearchInput } from "../input.tsx";
import { JsonLine } from "./json-line.tsx";
import {
	findInJson,
	type JsonPath,
	type JsonRow,
	type JsonView,
	jsonRows,
	listMore,
	openedAtFirst,
	pointer,
	revealPath,
} from "./json-rows.ts";
import { childCount, isContainer, type Json } from "./json-value.ts";

/** Lines that are open at first. */
const FIRST_LINES = 40;
/** From this many lines on a search field is offered. */
const SEARCH_FROM = 12;

export interface JsonTreeProps {
	readonly value: Json;
	/** Names the value for screen readers. */
	readonly label: string;
	/** Offers a search field; else when there are many lines. */
	readonly searchable?: boolean;
	/** How many lines are open at first, about. */
	readonly lines?: number;
	/** Called when the name of a scalar value is clicked, with Alt held down or not. */
	readonly onPick?: ((path: JsonPath, value: Json, withAlt: boolean) => void) | undefined;
}

/** A JSON value as a tree: closed parts cost nothing, large ones are listed in steps, everything can be found and copied. */
export function JsonTree({ value, label, searchable, lines = FIRST_LINES, onPick }: JsonTreeProps): ReactNode {
	const [first] = useState<JsonView>(() => ({ expanded: openedAtFirst(value, lines), listed: new Map() }));
	const [view, setView] = useState(first);
	const box = useRef<HTMLDivElement>(null);
	// The outermost braces would be a line of their own that says nothing.
	const rows = useMemo(
		() => jsonRows(value, view).filter((row) => row.type === "more" || row.id !== "" || !row.expanded),
		[value, view],
	);
	const flat = rows.every((row) => row.type === "value" && childCount(row.value) === 0);
	// Decided once: the field does not come and go while parts are opened and closed.
	const [offersSearch] = useState(searchable ?? (isContainer(value) && rows.length >= SEARCH_FROM));

	const [query, setQuery] = useState("");
	const searched = useDeferredValue(query);
	const found = useMemo(() => findInJson(value, searched), [value, searched]);
	const matches = useMemo(() => new Set(found.map(pointer)), [found]);
	const [current, setCurrent] = useState(0);
	const at = found.length === 0 ? -1 : current % found.length;
	const currentPath = found[at];
	const currentId = currentPath && pointer(currentPath);
	useEffect(() => {
		if (!currentPath) return;
		setView((before) => revealPath(before, value, currentPath));
		requestAnimationFrame(() => box.current?.querySelector("[data-current]")?.scrollIntoView({ block: "nearest" }));
	}, [currentPath, value]);

	const search = (text: string) => {
		setQuery(text);
		setCurrent(0);
	};
	const onSearchKey = (event: KeyboardEvent) => {
		if (event.key === "Escape" && query !== "") {
			search("");
			event.stopPropagation();
		}
		if (event.key === "Enter" && found.length > 0)
			setCurrent((at + (event.shiftKey ? found.length - 1 : 1)) % found.length);
	};
	const toggle = (row: JsonRow) => {
		const expanded = new Set(view.expanded);
		if (!expanded.delete(row.id)) expanded.add(row.id);
		setView({ ...view, expanded });
	};
	return (
		<div ref={box} className="min-w-0 font-mono text-sm">
			{offersSearch && (
				<SearchInput
					label={texts.jsonSearch}
					placeholder={texts.jsonSearch}
					icon={<Search size={13} aria-hidden />}
					value={query}
					onChange={(event) => search(event.target.value)}
					onKeyDown={onSearchKey}
					after={query.trim() !== "" && (found.length === 0 ? texts.noMatches : texts.matches(at + 1, found.length))}
					boxClassName="mb-1 w-72 max-w-full font-sans"
				/>
			)}
			<ul aria-label={label}>
				{rows.map((row) => (
					<JsonLine
						key={row.id}
						row={row}
						flat={flat}
						match={matches.has(row.id)}
						current={row.id === currentId}
						onToggle={toggle}
						onPick={onPick}
						onMore={(path, where) => setView(listMore(view, path, where))}
					/>
				))}
			</ul>
		</div>
	);
}
