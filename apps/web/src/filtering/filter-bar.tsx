import type { FilterProblem, FilterTarget } from "@spanward/filter-language";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import {
	type KeyboardEvent,
	lazy,
	type ReactNode,
	type RefObject,
	Suspense,
	useEffect,
	useId,
	useLayoutEffect,
	useRef,
	useState,
} from "react";
import { loadPart } from "../lib/load-part.ts";
import { texts } from "../texts/en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { SearchInput } from "../ui/input.tsx";
import { Key } from "../ui/keys.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Popover } from "../ui/popover.tsx";
import type { ListSearch } from "./list-search.ts";
import { refusalOf } from "./refusal.ts";

// The parser and the completions are loaded at the first focus.
const loadAssist = () =>
	loadPart(() => import("./filter-assist.tsx")).catch((error: unknown) => {
		console.warn("the help for filters did not load", error);
		return undefined;
	});
const FilterAssist = lazy(async () => ({ default: (await loadAssist())?.FilterAssist ?? (() => null) }));
const FilterExamples = lazyPart(() => import("./filter-examples.tsx"), "FilterExamples");

const TYPING_MS = 300;
/** Delay of the search while field names are offered, as the text is probably not finished. */
const CHOOSING_MS = 1_200;
const MAX_LENGTH = 10_000;

export interface FilterBarProps {
	/** What the list contains. */
	readonly target: FilterTarget;
	readonly label: string;
	/** The current search of the list. */
	readonly search: ListSearch;
	/**
	 * Called with words or a valid expression, when typing pauses and at once on Enter. Searches until the field loses the
	 * focus are one step of Back: all but the first are `isSameStep`.
	 */
	readonly onSearch: (search: ListSearch, isSameStep: boolean) => void;
	/** The error of the list's request. */
	readonly error: Error | null;
	readonly inputRef: RefObject<HTMLInputElement | null>;
	/** The project whose names and values are offered; that of the address when absent. */
	readonly project?: string | undefined;
	/** Whether the key `/` leads here, which the field then says. */
	readonly hasKey?: boolean;
}

/** The text in the field and where the caret is. */
export interface Typed {
	readonly text: string;
	readonly caret: number;
}

/** What is shown under the field, for its ARIA attributes. */
export interface ListState {
	readonly isOpen: boolean;
	/** Id of the chosen option. */
	readonly chosen?: string | undefined;
}

/** Handles a key for the help under the field. @returns whether the key was handled */
export type KeyHandler = (event: KeyboardEvent<HTMLInputElement>) => boolean;

const CLOSED: ListState = { isOpen: false };

