import ChevronDown from "lucide-react/icons/chevron-down";
import ChevronUp from "lucide-react/icons/chevron-up";
import ListChevronsDownUp from "lucide-react/icons/list-chevrons-down-up";
import ListChevronsUpDown from "lucide-react/icons/list-chevrons-up-down";
import { type ReactNode, useEffect, useRef } from "react";
import { formatInteger, formatPercent } from "../../../lib/format.ts";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import { IconButton } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { SegmentedControl } from "../../../ui/segmented-control.tsx";
import { SplitPane } from "../split-pane.tsx";
import type { Alignment } from "./align-traces.ts";
import { AlignedPane } from "./aligned-pane.tsx";
import type { ComparedRows } from "./compare-rows.ts";
import { PairPane } from "./pair-pane.tsx";
import { useCompareShortcuts } from "./use-compare-shortcuts.ts";
import { type ChosenRow, useComparedRows } from "./use-compared-rows.ts";
import type { Comparison } from "./use-comparison.ts";

export interface CompareViewProps {
	readonly comparison: Comparison;
	readonly aligned: { readonly alignment: Alignment; readonly compared: ComparedRows };
	readonly chosen: ChosenRow;
	readonly onlyDifferences: boolean;
	readonly onChosen: (row: ChosenRow) => void;
	readonly onOnlyDifferences: (only: boolean) => void;
	readonly onSwap: () => void;
}

/** The aligned rows on the left, the spans of the selected row on the right. */
export function CompareView(props: CompareViewProps): ReactNode {
	const { comparison, aligned, onlyDifferences } = props;
	const { alignment, compared } = aligned;
	const state = useComparedRows(alignment, compared, props.chosen, onlyDifferences, props.onChosen);
	const treeRef = useRef<HTMLDivElement>(null);
	const detailRef = useRef<HTMLDivElement>(null);
	useEffect(() => {
		// Not away from the palette, which may have been opened while the traces were loading.
		if (document.activeElement === document.body) treeRef.current?.focus({ preventScroll: true });
	}, []);
	useCompareShortcuts({ ...props, ...aligned, state, detail: detailRef });
	const rows =
		state.shown.length === 0 ? (
			<EmptyState title={TEXTS.noDifferences} text={TEXTS.noDifferencesText} />
		) : (
			<AlignedPane
				alignment={alignment}
				compared={compared}
				shown={state.shown}
				collapsed={state.collapsed}
				selected={state.selected}
				treeRef={treeRef}
				onSelect={state.select}
				onToggle={state.toggle}
			/>
		);
	return (
		<SplitPane
			left={
				<>
					<Toolbar {...props} state={state} />
					{rows}
				</>
			}
			right={<PairPane ref={detailRef} row={state.row} left={comparison.left} right={comparison.right} />}
		/>
	);
}

function Toolbar({
	comparison,
	aligned: { compared },
	onlyDifferences,
	onOnlyDifferences,
	state,
}: CompareViewProps & { state: ReturnType<typeof useComparedRows> }): ReactNode {
	const hasDifferences = compared.differences.length > 0;
	const anyCollapsed = state.collapsed.size > 0;
	return (
		<div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 px-2 py-1 pointer-coarse:min-h-12">
			<SegmentedControl
				label={TEXTS.show}
				value={onlyDifferences ? "differences" : "all"}
				onChange={(value) => onOnlyDifferences(value === "differences")}
				choices={[
					{ value: "all", label: TEXTS.all },
					{ value: "differences", label: TEXTS.differences },
				]}
			/>
			<p role="status" className="min-w-0 text-muted text-sm">
				{(["same", "changed", "left", "right"] as const)
					.filter((each) => compared.counts[each] > 0)
					.map((each) => TEXTS.counts[each](formatInteger(compared.counts[each])))
					.join(" · ")}
				{comparison.texts === "reading" && ` · ${TEXTS.reading(formatPercent(comparison.textsRead))}`}
				{comparison.texts === "too-large" && ` · ${TEXTS.tooLarge}`}
				{comparison.texts === "failed" && <span className="text-danger">{` · ${TEXTS.textsFailed}`}</span>}
			</p>
			<span className="ml-auto flex items-center">
				<IconButton
					label={TEXTS.previous}
					shortcut="Shift N"
					disabled={!hasDifferences}
					onClick={() => state.goToDifference(-1)}
				>
					<ChevronUp size={16} aria-hidden />
				</IconButton>
				<IconButton label={TEXTS.next} shortcut="N" disabled={!hasDifferences} onClick={() => state.goToDifference(1)}>
					<ChevronDown size={16} aria-hidden />
				</IconButton>
				<IconButton label={anyCollapsed ? traceTexts.expandAll : traceTexts.collapseAll} onClick={state.toggleAll}>
					{anyCollapsed ? <ListChevronsUpDown size={16} aria-hidden /> : <ListChevronsDownUp size={16} aria-hidden />}
				</IconButton>
			</span>
		</div>
	);
}
