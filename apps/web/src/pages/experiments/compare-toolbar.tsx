import type { ReactNode } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { Button } from "../../ui/button.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Select } from "../../ui/select.tsx";
import type { CompareSearch } from "./search.ts";

const TEXTS = dataTexts.compare;

export interface CompareToolbarProps {
	readonly search: CompareSearch;
	readonly metrics: readonly string[];
	/** The metric that determines the order. */
	readonly metric: string | undefined;
	/** Whether there is only one experiment, so that nothing can be worse. */
	readonly isAlone: boolean;
	readonly onChange: (change: { [K in keyof CompareSearch]?: CompareSearch[K] | undefined }) => void;
}

export function CompareToolbar({ search, metrics, metric, isAlone, onChange }: CompareToolbarProps): ReactNode {
	if (isAlone && metrics.length < 2) return null;
	return (
		<div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
			{!isAlone && (
				<SegmentedControl
					label={TEXTS.sort}
					value={search.sort ?? "regression"}
					onChange={(sort) => onChange(sort === "example" ? { sort, only: undefined } : { sort: undefined })}
					choices={[
						{ value: "regression", label: TEXTS.sortRegression },
						{ value: "example", label: TEXTS.sortExample },
					]}
				/>
			)}
			{metrics.length > 1 && metric !== undefined && (
				<Select
					label={TEXTS.sortMetric}
					value={metric}
					onChange={(next) => onChange({ metric: next })}
					choices={metrics.map((name) => ({ value: name, label: name }))}
					className="max-w-48"
				/>
			)}
			{!isAlone && (
				<Button
					aria-pressed={search.only !== undefined}
					className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
					onClick={() => onChange(search.only ? { only: undefined } : { only: "regressions", sort: undefined })}
				>
					{TEXTS.onlyRegressions}
				</Button>
			)}
		</div>
	);
}