/** The search field over a list: words, or an expression of the filter language. */
export function FilterBar({
	target,
	label,
	search,
	onSearch,
	error,
	inputRef,
	project,
	hasKey = true,
}: FilterBarProps): ReactNode {
	const applied = search.filter ?? search.q ?? "";
	const id = useId();
	const [{ text, caret }, setTyped] = useState<Typed>({ text: applied, caret: applied.length });
	const [shown, setShown] = useState(applied);
	const [sent, setSent] = useState<string | undefined>();
	const [isHelping, setHelping] = useState(false);
	const [isExplained, setExplained] = useState(false);
	const [list, setList] = useState(CLOSED);
	const [found, setFound] = useState<{ readonly of: string; readonly problem: FilterProblem } | undefined>();
	const onKey = useRef<KeyHandler | null>(null);
	const toCaret = useRef<number | undefined>(undefined);
	const escapes = useRef(0);
	const hasAsked = useRef(false);
	// The own search arriving in the address must not overwrite what was typed meanwhile.
	if (shown !== applied) {
		setShown(applied);
		setSent(undefined);
		if (applied !== sent) setTyped({ text: applied, caret: applied.length });
	}
	const of = `${target} ${text.trim()}`;
	const refusal = text.trim() === applied ? refusalOf(error, applied) : undefined;
	const problem = found?.of === of ? found.problem : refusal;
	const put = (next: string, at: number) => {
		toCaret.current = at;
		setTyped({ text: next, caret: at });
		inputRef.current?.focus();
	};
	useLayoutEffect(() => {
		if (toCaret.current === undefined) return;
		inputRef.current?.setSelectionRange(toCaret.current, toCaret.current);
		toCaret.current = undefined;
	});
	const ask = (next: ListSearch) => {
		setSent(next.filter ?? next.q ?? "");
		onSearch(next, hasAsked.current);
		hasAsked.current = true;
	};
	const read = async (isWanted: () => boolean) => {
		const trimmed = text.trim();
		if (trimmed === applied || trimmed === sent) return;
		if (trimmed === "") return ask({});
		// Without the parser, the server distinguishes words from expressions.
		const result = (await loadAssist())?.readFilter(target, trimmed) ?? { filter: trimmed };
		if (!isWanted()) return;
		if ("problem" in result) setFound({ of, problem: result.problem });
		else ask(result);
	};
	const latest = useRef({ text, read });
	useEffect(() => {
		latest.current = { text, read };
	});
	const readNow = (typed: string) => {
		latest.current.read(() => latest.current.text === typed).catch(warn);
	};
	useEffect(() => {
		const timer = setTimeout(readNow, list.isOpen ? CHOOSING_MS : TYPING_MS, text);
		return () => clearTimeout(timer);
	}, [text, target, list.isOpen]);
	const clear = () => {
		put("", 0);
		if (applied !== "") ask({});
	};
	const onKeyDown: KeyHandler = (event) => {
		if (event.nativeEvent.isComposing) return false;
		if (event.key === "Escape") {
			event.preventDefault();
			event.stopPropagation();
			escapes.current += 1;
			if (onKey.current?.(event)) return true;
			if (text === "") event.currentTarget.blur();
			else if (escapes.current > 1) clear();
			return true;
		}
		escapes.current = 0;
		if (onKey.current?.(event)) return true;
		if (event.key === "Enter") readNow(text);
		return false;
	};
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: only follows the focus
		<div
			className="relative flex min-w-40 max-w-2xl flex-1 basis-64 items-center"
			onBlur={({ currentTarget, relatedTarget }) => {
				if (currentTarget.contains(relatedTarget)) return;
				setHelping(false);
				hasAsked.current = false;
			}}
		>
			<SearchInput
				ref={inputRef}
				type="text"
				role="combobox"
				aria-autocomplete="list"
				aria-expanded={list.isOpen}
				aria-controls={list.isOpen ? `${id}-list` : undefined}
				aria-activedescendant={list.isOpen ? list.chosen : undefined}
				aria-invalid={problem !== undefined}
				aria-describedby={isHelping && problem && !list.isOpen ? `${id}-problem` : undefined}
				label={label}
				placeholder={label}
				icon={<Search size={14} aria-hidden />}
				value={text}
				maxLength={MAX_LENGTH}
				onChange={({ target: field }) =>
					setTyped({ text: field.value, caret: field.selectionStart ?? field.value.length })
				}
				onSelect={({ currentTarget: field }) => {
					const at = field.selectionStart ?? field.value.length;
					setTyped((before) => (before.caret === at ? before : { ...before, caret: at }));
				}}
				onFocus={() => setHelping(true)}
				onKeyDown={(event) => void onKeyDown(event)}
				after={hasKey && text === "" && <Key name="/" />}
				className={text === "" ? "" : "pr-7"}
				boxClassName="w-full"
			/>
			{text !== "" && (
				<button
					type="button"
					aria-label={texts.filter.clearText}
					onClick={clear}
					className="absolute right-9 flex size-6 items-center justify-center rounded text-muted hover:text-ink"
				>
					<X size={13} aria-hidden />
				</button>
			)}
			<Popover
				label={texts.filter.examples}
				open={isExplained}
				onOpenChange={setExplained}
				className="w-[34rem]"
				trigger={
					<button
						type="button"
						aria-label={texts.filter.examples}
						title={texts.filter.examples}
						className={buttonClass("quiet", "ml-1 w-7 px-0 text-muted")}
					>
						?
					</button>
				}
			>
				<Suspense>
					<FilterExamples
						target={target}
						onChoose={(example) => {
							setExplained(false);
							put(example, example.length);
						}}
					/>
				</Suspense>
			</Popover>
			{(isHelping || refusal) && (
				<Suspense>
					<FilterAssist {...{ id, target, project, text, caret, problem, isHelping, put, onKey }} onList={setList} />
				</Suspense>
			)}
		</div>
	);
}

function warn(error: unknown): void {
	console.warn("reading the filter failed", error);
}
