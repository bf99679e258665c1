import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import { datasetPages } from "../lib/datasets.ts";
import { foundQuery } from "../lib/find-ids.ts";
import { useMe } from "../lib/me.ts";
import { projectPages } from "../lib/projects.ts";
import { namedPromptsQuery } from "../lib/prompts.ts";
import { useShortcutList } from "../lib/shortcuts.tsx";
import { useDebounced } from "../lib/use-debounced.ts";
import { useShownProject } from "../lib/use-project-gone.ts";
import { commandTexts } from "../texts/command-en.ts";
import { texts } from "../texts/en.ts";
import { classNames } from "../ui/class-names.ts";
import { RestrictedLock } from "../ui/restricted-lock.tsx";
import type { PaletteKeys } from "./command-dialog.tsx";
import { type CommandItem, commandItems, everywhereItems } from "./command-items.ts";
import { type Everywhere, MOST_SEARCHED, useSearchEverywhere } from "./search-everywhere.ts";

const TEXTS = commandTexts;
const SHORTEST_ID = 3;
const TYPING_MS = 250;

export interface CommandPaletteProps {
	/** What stands in the field. */
	readonly text: string;
	/** Id of the list of options, which the field names. */
	readonly list: string;
	/** Where the field's keys come from. */
	readonly keys: PaletteKeys;
	/** Told the id of the chosen option. */
	readonly onActive: (id: string | undefined) => void;
	readonly onClose: () => void;
}

/** The options below the field: they open a page, a project or what a pasted id identifies, or search for the words. */
export function CommandPalette({ text, list, keys, onActive, onClose }: CommandPaletteProps): ReactNode {
	const project = useShownProject();
	const { trace: ofPage } = useParams({ strict: false });
	const { trace: ofList } = useSearch({ strict: false });
	const navigate = useNavigate();
	const me = useMe();
	const [pointed, setPointed] = useState({ text, at: 0 });
	const setAt = (at: number) => setPointed({ text, at });
	const words = text.trim();
	const { data: pages } = useInfiniteQuery(projectPages(undefined));
	const { data: matching } = useInfiniteQuery({
		...projectPages(words || undefined),
		placeholderData: keepPreviousData,
	});
	const projects = pages?.pages.flatMap((page) => page.data) ?? [];
	const { data: datasets } = useInfiniteQuery(datasetPages);
	const settled = useDebounced(words, TYPING_MS);
	const found = useQuery({
		...foundQuery(settled, project, projects),
		enabled: settled.length >= SHORTEST_ID && projects.length > 0,
	});
	const { data: prompts } = useQuery({ ...namedPromptsQuery(settled), enabled: settled !== "" });
	const shortcuts = useShortcutList(true);
	const [everywhere, setEverywhere] = useState<string | undefined>();
	const isEverywhere = everywhere !== undefined && everywhere === words;
	const results = useSearchEverywhere(isEverywhere ? words : undefined, projects);
	const items = isEverywhere
		? everywhereItems(words, results)
		: commandItems({
				words,
				project,
				trace: ofPage ?? ofList,
				projects: matching?.pages[0]?.data ?? [],
				datasets: datasets?.pages.flatMap((page) => page.data) ?? [],
				prompts: settled === words ? (prompts ?? []) : [],
				found: settled === words ? (found.data ?? []) : [],
				shortcuts,
				me,
				onSearchEverywhere: () => {
					setEverywhere(words);
					setAt(0);
				},
			});
	// Other words have other options, of which the first is chosen.
	const chosen = Math.min(pointed.text === text ? pointed.at : 0, items.length - 1);
	const active = items.length > 0 ? `${list}-${chosen}` : undefined;
	const run = (item: CommandItem | undefined) => {
		if (!item) return;
		if (!item.stays) onClose();
		item.run(navigate);
	};
	const press = (event: KeyboardEvent) => {
		if (event.key === "ArrowDown") setAt((chosen + 1) % Math.max(1, items.length));
		else if (event.key === "ArrowUp") setAt((chosen - 1 + items.length) % Math.max(1, items.length));
		else if (event.key === "Enter") run(items[chosen]);
		else return;
		event.preventDefault();
	};
	useLayoutEffect(() => {
		keys.press = press;
		onActive(active);
	});
	useEffect(() => {
		if (!keys.isEntered || items.length === 0) return;
		keys.isEntered = false;
		run(items[chosen]);
	});
	useEffect(() => {
		if (active !== undefined) document.getElementById(active)?.scrollIntoView({ block: "nearest" });
	}, [active]);
	return (
		<>
			<div id={list} role="listbox" aria-label={texts.command.title} className="min-h-0 overflow-auto p-1">
				{items.map((item, index) => (
					<Option
						key={item.key}
						id={`${list}-${index}`}
						item={item}
						heading={item.group === items[index - 1]?.group ? undefined : item.group}
						isChosen={index === chosen}
						onPoint={() => setAt(index)}
						onRun={() => run(item)}
					/>
				))}
			</div>
			<p role="status" className="border-line border-t px-3 py-1.5 text-muted text-sm">
				{isEverywhere
					? everywhereStatus(results, projects.length)
					: found.isFetching
						? TEXTS.looking
						: items.length === 0
							? TEXTS.nothing
							: TEXTS.hint}
			</p>
		</>
	);
}

function everywhereStatus({ waiting, found, failed }: Everywhere, projects: number): string {
	if (waiting > 0) return TEXTS.searching(waiting);
	const searched = Math.min(projects, MOST_SEARCHED);
	return [
		found.length === 0 ? TEXTS.nothingIn(searched) : TEXTS.searched(searched),
		...(projects > MOST_SEARCHED ? [TEXTS.onlyNewest] : []),
		...(failed.length > 0 ? [TEXTS.searchFailed(failed.join(", "))] : []),
	].join(" ");
}

function Option({
	id,
	item,
	heading,
	isChosen,
	onPoint,
	onRun,
}: {
	id: string;
	item: CommandItem;
	heading: string | undefined;
	isChosen: boolean;
	onPoint: () => void;
	onRun: () => void;
}): ReactNode {
	return (
		<>
			{heading && (
				<div role="presentation" className="px-2 pt-2 pb-1 text-muted text-sm">
					{heading}
				</div>
			)}
			{/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field */}
			{/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys */}
			<div
				id={id}
				role="option"
				aria-selected={isChosen}
				onPointerMove={onPoint}
				onClick={onRun}
				className={classNames("flex h-8 items-center gap-3 rounded px-2", isChosen && "bg-accent-soft text-accent")}
			>
				<span className="flex min-w-0 flex-1 items-center gap-1.5">
					<span className="truncate">{item.label}</span>
					<RestrictedLock access={item.access} />
				</span>
				{item.hint && <span className="max-w-40 truncate text-muted text-sm">{item.hint}</span>}
			</div>
		</>
	);
}
