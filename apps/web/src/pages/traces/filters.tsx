import ListFilter from "lucide-react/icons/list-filter";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { formatDuration } from "../../lib/format.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { FilterChip } from "../../ui/chip.tsx";
import { Popover } from "../../ui/popover.tsx";
import { spanKind } from "../../ui/span-kind.tsx";
import { type ChangeSearch, hasFilters, LISTS, removeValue, withoutFilters } from "./filter-values.ts";
import type { TracesSearch } from "./search.ts";

const FilterForm = lazy(async () => ({ default: (await import("./filter-form.tsx")).FilterForm }));

/** The active filters, each with a button that removes it. */
export function FilterChips({ search, change }: { search: TracesSearch; change: ChangeSearch }): ReactNode {
	const { min, max, error } = search;
	return (
		<>
			{error && (
				<FilterChip
					field={texts.filter.error}
					value={error === "1" ? texts.filter.errorOnly : texts.filter.withoutError}
					onRemove={() => change(({ error: _removed, ...rest }) => rest)}
				/>
			)}
			{(min !== undefined || max !== undefined) && (
				<FilterChip
					field={texts.filter.latency}
					value={latencyText(min, max)}
					onRemove={() => change(({ min: _min, max: _max, ...rest }) => rest)}
				/>
			)}
			{search.filter && search.q && (
				<FilterChip
					field={texts.filter.words}
					value={search.q}
					onRemove={() => change(({ q: _removed, ...rest }) => rest)}
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

/** The button that opens the form with all filters. */
export function FilterMenu({ search, change }: { search: TracesSearch; change: ChangeSearch }): ReactNode {
	const [open, setOpen] = useState(false);
	return (
		<Popover
			label={texts.filter.addTitle}
			open={open}
			onOpenChange={setOpen}
			className="w-80"
			trigger={
				<button type="button" className={buttonClass("plain")}>
					<ListFilter size={14} aria-hidden />
					{texts.filter.add}
				</button>
			}
		>
			<Suspense>
				<FilterForm
					search={search}
					onApply={(next) => {
						setOpen(false);
						change(() => next);
					}}
				/>
			</Suspense>
		</Popover>
	);
}
