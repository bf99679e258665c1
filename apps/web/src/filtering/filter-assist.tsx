import { FilterError, type FilterProblem, type FilterTarget, parseFilter } from "@spanward/filter-language";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import { configsQuery } from "../annotating/queries.ts";
import { useAnnotationNames } from "../annotating/use-annotation-names.ts";
import { classNames } from "../ui/class-names.ts";
import { attributeKeysQuery } from "./attribute-keys-query.ts";
import { type Completions, completionsAt, type Option } from "./completions.ts";
import type { KeyHandler, ListState } from "./filter-bar.tsx";
import { filteringTexts } from "./filtering-en.ts";
import type { KnownValues } from "./known-values.ts";
import type { ListSearch } from "./list-search.ts";
import { sampledValuesQuery } from "./sampled-values-query.ts";

/** The error in a text or, without one, a warning about a probable mistake. */
function parserFinding(target: FilterTarget, text: string): { problem?: FilterProblem; hint?: FilterProblem } {
	try {
		const [hint] = parseFilter(target, text).hints;
		return hint ? { hint } : {};
	} catch (error) {
		if (error instanceof FilterError) return { problem: error };
		throw error;
	}
}

/** The search that a text stands for, or the error in it. */
export function readFilter(target: FilterTarget, text: string): ListSearch | { readonly problem: FilterProblem } {
	try {
		const { condition, text: words } = parseFilter(target, text);
		// The server removes quotes around words only in `filter`.
		return condition === undefined && words === text ? { q: text } : { filter: text };
	} catch (error) {
		if (error instanceof FilterError) return { problem: error };
		throw error;
	}
}

/** What a key press has chosen to show at the caret; without one it depends on the text. */
type Shows = "options" | "problem" | "nothing";

export interface FilterAssistProps {
	readonly id: string;
	readonly target: FilterTarget;
	readonly project: string | undefined;
	readonly text: string;
	readonly caret: number;
	/** Its position counts from the first character that is not a space. */
	readonly problem: FilterProblem | undefined;
	/** Whether the field has the focus. */
	readonly isHelping: boolean;
	readonly put: (text: string, caret: number) => void;
	readonly onKey: RefObject<KeyHandler | null>;
	readonly onList: (state: ListState) => void;
}

/** Help under the search field: the error in the filter, or options at the caret. */
export function FilterAssist(props: FilterAssistProps): ReactNode {
	const { id, target, text, caret, problem, isHelping, put, onKey, onList } = props;
	const known = useKnownValues(props.project);
	const completions = useMemo(() => completionsAt(target, text, caret, known), [target, text, caret, known]);
	const found = useMemo(() => parserFinding(target, text.trim()), [target, text]);
	// The parser finds the same errors as the server, with the exact position.
	const shown = problem ? (found.problem ?? problem) : isHelping ? found.hint : undefined;
	const position = `${text} ${caret}`;
	const [pressed, setPressed] = useState<{ readonly position: string; readonly shows: Shows } | undefined>();
	if (pressed && pressed.position !== position) setPressed(undefined);
	const shows = pressed?.position === position ? pressed.shows : undefined;
	const show = (next: Shows) => setPressed({ position, shows: next });
	const isShown = shown !== undefined && shows !== "nothing";
	const [choice, setChoice] = useState({ position, at: -1 });
	const { options } = completions;
	const isWanted = shows === "options" || (shows === undefined && completions.isOffered);
	const isOpen = isHelping && isWanted && options.length > 0;
	const chosen = choice.position === position ? choice.at : -1;
	const optionId = (at: number) => `${id}-option-${at}`;
	const chosenId = isOpen && chosen >= 0 ? optionId(chosen) : undefined;
	useEffect(() => {
		onList({ isOpen, chosen: chosenId });
		return () => onList({ isOpen: false });
	}, [onList, isOpen, chosenId]);

	const accept = (option: Option | undefined) => {
		if (option) put(...written(text, completions, option));
	};
	const lead = text.length - text.trimStart().length;
	const fix = (suggestion: string) => {
		if (!shown) return;
		const start = shown.position + lead;
		put(text.slice(0, start) + suggestion + text.slice(start + shown.length), start + suggestion.length);
	};
	useImperativeHandle(
		onKey,
		(): KeyHandler => (event) => {
			const isDone = onPress(event.key, event.shiftKey);
			if (isDone) event.preventDefault();
			return isDone;
		},
	);
	const onPress = (key: string, withShift: boolean): boolean => {
		if (!isOpen) {
			const first = problem && isShown ? shown?.suggestions[0] : undefined;
			if (key === "Enter" && first !== undefined) fix(first);
			else if (key === "ArrowDown" && options.length > 0) show("options");
			else {
				if (key === "Enter") show("problem");
				if (key === "Escape") show("nothing");
				return key === "Escape" && isShown;
			}
			return true;
		}
		const { length } = options;
		if (key === "ArrowDown") setChoice({ position, at: (chosen + 1) % length });
		else if (key === "ArrowUp") setChoice({ position, at: (Math.max(chosen, 0) - 1 + length) % length });
		else if (key === "Enter" && chosen >= 0) accept(options[chosen]);
		else if (key === "Tab" && !withShift) accept(options[Math.max(chosen, 0)]);
		else if (key === "Escape") show("nothing");
		else {
			if (key === "Enter") show("problem");
			return false;
		}
		return true;
	};
	if (!isOpen && !isShown) return <Count n={0} />;
	return (
		<div
			className="popup-surface absolute top-full left-0 z-40 mt-1 w-max min-w-full max-w-[min(36rem,calc(100vw-24px))]"
			// Keeps the focus in the field.
			onPointerDown={(event) => event.preventDefault()}
		>
			{isOpen ? (
				<Options {...{ id, options, chosen, optionId, accept }} />
			) : (
				shown && (
					<Problem
						{...{ id, fix }}
						problem={shown}
						text={text.trim()}
						isError={!!problem}
						canEnter={isHelping && !!problem}
					/>
				)
			)}
			<Count n={isOpen ? options.length : 0} />
		</div>
	);
}

