import type { RefObject } from "react";
import { type Shortcut, useShortcuts } from "../../lib/shortcuts.tsx";
import { compareTracesTexts } from "../../texts/compare-traces-en.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { TRACE_TABS, type TraceTab } from "./trace-tab.ts";
import type { TraceTree } from "./trace-tree.ts";
import { moveInTree } from "./tree-rows.ts";
import type { TraceZoom } from "./use-trace-zoom.ts";

export interface TraceShortcuts {
	/** The keys apply only while the focus is in here; absent: on the whole page. */
	readonly root: RefObject<HTMLElement | null> | undefined;
	readonly detail: RefObject<HTMLElement | null>;
	readonly search: RefObject<HTMLInputElement | null>;
	readonly tree: TraceTree;
	readonly visible: Int32Array;
	readonly collapsed: ReadonlySet<string>;
	readonly selected: number;
	readonly onSelect: (position: number) => void;
	readonly onToggle: (position: number) => void;
	readonly onToggleAll: () => void;
	/** Folds or unfolds the repeated siblings of the selected span. */
	readonly onToggleRepeated: () => void;
	/** Absent when no span failed. */
	readonly onError: ((direction: 1 | -1) => void) | undefined;
	readonly onCriticalPath: () => void;
	readonly onGraph: () => void;
	readonly zoom: TraceZoom;
	readonly onMatch: ((direction: 1 | -1) => void) | undefined;
	/** Opens annotating, for the span or the whole trace, or to write a note. */
	readonly onAnnotate: (what: "span" | "trace" | "note") => void;
	/** The keys that otherwise work on the whole page apply in the trace only. */
	readonly isPart: boolean;
	/** Asks for a trace to compare this one with. */
	readonly onCompare: () => void;
	readonly onTab: (tab: TraceTab) => void;
	readonly onClose: (() => void) | undefined;
}

/** The shortcuts of a trace. Arrow keys scroll the details while these have the focus. */
export function useTraceShortcuts(view: TraceShortcuts): void {
	const inDetail = (event: KeyboardEvent) =>
		event.target instanceof Node && view.detail.current?.contains(event.target);
	const move = (event: KeyboardEvent) => {
		if (event.key.length > 1 && inDetail(event)) return false;
		const step = moveInTree(view.tree, view.visible, view.collapsed, view.selected, event.key);
		if (!step) return view.tree.length > 0;
		if ("to" in step) view.onSelect(step.to);
		else view.onToggle("collapse" in step ? step.collapse : step.expand);
		return true;
	};
	const when = (action: (() => void) | undefined) => () => {
		action?.();
		return action !== undefined;
	};
	const shortcuts: Shortcut[] = [
		{ keys: ["ArrowDown", "j"], label: texts.shortcuts.down, run: move },
		{ keys: ["ArrowUp", "k"], label: texts.shortcuts.up, run: move },
		{ keys: ["ArrowLeft"], label: texts.shortcuts.collapse, run: move },
		{ keys: ["ArrowRight"], label: texts.shortcuts.expand, run: move },
		{ keys: ["Home"], label: texts.shortcuts.first, run: move },
		{ keys: ["End"], label: texts.shortcuts.last, run: move },
		{ keys: ["PageDown", "PageUp"], label: texts.shortcuts.down, run: move, hidden: true },
		{
			keys: ["Enter"],
			label: texts.shortcuts.detail,
			run: (event) => {
				const target = event.target instanceof Element ? event.target : undefined;
				if (target?.closest("button, a, summary, input") || inDetail(event)) return false;
				view.detail.current?.focus();
				return true;
			},
		},
		{
			keys: ["/"],
			label: texts.shortcuts.search,
			run: () => {
				view.search.current?.focus();
				view.search.current?.select();
				return true;
			},
		},
		{
			keys: ["n"],
			label: texts.shortcuts.match,
			run: (event) => {
				if (view.onMatch) view.onMatch(event.shiftKey ? -1 : 1);
				else view.onAnnotate("note");
				return true;
			},
		},
		{ keys: ["x"], label: texts.shortcuts.all, run: when(view.onToggleAll) },
		{ keys: ["h"], label: texts.shortcuts.repeated, run: when(view.onToggleRepeated) },
		{
			keys: ["f"],
			label: texts.shortcuts.error,
			run: (event) => {
				view.onError?.(event.shiftKey ? -1 : 1);
				return view.onError !== undefined;
			},
		},
		{ keys: ["l"], label: texts.shortcuts.criticalPath, run: when(view.onCriticalPath) },
		{ keys: ["g"], label: texts.shortcuts.graph, run: when(view.onGraph) },
		{
			keys: ["z"],
			label: texts.shortcuts.zoom,
			run: (event) => (event.shiftKey ? view.zoom.showAll() : view.zoom.showSpan()),
		},
		{ keys: ["+"], label: texts.shortcuts.zoomIn, run: view.zoom.zoomIn },
		{ keys: ["-"], label: texts.shortcuts.zoomOut, run: view.zoom.zoomOut },
		...TRACE_TABS.map((tab, index) => ({
			keys: [String(index + 1)],
			label: texts.shortcuts.tab(texts.tab[tab]),
			run: () => {
				view.onTab(tab);
				return true;
			},
		})),
	];
	if (view.onClose) shortcuts.push({ keys: ["Escape"], label: texts.shortcuts.close, run: when(view.onClose) });
	// Also while the focus is in the list beside.
	useShortcuts({
		title: texts.shortcuts.title,
		...(view.isPart && view.root ? { within: view.root } : {}),
		shortcuts: [
			{
				keys: ["e"],
				label: texts.shortcuts.annotate,
				run: (event) => view.onAnnotate(event.shiftKey ? "trace" : "span"),
			},
			{ keys: ["c"], label: compareTracesTexts.shortcuts.compare, run: view.onCompare },
		],
	});
	useShortcuts({ title: texts.shortcuts.title, shortcuts, ...(view.root ? { within: view.root } : {}) });
}
