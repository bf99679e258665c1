import type { Facet } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import PinOff from "lucide-react/icons/pin-off";
import { type ReactNode, useId, useState } from "react";
import { formatInteger } from "../lib/format.ts";
import { useDebounced } from "../lib/use-debounced.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { errorText } from "../ui/error-state.tsx";
import { Input } from "../ui/input.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { spanKind } from "../ui/span-kind.tsx";
import type { Choice, FacetValue } from "./choices.ts";
import type { FacetField } from "./facet-fields.ts";
import { FacetValueRow, type ValueState } from "./facet-value.tsx";
import { facetsTexts as TEXTS } from "./facets-en.ts";
import { type FacetsAsked, facetsQuery } from "./queries.ts";

/** Values that are shown at first, and those that are asked for when more are. */
export const FEW = 6;
const MANY = 100;
const TYPING_MS = 300;

export interface FacetSectionProps {
	readonly field: FacetField;
	/** Undefined while it loads. */
	readonly facet: Facet | undefined;
	readonly choice: Choice;
	readonly asked: Omit<FacetsAsked, "fields" | "limit">;
	readonly onChoose: (value: FacetValue, isExcluded: boolean) => void;
	/** Present where it was pinned. */
	readonly onUnpin?: (() => void) | undefined;
}

/** The values of one field: first those that the filter names, then the most frequent ones. */
export function FacetSection(props: FacetSectionProps): ReactNode {
	const { field, facet, choice, onChoose, onUnpin } = props;
	const id = useId();
	const [isOpen, setOpen] = useState(false);
	const title = titleOf(field);
	const values = facet?.values ?? [];
	const hasMore = facet !== undefined && facet.distinct > values.length;
	return (
		<section aria-labelledby={id} className="border-line border-b px-2 py-2">
			<div className="mb-1 flex h-6 items-center gap-1 px-1.5">
				<h3 id={id} title={title} className="min-w-0 flex-1 truncate font-medium">
					{title}
				</h3>
				{onUnpin && (
					<button
						type="button"
						aria-label={TEXTS.unpin(title)}
						title={TEXTS.unpin(title)}
						onClick={onUnpin}
						className="flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
					>
						<PinOff size={12} aria-hidden />
					</button>
				)}
			</div>
			{isOpen ? (
				<AllValues {...props} title={title} />
			) : facet === undefined ? (
				<ValueSkeletons />
			) : (
				<Values field={field} values={values} isPartial={facet.is_partial} choice={choice} onChoose={onChoose} />
			)}
			{(hasMore || isOpen) && (
				<Button
					look="quiet"
					aria-expanded={isOpen}
					className="h-6 px-1.5 text-muted text-sm"
					onClick={() => setOpen(!isOpen)}
				>
					{isOpen ? TEXTS.fewer : TEXTS.more}
					{!isOpen && facet && <span className="sr-only">{TEXTS.values(formatInteger(facet.distinct))}</span>}
				</Button>
			)}
		</section>
	);
}

export function titleOf({ name, compared }: FacetField): string {
	return TEXTS.field[name] ?? /\['(.*)'\]$/s.exec(compared)?.[1] ?? compared;
}

function ValueSkeletons(): ReactNode {
	return (
		<div role="status" aria-label={texts.state.loading} className="flex flex-col gap-3 px-1.5 py-1.5">
			{["w-4/5", "w-1/2", "w-2/3"].map((width) => (
				<Skeleton key={width} className={width} />
			))}
		</div>
	);
}

/** As many values as there may be, found by a part of them. */
function AllValues({ field, choice, asked, onChoose, title }: FacetSectionProps & { title: string }): ReactNode {
	const [typed, setTyped] = useState("");
	const contains = useDebounced(typed.trim(), TYPING_MS);
	const query = useQuery(facetsQuery({ ...asked, fields: [field.name], limit: MANY, contains }));
	const facet = query.data?.[0];
	return (
		<>
			<Input
				type="search"
				aria-label={TEXTS.find(title)}
				placeholder={TEXTS.find(title)}
				value={typed}
				maxLength={500}
				onChange={(event) => setTyped(event.target.value)}
				className="mb-1 w-full"
			/>
			{query.error && !facet ? (
				<p role="alert" className="px-1.5 text-danger text-sm">
					{errorText(query.error).message}
				</p>
			) : facet === undefined ? (
				<ValueSkeletons />
			) : (
				<div className="max-h-72 overflow-auto">
					<Values
						field={field}
						values={facet.values}
						isPartial={facet.is_partial}
						choice={choice}
						onChoose={onChoose}
						isFound={contains !== ""}
					/>
				</div>
			)}
		</>
	);
}

function Values({
	field,
	values,
	isPartial,
	choice,
	onChoose,
	isFound = false,
}: {
	field: FacetField;
	values: Facet["values"];
	isPartial: boolean;
	choice: Choice;
	onChoose: FacetSectionProps["onChoose"];
	/** They are only those that contain what was typed. */
	isFound?: boolean;
}): ReactNode {
	const counts = new Map(values.map(({ value, count }) => [value, count]));
	const named = [...choice.chosen, ...choice.excluded].filter((value) => !isFound || counts.has(value));
	const rest = values.filter(({ value }) => !named.includes(value));
	const most = Math.max(1, ...values.map(({ count }) => count));
	if (named.length + rest.length === 0)
		return <p className="px-1.5 text-muted text-sm">{isFound ? TEXTS.noneFound : TEXTS.noValues}</p>;
	const row = (value: FacetValue, count: number | undefined, state: ValueState, isSayable: boolean) => (
		<FacetValueRow
			key={`${typeof value} ${value}`}
			label={labelOf(field, value)}
			isNone={value === null}
			count={count}
			isPartial={isPartial}
			share={(count ?? 0) / most}
			state={state}
			onChoose={isSayable ? (isExcluded) => onChoose(value, isExcluded) : undefined}
		/>
	);
	return (
		<ul>
			{named.map((value) => row(value, counts.get(value), choice.chosen.includes(value) ? "chosen" : "excluded", true))}
			{rest.map(({ value, count, filter }) => row(value, count, "open", filter !== null))}
		</ul>
	);
}

function labelOf(field: FacetField, value: FacetValue): string {
	if (value === null) return TEXTS.none;
	return field.name === "kind" ? texts.kind[spanKind(String(value))] : String(value);
}