function useKnownValues(given: string | undefined): KnownValues {
	const params = useParams({ strict: false });
	const project = given ?? params.project;
	const { data: configs } = useQuery(configsQuery);
	const { data: sampled } = useQuery({ ...sampledValuesQuery(project ?? ""), enabled: project !== undefined });
	const { data: keys } = useQuery({ ...attributeKeysQuery(project ?? "", "spans"), enabled: project !== undefined });
	const named = useAnnotationNames(project ?? "", project !== undefined);
	return useMemo(() => {
		const labels = new Map<string, readonly string[]>(named.map(({ name }) => [name, []]));
		for (const config of configs ?? [])
			labels.set(config.name, config.type === "CATEGORICAL" ? config.values.map(({ label }) => label) : []);
		const resources = keys?.filter((each) => each.in === "resource").map(({ key }) => key);
		return { annotations: [...labels].map(([name, labels]) => ({ name, labels })), sampled, resources };
	}, [configs, named, sampled, keys]);
}

function Count({ n }: { n: number }): ReactNode {
	return (
		<span role="status" className="sr-only">
			{n > 0 && filteringTexts.count(n)}
		</span>
	);
}

/** The text with an option inserted, and the position of the caret. */
function written(text: string, { from, to }: Completions, option: Option): [string, number] {
	const before = text.slice(0, from);
	const space = /[\w)\]'"]$/.test(before) && option.type === filteringTexts.completions.types.operator ? " " : "";
	const start = before + space;
	return [start + option.text + text.slice(to), start.length + (option.caret ?? option.text.length)];
}

function Options(props: {
	readonly id: string;
	readonly options: readonly Option[];
	readonly chosen: number;
	readonly optionId: (at: number) => string;
	readonly accept: (option: Option) => void;
}): ReactNode {
	const { id, options, chosen, optionId, accept } = props;
	const current = useRef<HTMLDivElement | null>(null);
	useEffect(() => {
		if (chosen >= 0) current.current?.scrollIntoView({ block: "nearest" });
	}, [chosen]);
	return (
		<>
			<div
				id={`${id}-list`}
				role="listbox"
				aria-label={filteringTexts.suggestions}
				className="max-h-72 overflow-y-auto p-1"
			>
				{options.map((option, at) => (
					// biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
					<div
						key={option.label}
						ref={at === chosen ? current : undefined}
						id={optionId(at)}
						role="option"
						tabIndex={-1}
						aria-selected={at === chosen}
						onClick={() => accept(option)}
						className="flex min-h-7 cursor-default items-baseline gap-3 rounded px-2 py-1 hover:bg-hover aria-selected:bg-accent-soft"
					>
						<span className="mr-auto whitespace-nowrap font-mono text-sm max-sm:whitespace-normal">{option.label}</span>
						<span className="shrink truncate text-muted text-sm max-sm:hidden">{option.description}</span>
						<span className="w-16 shrink-0 text-right text-muted text-sm">{option.type}</span>
					</div>
				))}
			</div>
			<p className="border-line border-t px-3 py-1 text-muted text-sm">{filteringTexts.keys}</p>
		</>
	);
}

/** Characters of the filter shown around the position of the error. */
const AROUND = 40;

function Problem(props: {
	readonly id: string;
	readonly problem: FilterProblem;
	readonly text: string;
	/** Otherwise a hint, which does not prevent the search. */
	readonly isError: boolean;
	readonly canEnter: boolean;
	readonly fix: (suggestion: string) => void;
}): ReactNode {
	const { id, problem, text, isError, canEnter, fix } = props;
	const { position, length, message, suggestions } = problem;
	const end = position + length;
	const start = Math.max(0, position - AROUND);
	return (
		<div className="flex flex-col gap-1.5 px-3 py-2">
			<p
				id={`${id}-problem`}
				role={isError ? "alert" : "status"}
				className={classNames("[overflow-wrap:anywhere]", isError ? "text-danger" : "text-warn")}
			>
				{message}
			</p>
			<p className="overflow-hidden whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">
				{start > 0 && "…"}
				{text.slice(start, position)}
				<mark
					className={classNames(
						"underline decoration-wavy underline-offset-4 data-[empty=true]:px-1",
						isError ? "bg-danger-soft text-danger" : "bg-warn-soft text-warn",
					)}
					data-empty={position >= text.length}
				>
					{text.slice(position, Math.min(end, position + AROUND * 2)) || " "}
				</mark>
				{text.slice(end, end + AROUND)}
				{end + AROUND < text.length && "…"}
			</p>
			{suggestions.length > 0 && (
				<p className="flex flex-wrap items-center gap-1.5">
					{suggestions.map((suggestion) => (
						<button
							key={suggestion}
							type="button"
							onClick={() => fix(suggestion)}
							className="h-6 rounded border border-line-strong px-2 font-mono text-sm hover:bg-hover"
						>
							{filteringTexts.instead(suggestion)}
						</button>
					))}
					{canEnter && <span className="text-muted text-sm">{filteringTexts.enterFixes}</span>}
				</p>
			)}
		</div>
	);
}
