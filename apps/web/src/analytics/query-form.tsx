import type { AnalyticsSchema } from "@spanward/client";
import type { FilterTarget } from "@spanward/filter-language";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useMemo } from "react";
import { useAnnotationNames } from "../annotating/use-annotation-names.ts";
import { FilterBar } from "../filtering/filter-bar.tsx";
import { keysOf as sampledKeys } from "../filtering/known-values.ts";
import { nextListSearch } from "../filtering/list-search.ts";
import { sampledValuesQuery } from "../filtering/sampled-values-query.ts";
import { useIsPhone } from "../lib/media.ts";
import { present } from "../lib/search-params.ts";
import { analyticsTexts } from "../texts/analytics-en.ts";
import { texts } from "../texts/en.ts";
import { FilterChip } from "../ui/chip.tsx";
import { Labelled } from "../ui/labelled.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { Select } from "../ui/select.tsx";
import { AnnotationFields } from "./annotation-fields.tsx";
import {
	type AnalyticsQuery,
	type AnalyticsRows,
	type Bucket,
	type Chart,
	type ChartDisplay,
	type ChartKind,
	COMPARISONS,
	type Comparison,
	DEFAULT_LIMIT,
	isLedger,
	measuresOf,
} from "./chart.ts";
import { GroupPicker } from "./group-picker.tsx";
import { MeasurePicker, rowsOf } from "./measure-picker.tsx";
import { isAdditive, rowsLabel } from "./measures.ts";
import { SpreadFields } from "./spread-fields.tsx";

const TEXTS = analyticsTexts.form;
const LIMITS = ["5", "10", "20", "50", "100"] as const;
/** Lists whose filters a question of these rows takes. Rows without one have no filter. */
const TARGETS: Readonly<Record<string, FilterTarget>> = {
	spans: "span",
	traces: "trace",
	sessions: "session",
	annotations: "span",
	errors: "span",
};
const LOOKS = ["line", "area", "bars", "bar", "number", "table", "histogram", "heatmap"] as const;
type Look = (typeof LOOKS)[number];
/** Buckets that are shorter than what a ledger is kept by. */
const TOO_SHORT: ReadonlySet<string | undefined> = new Set(["minute", "5_minutes"]);
/** Groups of a chart over time, which more would make unreadable. */
const DEFAULT_GROUPS = 10;

export interface QueryFormProps {
	readonly schema: AnalyticsSchema;
	readonly chart: Chart;
	/** Called with the whole chart; `isSameStep`: the change belongs to the one before, as typing goes on. */
	readonly onChange: (chart: Chart, isSameStep?: boolean) => void;
	/** Its name or id, for keys and values that there are; undefined across projects. */
	readonly project: string | undefined;
	/** Of the question, as the field of the filter shows what is wrong with it. */
	readonly error: Error | null;
	readonly searchRef: RefObject<HTMLInputElement | null>;
}

/** The form of a question and of the look of its answer. */
export function QueryForm({ schema, chart, onChange, project, error, searchRef }: QueryFormProps): ReactNode {
	const { query } = chart;
	const rows = rowsOf(schema, query.of) ?? schema.rows[0];
	const keysOf = useKeys(project);
	const target = TARGETS[query.of];
	const ask = (change: QueryChange, isSameStep?: boolean) =>
		onChange({ ...chart, query: merged(query, change) }, isSameStep);
	const isSpread = chart.kind === "histogram" || chart.kind === "heatmap";
	if (!rows) return null;
	return (
		<section aria-label={TEXTS.title} className="flex min-w-0 flex-col gap-2">
			<div className="flex flex-wrap items-center gap-2">
				<Select
					label={TEXTS.of}
					value={query.of}
					onChange={(of) => onChange(withRows(chart, schema, of))}
					// What became of exports is of no project.
					choices={schema.rows
						.filter(({ of }) => of !== "ingest")
						.map(({ of }) => ({ value: of, label: rowsLabel(of) }))}
				/>
				{isSpread ? (
					<SpreadFields rows={rows} query={query} onChange={ask} keys={keysOf("attributes['…']")} />
				) : (
					<>
						<MeasurePicker
							rows={rows}
							functions={schema.functions}
							measures={measuresOf(query)}
							onChange={(measure) => ask(withMeasures(query, measure))}
							keys={keysOf("attributes['…']")}
						/>
						<GroupPicker
							rows={rows}
							groups={query.group_by ?? []}
							onChange={(groups) => ask(withGroups(query, groups))}
							keysOf={keysOf}
						/>
					</>
				)}
				{query.of === "annotations" && (
					<AnnotationFields query={query} names={keysOf("annotations['…']")} onChange={ask} />
				)}
				{target !== undefined && (
					<FilterBar
						target={target}
						label={TEXTS.search}
						search={present({ q: query.q, filter: query.filter })}
						onSearch={(typed, isSameStep) => {
							const next = nextListSearch(present({ q: query.q, filter: query.filter }), typed);
							ask({ q: next.q, filter: next.filter } as QueryChange, isSameStep);
						}}
						error={error}
						inputRef={searchRef}
					/>
				)}
				{query.filter !== undefined && query.q !== undefined && (
					<FilterChip field={texts.filter.words} value={query.q} onRemove={() => ask({ q: undefined })} />
				)}
			</div>
			<LookForm schema={schema} chart={chart} onChange={onChange} />
		</section>
	);
}

