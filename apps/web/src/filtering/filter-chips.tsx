import type { ReactNode } from "react";
import { formatDuration } from "../lib/format.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { FilterChip } from "../ui/chip.tsx";
import { spanKind } from "../ui/span-kind.tsx";
import { type ChangeSearch, hasFilters, LISTS, removeValue, without, withoutFilters } from "./filter-values.ts";
import type { RowFilters } from "./row-filters.ts";

/** The active filters, each with a button that removes it. */
export function FilterChips<S extends RowFilters>({
	search,
	change,
}: {
	search: S;
	change: ChangeSearch<S>;
}): ReactNode {
	const { min, max, error } = search;
	return (
		<>
			{error && (
				<FilterChip
					field={texts.filter.error}
					value={error === "1" ? texts.filter.errorOnly : texts.filter.withoutError}
					onRemove={() => change((before) => without(before, ["error"]))}
				/>
			)}
			{(min !== undefined || max !== undefined) && (
				<FilterChip
					field={texts.filter.latency}
					value={latencyText(min, max)}
					onRemove={() => change((before) => without(before, ["min", "max"]))}
				/>
			)}
			{search.filter && search.q && (
				<FilterChip
					field={texts.filter.words}
					value={search.q}
					onRemove={() => change((before) => without(before, ["q"]))}
				/>
			)}
			{LISTS.flatMap((field) =>
				(search[field] ?? []).map((value) => (
					<FilterChip
						key={`${field} ${value}`}
						field={texts.filter[field]}
						value={field === "kind" ? texts.kind[spanKind(value)] : value}
						onRemove={() => change((before) => removeValue(before, field, value))}
					/>
				)),
			)}
			{hasFilters(search) && (
				<Button look="quiet" className="h-6 text-muted text-sm" onClick={() => change(withoutFilters)}>
					{texts.filter.clear}
				</Button>
			)}
		</>
	);
}

function latencyText(min: number | undefined, max: number | undefined): string {
	if (min === undefined) return texts.filter.atMost(formatDuration(max));
	if (max === undefined) return texts.filter.atLeast(formatDuration(min));
	return texts.filter.between(formatDuration(min), formatDuration(max));
}
