import RefreshCw from "lucide-react/icons/refresh-cw";
import type { ReactNode, RefObject } from "react";
import { ChartThis } from "../../analytics/chart-this.tsx";
import { CopyMenu } from "../../copying/copy-menu.tsx";
import { type FacetsShown, FacetsToggle } from "../../facets/facets-toggle.tsx";
import { FilterBar } from "../../filtering/filter-bar.tsx";
import { FilterChips } from "../../filtering/filter-chips.tsx";
import type { ChangeSearch } from "../../filtering/filter-values.ts";
import { nextListSearch } from "../../filtering/list-search.ts";
import { present } from "../../lib/search-params.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { IconButton } from "../../ui/button.tsx";
import { ColumnMenu } from "../../ui/column-menu.tsx";
import type { GridArranging } from "../../ui/grid-layout.ts";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import type { ListView } from "../../views/use-list-view.ts";
import { ViewBar } from "../../views/view-bar.tsx";
import type { View } from "./chosen-columns.ts";
import { FilterMenu } from "./filter-menu.tsx";
import type { ListRow } from "./rows.ts";
import type { TracesSearch } from "./search.ts";

export interface ToolbarProps {
	readonly project: string;
	readonly search: TracesSearch & TimeRangeSearch;
	readonly views: ListView;
	/** Absent where there is no room for them. */
	readonly facets: FacetsShown | undefined;
	/** The layout of the columns in this browser. */
	readonly columns: string | undefined;
	readonly change: ChangeSearch<TracesSearch>;
	readonly view: View;
	readonly arranging: GridArranging<ListRow>;
	readonly isStandard: boolean;
	readonly onRefresh: () => void;
	readonly isBusy: boolean;
	readonly error: Error | null;
	readonly searchRef: RefObject<HTMLInputElement | null>;
}

/** Rows, words, filters and columns of the list, on one line while there is room. */
export function Toolbar(props: ToolbarProps): ReactNode {
	const { search, change, view } = props;
	return (
		<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
			{props.facets && <FacetsToggle {...props.facets} />}
			<SegmentedControl
				label={texts.traces.viewLabel}
				value={view}
				onChange={(next) => change((before) => toView(before, next))}
				choices={[
					{ value: "traces", label: texts.traces.roots },
					{ value: "spans", label: texts.traces.spans },
				]}
			/>
			<ViewBar
				list={props.views}
				columns={props.columns}
				onChange={(address, replace) => change(() => address as TracesSearch, replace)}
			/>
			<FilterBar
				target={view === "spans" ? "span" : "trace"}
				label={texts.traces.search}
				search={search}
				onSearch={(typed, isSameStep) =>
					change(
						({ q, filter, ...rest }) => ({ ...rest, ...nextListSearch(present({ q, filter }), typed) }),
						isSameStep,
					)
				}
				error={props.error}
				inputRef={props.searchRef}
			/>
			<FilterMenu search={search} change={change} />
			<FilterChips search={search} change={change} />
			<div className="ml-auto flex items-center">
				<ChartThis project={props.project} of={view} search={search} />
				<CopyMenu copied={{ kind: "list", of: view === "spans" ? "span" : "trace", project: props.project, search }} />
				<IconButton label={texts.traces.refresh} shortcut="r" onClick={props.onRefresh}>
					<RefreshCw size={14} aria-hidden className={props.isBusy ? "motion-safe:animate-spin" : ""} />
				</IconButton>
				<ColumnMenu arranging={props.arranging} isStandard={props.isStandard} />
			</div>
		</div>
	);
}

/** Switching the rows drops kinds, order, columns and the saved view. An expression stays; the field shows errors in it. */
function toView(search: TracesSearch, view: View): TracesSearch {
	const { view: _view, kind: _kind, sort: _sort, cols: _cols, saved: _saved, ...rest } = search;
	return view === "spans" ? { ...rest, view } : rest;
}