function LookForm({ schema, chart, onChange }: Pick<QueryFormProps, "schema" | "chart" | "onChange">): ReactNode {
	const { kind, query, display } = chart;
	const look: Look = kind === "time_series" ? (display.style ?? "line") : kind;
	const ask = (change: QueryChange) => onChange({ ...chart, query: merged(query, change) });
	const draw = (change: Partial<ChartDisplay>) => onChange({ ...chart, display: { ...display, ...change } });
	const isPhone = useIsPhone();
	const looks = LOOKS.filter((value) => !isLedger(query.of) || !isOfNumbers(value)).map((value) => ({
		value,
		label: analyticsTexts.chart[value],
	}));
	const isOverTime = kind === "time_series";
	const isSpread = kind === "histogram" || kind === "heatmap";
	const canStack = measuresOf(query).some(isAdditive) && !query.group_by?.includes("tag");
	const limit = String(query.limit ?? DEFAULT_LIMIT);
	return (
		<div className="flex flex-wrap items-center gap-2">
			{isPhone ? (
				<Select<Look>
					label={TEXTS.kind}
					value={look}
					onChange={(next) => onChange(withLook(chart, next))}
					choices={looks}
				/>
			) : (
				<SegmentedControl<Look>
					label={TEXTS.kind}
					value={look}
					onChange={(next) => onChange(withLook(chart, next))}
					choices={looks}
				/>
			)}
			{(isOverTime || kind === "heatmap") && (
				<Labelled label={TEXTS.bucket}>
					<Select<Bucket>
						value={query.bucket ?? "auto"}
						onChange={(bucket) => ask({ bucket })}
						choices={schema.buckets
							.filter((each) => each !== "none" && !(isLedger(query.of) && TOO_SHORT.has(each)))
							.map((each) => ({ value: each as Bucket, label: bucketLabel(each) }))}
					/>
				</Labelled>
			)}
			{!isSpread && (
				<Labelled label={TEXTS.compare}>
					<Select<Comparison | "none">
						value={query.compare ?? "none"}
						onChange={(next) => ask({ compare: next === "none" ? undefined : next })}
						choices={(["none", ...COMPARISONS] as const).map((value) => ({
							value,
							label: analyticsTexts.compare[value],
						}))}
					/>
				</Labelled>
			)}
			{!isSpread && query.group_by !== undefined && (
				<Labelled label={TEXTS.limit}>
					<Select
						value={limit}
						onChange={(next) => ask({ limit: Number(next) })}
						choices={[...new Set([...LIMITS, limit])].map((value) => ({ value, label: value }))}
					/>
				</Labelled>
			)}
			{look === "area" && (
				<Toggle
					label={TEXTS.stacked}
					title={canStack ? TEXTS.stackedHint : TEXTS.notStackable}
					isOn={display.stacked === true}
					isDisabled={!canStack}
					onChange={(stacked) => draw({ stacked })}
				/>
			)}
			{isOverTime && (
				<Toggle label={TEXTS.log} isOn={display.log_scale === true} onChange={(log_scale) => draw({ log_scale })} />
			)}
		</div>
	);
}

