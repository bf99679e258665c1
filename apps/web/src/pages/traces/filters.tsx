import ListFilter from "lucide-react/icons/list-filter";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { quoted, withCondition, withoutCondition } from "../../filtering/conditions.ts";
import { formatDuration } from "../../lib/format.ts";
import { present } from "../../lib/search-params.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { FilterChip } from "../../ui/chip.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Field, Input } from "../../ui/input.tsx";
import { Popover } from "../../ui/popover.tsx";
import { ALL_SPAN_KINDS, SpanKindLabel, spanKind } from "../../ui/span-kind.tsx";
import type { TracesSearch } from "./search.ts";

/** Fields whose filter is a list of exact values. */
const LISTS = ["name", "user", "session", "model", "kind"] as const;
type ListField = (typeof LISTS)[number];

export type ChangeSearch = (change: (before: TracesSearch) => TracesSearch) => void;

/** Only rows with the value, or for which the expression holds. */
export function addValue(search: TracesSearch, field: ListField | "filter", value: string): TracesSearch {
	if (field !== "filter") {
		const rest = withFilter(search, withoutCondition(search.filter, exclusion(field, value)));
		return { ...rest, [field]: [...new Set([...(search[field] ?? []), value])] };
	}
	return { ...search, filter: withCondition(withoutCondition(search.filter, `not ${value}`), value) };
}

/** No rows with the value, or for which the expression holds. */
export function excludeValue(search: TracesSearch, field: ListField | "filter", value: string): TracesSearch {
	if (field === "filter")
		return { ...search, filter: withCondition(withoutCondition(search.filter, value), `not ${value}`) };
	const rest = removeValue(search, field, value);
	return { ...rest, filter: withCondition(rest.filter, exclusion(field, value)) };
}

/** What is missing matches nothing, so that rows without a user stay only where the condition says so. */
function exclusion(field: ListField, value: string): string {
	if (field === "name") return `name != ${quoted(value)}`;
	if (field === "kind") return `span_kind != ${quoted(value)}`;
	const name = field === "model" ? "model" : `${field}.id`;
	return `(${name} != ${quoted(value)} or ${name} is None)`;
}

function withFilter({ filter: _filter, ...rest }: TracesSearch, filter: string | undefined): TracesSearch {
	return filter === undefined ? rest : { ...rest, filter };
}

function removeValue(search: TracesSearch, field: ListField, value: string): TracesSearch {
	const left = (search[field] ?? []).filter((each) => each !== value);
	const { [field]: _removed, ...rest } = search;
	return left.length > 0 ? { ...rest, [field]: left } : rest;
}

export function hasFilters(search: TracesSearch): boolean {
	const { q, error, min, max } = search;
	return (
		[q, error, min, max, search.filter].some((each) => each !== undefined) ||
		LISTS.some((field) => search[field] !== undefined)
	);
}

export function withoutFilters(search: TracesSearch): TracesSearch {
	const {
		q: _q,
		error: _error,
		min: _min,
		max: _max,
		name: _n,
		user: _u,
		session: _s,
		model: _m,
		kind: _k,
		filter: _f,
		...rest
	} = search;
	return rest;
}

/** Every filter that is on, each with a button that takes it off. */
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

/** The button that opens the form with every filter there is. */
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
			<FilterForm
				search={search}
				onApply={(next) => {
					setOpen(false);
					change(() => next);
				}}
			/>
		</Popover>
	);
}

const TEXT_FIELDS = ["name", "user", "session", "model"] as const;

function FilterForm({ search, onApply }: { search: TracesSearch; onApply: (search: TracesSearch) => void }): ReactNode {
	const [error, setError] = useState(search.error);
	const [min, setMin] = useState(search.min === undefined ? "" : String(search.min));
	const [max, setMax] = useState(search.max === undefined ? "" : String(search.max));
	const [values, setValues] = useState({ name: "", user: "", session: "", model: "" });
	const [kinds, setKinds] = useState(search.kind ?? []);
	const [bad, setBad] = useState<"min" | "max" | undefined>();
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const least = toMilliseconds(min);
		const most = toMilliseconds(max);
		if (least === "bad") return setBad("min");
		if (most === "bad") return setBad("max");
		let next: TracesSearch = {
			...withoutRange(search),
			...present({
				error,
				min: least,
				max: most,
				kind: kinds.length > 0 ? kinds : undefined,
			}),
		};
		for (const field of TEXT_FIELDS) {
			const value = values[field].trim();
			if (value) next = addValue(next, field, value);
		}
		onApply(next);
	};
	return (
		<form onSubmit={submit} className="grid grid-cols-2 gap-x-2 gap-y-3">
			<fieldset className="col-span-2 flex gap-1">
				<legend className="mb-1 text-muted text-sm">{texts.filter.error}</legend>
				<Toggle isOn={error === "1"} onClick={() => setError(error === "1" ? undefined : "1")}>
					{texts.filter.errorOnly}
				</Toggle>
				<Toggle isOn={error === "0"} onClick={() => setError(error === "0" ? undefined : "0")}>
					{texts.filter.withoutError}
				</Toggle>
			</fieldset>
			<Field
				label={`${texts.filter.latency}: ${texts.filter.minLatency}`}
				error={bad === "min" ? texts.filter.badNumber : undefined}
			>
				<Input
					inputMode="decimal"
					value={min}
					onChange={(event) => setMin(event.target.value)}
					aria-invalid={bad === "min"}
				/>
			</Field>
			<Field label={texts.filter.maxLatency} error={bad === "max" ? texts.filter.badNumber : undefined}>
				<Input
					inputMode="decimal"
					value={max}
					onChange={(event) => setMax(event.target.value)}
					aria-invalid={bad === "max"}
				/>
			</Field>
			{TEXT_FIELDS.map((field) => (
				<Field key={field} label={texts.filter[field]}>
					<Input
						value={values[field]}
						placeholder={texts.filter.value}
						onChange={(event) => setValues({ ...values, [field]: event.target.value })}
					/>
				</Field>
			))}
			{search.view === "spans" && (
				<fieldset className="col-span-2 flex flex-wrap gap-1">
					<legend className="mb-1 text-muted text-sm">{texts.filter.kind}</legend>
					{ALL_SPAN_KINDS.map((kind) => (
						<Toggle
							key={kind}
							isOn={kinds.includes(kind)}
							onClick={() => setKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind])}
						>
							<SpanKindLabel kind={kind} />
						</Toggle>
					))}
				</fieldset>
			)}
			<Button type="submit" look="primary" className="col-start-2">
				{texts.filter.apply}
			</Button>
		</form>
	);
}

function withoutRange(search: TracesSearch): TracesSearch {
	const { error: _error, min: _min, max: _max, kind: _kind, ...rest } = search;
	return rest;
}

/** `1500`, `1500 ms`, `1.5s`. */
function toMilliseconds(text: string): number | undefined | "bad" {
	if (text.trim() === "") return undefined;
	const match = /^(\d+(?:\.\d+)?)\s*(ms|s)?$/.exec(text.trim());
	return match ? Number(match[1]) * (match[2] === "s" ? 1000 : 1) : "bad";
}

function Toggle({ isOn, onClick, children }: { isOn: boolean; onClick: () => void; children: ReactNode }): ReactNode {
	return (
		<button
			type="button"
			aria-pressed={isOn}
			onClick={onClick}
			className={classNames(
				"h-6 rounded border border-line px-2 text-sm hover:bg-hover",
				"aria-pressed:border-accent aria-pressed:bg-accent-soft",
			)}
		>
			{children}
		</button>
	);
}
