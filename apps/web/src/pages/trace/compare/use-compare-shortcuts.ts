import type { RefObject } from "react";
import { type Shortcut, useShortcuts } from "../../../lib/shortcuts.tsx";
import { compareTracesTexts } from "../../../texts/compare-traces-en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import { moveInRows } from "../tree-rows.ts";
import type { Alignment } from "./align-traces.ts";
import type { ComparedRowsState } from "./use-compared-rows.ts";

export interface CompareShortcuts {
	readonly alignment: Alignment;
	readonly state: ComparedRowsState;
	readonly detail: RefObject<HTMLElement | null>;
	readonly onlyDifferences: boolean;
	readonly onOnlyDifferences: (only: boolean) => void;
	readonly onSwap: () => void;
}

const TEXTS = compareTracesTexts.shortcuts;

/** The keys of a comparison, the same as those of a trace; arrow keys scroll the details while these have the focus. */
export function useCompareShortcuts({ alignment, state, detail, ...view }: CompareShortcuts): void {
	const inDetail = (event: KeyboardEvent) => event.target instanceof Node && detail.current?.contains(event.target);
	const move = (event: KeyboardEvent) => {
		if (event.key.length > 1 && inDetail(event)) return false;
		const step = moveInRows(alignment, state.shown, state.isCollapsed, state.selected, event.key);
		if (!step) return alignment.length > 0;
		if ("to" in step) state.select(step.to);
		else state.toggle("collapse" in step ? step.collapse : step.expand);
		return true;
	};
	const { shortcuts: trace } = traceTexts;
	const shortcuts: Shortcut[] = [
		{ keys: ["ArrowDown", "j"], label: TEXTS.down, run: move },
		{ keys: ["ArrowUp", "k"], label: TEXTS.up, run: move },
		{ keys: ["ArrowLeft"], label: trace.collapse, run: move },
		{ keys: ["ArrowRight"], label: trace.expand, run: move },
		{ keys: ["Home"], label: trace.first, run: move },
		{ keys: ["End"], label: trace.last, run: move },
		{ keys: ["PageDown", "PageUp"], label: TEXTS.down, run: move, hidden: true },
		{
			keys: ["Enter"],
			label: trace.detail,
			run: (event) => {
				const target = event.target instanceof Element ? event.target : undefined;
				if (target?.closest("button, a, summary, input") || inDetail(event)) return false;
				detail.current?.focus();
				return true;
			},
		},
		{ keys: ["n"], label: TEXTS.next, run: (event) => state.goToDifference(event.shiftKey ? -1 : 1) },
		{ keys: ["d"], label: TEXTS.differences, run: () => view.onOnlyDifferences(!view.onlyDifferences) },
		{ keys: ["x"], label: TEXTS.all, run: state.toggleAll },
		{ keys: ["s"], label: TEXTS.swap, run: view.onSwap },
	];
	useShortcuts({ title: TEXTS.title, shortcuts });
}
