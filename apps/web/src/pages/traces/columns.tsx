import ListFilter from "lucide-react/icons/list-filter";
import type { ReactNode } from "react";
import { formatCompact, formatCost, formatDuration, formatInteger, UNKNOWN } from "../../lib/format.ts";
import { localSetting } from "../../lib/local-setting.ts";
import { texts } from "../../texts/en.ts";
import type { GridColumn } from "../../ui/data-grid-header.tsx";
import { ClockTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";
import { SpanKindIcon, SpanKindLabel, spanKind } from "../../ui/span-kind.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { RowAnnotations } from "./row-annotations.tsx";
import type { ListRow } from "./rows.ts";
import type { TracesSearch } from "./search.ts";

export type ColumnKey = keyof typeof texts.traces.column;
export type View = "traces" | "spans";
/** Adds a value to the filters, or excludes it. */
export type AddFilter = (
	field: "name" | "user" | "session" | "model" | "kind" | "filter",
	value: string,
	isExcluded: boolean,
) => void;

const SHOWN: Record<View, readonly ColumnKey[]> = {
	traces: [
		"status",
		"start_time",
		"name",
		"input",
		"output",
		"annotations",
		"latency",
		"tokens",
		"cost",
		"session",
		"user",
	],
	spans: [
		"status",
		"start_time",
		"name",
		"kind",
		"input",
		"output",
		"annotations",
		"latency",
		"tokens",
		"cost",
		"model",
	],
};

/** All columns of a view, in display order. */
export const ALL_COLUMNS: Record<View, readonly ColumnKey[]> = {
	traces: [
		...SHOWN.traces.slice(0, 7),
		"spans",
		"errors",
		"tokens",
		"prompt_tokens",
		"completion_tokens",
		"cost",
		"session",
		"user",
		"trace_id",
	],
	spans: [
		...SHOWN.spans.slice(0, 8),
		"tokens",
		"prompt_tokens",
		"completion_tokens",
		"cost",
		"model",
		"session",
		"user",
		"message",
		"trace_id",
		"span_id",
		"parent_id",
	],
};

export const chosenColumns = { traces: localSetting("columns.traces"), spans: localSetting("columns.spans") };

/** The columns in the address, else those of this browser, else the default; always including the name. */
export function shownColumns(
	view: View,
	fromAddress: string | undefined,
	fromBrowser: string | undefined,
): ColumnKey[] {
	const wanted = (fromAddress ?? fromBrowser)?.split(",");
	if (!wanted) return [...SHOWN[view]];
	const known = ALL_COLUMNS[view].filter((key) => wanted.includes(key));
	return known.length > 0 ? known : [...SHOWN[view]];
}

export function areDefaultColumns(view: View, columns: readonly ColumnKey[]): boolean {
	return columns.join() === SHOWN[view].join();
}

export type Space = "full" | "compact" | "phone";
/** Minimum widths where there is little room. */
const TIGHT: Partial<Record<ColumnKey, number>> = { start_time: 92, name: 132, input: 72, latency: 64 };
const COMPACT: readonly ColumnKey[] = ["status", "start_time", "name", "input", "latency"];
const PHONE: readonly ColumnKey[] = ["status", "name", "start_time", "latency"];

/** Beside an open trace, and on phones, only the columns that distinguish the rows. */
export function fitColumns(columns: readonly ColumnKey[], space: Space): ColumnKey[] {
	if (space === "full") return [...columns];
	return [...(space === "phone" ? PHONE : COMPACT)];
}

const dim = <span className="text-muted">{UNKNOWN}</span>;

function Text({ value }: { value: string | null }): ReactNode {
	if (!value) return dim;
	return <span title={value.slice(0, 500)}>{value.slice(0, 300)}</span>;
}

/** A value; a click filters by it, Alt+click excludes it. */
function FilterValue({
	field,
	value,
	onFilter,
}: {
	field: string;
	value: string | null;
	onFilter: (isExcluded: boolean) => void;
}): ReactNode {
	if (!value) return dim;
	return (
		<button
			type="button"
			tabIndex={-1}
			title={texts.filter.byOrNot(field, value)}
			onClick={(event) => onFilter(event.altKey)}
			className="max-w-full truncate rounded text-left align-bottom underline-offset-2 hover:text-accent hover:underline"
		>
			{value}
		</button>
	);
}

function Tokens({ row }: { row: ListRow }): ReactNode {
	if (row.totalTokens === null) return dim;
	const detail = texts.traces.tokensDetail(formatInteger(row.promptTokens), formatInteger(row.completionTokens));
	return <span title={`${formatInteger(row.totalTokens)} = ${detail}`}>{formatCompact(row.totalTokens)}</span>;
}

function Count({ value }: { value: number | null }): ReactNode {
	return value === null ? dim : <span title={formatInteger(value)}>{formatCompact(value)}</span>;
}

function Id({ value }: { value: string | null | undefined }): ReactNode {
	return value ? <span className="font-mono text-sm">{value}</span> : dim;
}

function Name({ row, href, addFilter }: { row: ListRow; href: string; addFilter: AddFilter }): ReactNode {
	return (
		<span className="group/name flex items-center gap-1.5">
			<SpanKindIcon kind={row.kind} />
			<a href={href} title={row.name} {...rowLink("truncate font-medium")}>
				{row.name || UNKNOWN}
			</a>
			<button
				type="button"
				tabIndex={-1}
				aria-label={texts.filter.by(texts.filter.name, row.name)}
				title={texts.filter.byOrNot(texts.filter.name, row.name)}
				onClick={(event) => addFilter("name", row.name, event.altKey)}
				className="relative ml-auto shrink-0 rounded p-0.5 invisible text-muted hover:text-accent focus-visible:visible group-hover/name:visible group-focus-visible/row:visible"
			>
				<ListFilter size={13} aria-hidden />
			</button>
		</span>
	);
}

type Column = Omit<GridColumn<ListRow>, "key" | "title">;

function definitions(addFilter: AddFilter, hrefOf: (row: ListRow) => string): Record<ColumnKey, Column> {
	const value = (field: "user" | "session" | "model", get: (row: ListRow) => string | null): Column => ({
		width: 116,
		cell: (row) => {
			const text = get(row);
			return (
				<FilterValue
					field={texts.filter[field]}
					value={text}
					onFilter={(isExcluded) => text && addFilter(field, text, isExcluded)}
				/>
			);
		},
	});
	return {
		status: { width: 14, hideTitle: true, cell: (row) => <StatusMark error={row.isError} className="align-middle" /> },
		start_time: {
			width: 112,
			sortable: true,
			cell: (row) => <ClockTime time={row.startTime} className="text-muted" />,
		},
		name: { width: 180, grow: 1.2, cell: (row) => <Name row={row} href={hrefOf(row)} addFilter={addFilter} /> },
		kind: {
			width: 92,
			cell: (row) => (
				<button
					type="button"
					tabIndex={-1}
					onClick={(event) => addFilter("kind", row.kind.toUpperCase(), event.altKey)}
					title={texts.filter.byOrNot(texts.filter.kind, texts.kind[spanKind(row.kind)])}
					className="flex rounded"
				>
					<SpanKindLabel kind={row.kind} />
				</button>
			),
		},
		input: { width: 160, grow: 2, cell: (row) => <Text value={row.input} /> },
		output: {
			width: 160,
			grow: 2,
			cell: (row) =>
				row.isError && !row.output && row.statusMessage ? (
					<ErrorText text={row.statusMessage} />
				) : (
					<Text value={row.output} />
				),
		},
		annotations: {
			width: 140,
			grow: 0.6,
			cell: (row) => (
				<RowAnnotations
					annotations={row.annotations}
					isTrace={row.spanId === undefined}
					onFilter={(expression, isExcluded) => addFilter("filter", expression, isExcluded)}
				/>
			),
		},
		latency: { width: 72, align: "right", sortable: true, cell: (row) => formatDuration(row.latencyMs) },
		tokens: { width: 60, align: "right", cell: (row) => <Tokens row={row} /> },
		prompt_tokens: { width: 60, align: "right", cell: (row) => <Count value={row.promptTokens} /> },
		completion_tokens: { width: 80, align: "right", cell: (row) => <Count value={row.completionTokens} /> },
		cost: { width: 86, align: "right", cell: (row) => (row.cost === null ? dim : formatCost(row.cost)) },
		session: value("session", (row) => row.sessionId),
		user: value("user", (row) => row.userId),
		model: { ...value("model", (row) => row.model), width: 150 },
		spans: { width: 52, align: "right", cell: (row) => <Count value={row.spanCount} /> },
		errors: {
			width: 52,
			align: "right",
			cell: (row) => (row.errorCount > 0 ? <span className="text-danger">{formatInteger(row.errorCount)}</span> : "0"),
		},
		trace_id: { width: 150, cell: (row) => <Id value={row.traceId} /> },
		span_id: { width: 140, cell: (row) => <Id value={row.spanId} /> },
		parent_id: { width: 140, cell: (row) => <Id value={row.parentId} /> },
		message: {
			width: 160,
			grow: 1,
			cell: (row) =>
				row.isError && row.statusMessage ? <ErrorText text={row.statusMessage} /> : <Text value={row.statusMessage} />,
		},
	};
}

function ErrorText({ text }: { text: string }): ReactNode {
	return (
		<span className="text-danger" title={text.slice(0, 500)}>
			{text.slice(0, 300)}
		</span>
	);
}

/** The grid's columns; spans cannot be sorted by latency (the API cannot). */
export function gridColumns(
	view: View,
	keys: readonly ColumnKey[],
	space: Space,
	addFilter: AddFilter,
	hrefOf: (row: ListRow) => string,
): GridColumn<ListRow>[] {
	const all = definitions(addFilter, hrefOf);
	return keys.map((key) => ({
		...all[key],
		width: (space === "full" ? undefined : TIGHT[key]) ?? all[key].width,
		key,
		title: texts.traces.column[key],
		sortable: (all[key].sortable ?? false) && (key !== "latency" || view === "traces"),
	}));
}

/** The address after a click on a column's header: first descending, then ascending, then the default. */
export function sortSearch(search: TracesSearch, column: string): Pick<TracesSearch, "sort" | "order"> {
	const sort = column === "latency" ? "latency_ms" : undefined;
	const isSame = search.sort === sort;
	const order = isSame && search.order === undefined ? "asc" : undefined;
	return { ...(sort ? { sort } : {}), ...(order ? { order } : {}) };
}