function Toggle({
	label,
	title,
	isOn,
	isDisabled = false,
	onChange,
}: {
	label: string;
	title?: string;
	isOn: boolean;
	isDisabled?: boolean;
	onChange: (isOn: boolean) => void;
}): ReactNode {
	return (
		<label title={title} className="flex items-center gap-1.5 pointer-coarse:min-h-11">
			<input
				type="checkbox"
				checked={isOn}
				disabled={isDisabled}
				onChange={(event) => onChange(event.target.checked)}
			/>
			{label}
		</label>
	);
}

/** Whether a look shows how a number of rows is spread. */
function isOfNumbers(look: Look | ChartKind): boolean {
	return look === "histogram" || look === "heatmap";
}

function bucketLabel(bucket: string): string {
	const known: Readonly<Record<string, string | undefined>> = analyticsTexts.bucket;
	return known[bucket] ?? bucket;
}

/** What is undefined goes. */
export type QueryChange = { readonly [Key in keyof AnalyticsQuery]?: AnalyticsQuery[Key] | undefined };

function merged(query: AnalyticsQuery, change: QueryChange): AnalyticsQuery {
	return present({ ...query, ...change }) as AnalyticsQuery;
}

/** Other rows have other measures and groups: those that they do not have go. */
function withRows(chart: Chart, schema: AnalyticsSchema, of: AnalyticsRows): Chart {
	const rows = rowsOf(schema, of);
	const { query } = chart;
	const measure = measuresOf(query).filter((name) => rows?.measures.some((each) => each.name === name));
	const groups = query.group_by?.filter(
		(name) => (name.includes("['") && !isLedger(of)) || rows?.groups.some((each) => each.name === name),
	);
	return {
		...chart,
		kind: isLedger(of) && isOfNumbers(chart.kind) ? "time_series" : chart.kind,
		query: merged(query, {
			of,
			measure: measure.length > 0 ? measure : [...measuresOf({ of })],
			group_by: groups && groups.length > 0 ? groups : undefined,
			sort: undefined,
			...{ distribution: undefined, annotation_name: undefined, annotator_kind: undefined },
			...(TARGETS[of] === TARGETS[query.of] ? {} : { filter: undefined }),
			...(isLedger(of) ? { q: undefined } : {}),
			...(isLedger(of) && TOO_SHORT.has(query.bucket) ? { bucket: undefined } : {}),
		}),
	};
}

/** An order by a measure that is gone goes too. */
function withMeasures({ sort }: AnalyticsQuery, measure: readonly string[]): QueryChange {
	const isSorted = sort === "group" || sort === "-group" || measure.includes(sort?.replace(/^-/, "") ?? "");
	return isSorted ? { measure } : { measure, sort: undefined };
}

function withGroups({ sort, limit }: AnalyticsQuery, groups: readonly string[]): QueryChange {
	if (groups.length > 0) return { group_by: groups, limit: limit ?? DEFAULT_GROUPS };
	const isByGroup = sort?.endsWith("group");
	return {
		group_by: undefined,
		limit: undefined,
		...(isByGroup ? { sort: undefined } : {}),
	};
}

function withLook(chart: Chart, look: Look): Chart {
	const isOverTime = look === "line" || look === "area" || look === "bars";
	const kind: ChartKind = isOverTime ? "time_series" : look;
	const { style: _style, ...display } = chart.display;
	return { ...chart, kind, display: isOverTime ? { ...display, style: look } : display };
}

/** Keys of attributes, metadata and annotations of a project. */
function useKeys(project: string | undefined): (template: string) => readonly string[] {
	const { data: sampled } = useQuery({ ...sampledValuesQuery(project ?? ""), enabled: project !== undefined });
	const names = useAnnotationNames(project ?? "", project !== undefined);
	return useMemo(
		() => (template: string) => {
			const known = { annotations: [], sampled };
			if (template.startsWith("attributes[")) return sampledKeys(known, "attributes");
			if (template.startsWith("metadata[")) return sampledKeys(known, "metadata");
			return template.includes("annotations[") ? names.map(({ name }) => name) : [];
		},
		[sampled, names],
	);
}
