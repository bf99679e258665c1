import type { Facet } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { withCondition } from "../filtering/conditions.ts";
import { conditionOf } from "../filtering/list-condition.ts";
import { refusalOf } from "../filtering/refusal.ts";
import type { RowFilters } from "../filtering/row-filters.ts";
import type { TimeRangeSearch } from "../lib/time-range.ts";
import { ErrorState } from "../ui/error-state.tsx";
import { type Choice, choiceOf, intoFilter, toggled, withChoice } from "./choices.ts";
import { COUNTED, FACETS, type FacetRows, pinnedField, TARGETS } from "./facet-fields.ts";
import { FacetSection, FEW } from "./facet-section.tsx";
import { facetsTexts as TEXTS } from "./facets-en.ts";
import { PinMenu } from "./pin-menu.tsx";
import { facetsQuery } from "./queries.ts";
import { usePinned } from "./shown-facets.ts";

export interface FacetsPanelProps<Search extends RowFilters> {
	readonly project: string;
	readonly of: FacetRows;
	readonly search: Search;
	readonly range: TimeRangeSearch;
	/** What the counts do not regard, besides words. */
	readonly note?: string | undefined;
	/** What all counted rows have in common that the search does not say. */
	readonly within?: string;
	readonly change: (change: (before: Search) => Search) => void;
}

/** The values of the rows that a list shows, with how many rows have each; they are filters to click on. */
export function FacetsPanel<Search extends RowFilters>(props: FacetsPanelProps<Search>): ReactNode {
	const { project, of, search, range, note, within, change } = props;
	const { keys, isFull, pin, unpin } = usePinned(of);
	const pinned = keys.map((key) => ({ key, field: pinnedField(key) }));
	const fields = [...FACETS[of], ...pinned.map(({ field }) => field)];
	const { condition, words } = conditionOf(TARGETS[of], intoFilter(of, search, fields));
	const ofList = within === undefined ? condition : withCondition(condition, within);
	const filter = ofList ?? words;
	const asked = { project, of: COUNTED[of], filter, range };
	const { data, error, isPlaceholderData, refetch } = useQuery(
		facetsQuery({ ...asked, fields: fields.map(({ name }) => name), limit: FEW }),
	);
	if (error && filter !== undefined && refusalOf(error, filter))
		return <p className="p-4 text-muted">{TEXTS.unread}</p>;
	if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
	const facets = new Map(data?.map((facet) => [facet.field, facet]));
	const isEmpty = data !== undefined && !isPlaceholderData && data.every(({ values }) => values.length === 0);
	const section = (field: (typeof fields)[number], key?: string) => (
		<FacetSection
			key={`${of} ${field.name}`}
			field={field}
			facet={facets.get(field.name)}
			choice={choiceOf(of, search, field)}
			asked={asked}
			onChoose={(value, isExcluded) =>
				change((before) => withChoice(of, before, field, toggled(choiceOf(of, before, field), value, isExcluded)))
			}
			onUnpin={key === undefined ? undefined : () => unpin(key)}
		/>
	);
	return (
		<>
			{ofList !== undefined && words !== undefined && (
				<p className="border-line border-b px-3.5 py-2 text-muted text-sm">{TEXTS.words(words)}</p>
			)}
			{note !== undefined && <p className="border-line border-b px-3.5 py-2 text-muted text-sm">{note}</p>}
			{data?.some((facet) => facet.is_partial) && (
				<p role="status" className="border-line border-b bg-warn-soft px-3.5 py-1.5 text-sm text-warn">
					{TEXTS.partial}
				</p>
			)}
			{isEmpty && <p className="border-line border-b px-3.5 py-2 text-muted text-sm">{TEXTS.noRows}</p>}
			{FACETS[of]
				.filter((field) => isTelling(facets.get(field.name), choiceOf(of, search, field)))
				.map((field) => section(field))}
			{pinned.map(({ key, field }) => section(field, key))}
			{!isFull && <PinMenu project={project} of={of} pinned={keys} onPin={pin} />}
		</>
	);
}

/** Whether a facet is more than rows without a value; true while it loads. */
function isTelling(facet: Facet | undefined, { chosen, excluded }: Choice): boolean {
	const isNamed = chosen.length + excluded.length > 0;
	return facet === undefined || isNamed || facet.values.some(({ value }) => value !== null);
}
