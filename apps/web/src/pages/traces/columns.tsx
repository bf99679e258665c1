import ListFilter from "lucide-react/icons/list-filter";
import type { ReactNode } from "react";
import { scoreColumns } from "../../annotating/score-columns.tsx";
import { isScore } from "../../annotating/score-key.ts";
import type { AnnotationName } from "../../annotating/use-annotation-names.ts";
import { formatCompact, formatCost, formatInteger, UNKNOWN } from "../../lib/format.ts";
import { texts } from "../../texts/en.ts";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { type ListColumn, REST } from "../../ui/grid-layout.ts";
import { ClockTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";
import { RunDuration } from "../../ui/run-state.tsx";
import { SpanKindIcon, SpanKindLabel, spanKind } from "../../ui/span-kind.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { UserPageLink } from "../../ui/user-link.tsx";
import type { View } from "./chosen-columns.ts";
import type { ListRow } from "./rows.ts";
import type { TracesSearch } from "./search.ts";

export type ColumnKey = keyof typeof texts.traces.column;
/** Adds a value to the filters, or excludes it. */
export type AddFilter = (
	field: "name" | "user" | "session" | "model" | "kind" | "filter",
	value: string,
	isExcluded: boolean,
) => void;

/** Keys of the columns of a view that are shown unless others are chosen. */
export const SHOWN: Record<View, readonly string[]> = {
	traces: ["status", "start_time", "name", "input", "output", REST, "latency", "tokens", "cost", "session", "user"],
	spans: ["status", "start_time", "name", "kind", "input", "output", REST, "latency", "tokens", "cost", "model"],
};

/** All columns of a view, as they are offered. */
const OFFERED: Record<View, readonly (ColumnKey | typeof REST)[]> = {
	traces: [
		"status",
		"start_time",
		"name",
		"input",
		"output",
		REST,
		"latency",
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
		"status",
		"start_time",
		"name",
		"kind",
		"input",
		"output",
		REST,
		"latency",
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

export type Space = "full" | "compact" | "phone";
/** Minimum widths where there is little room. */
const TIGHT: Readonly<Record<string, number>> = { start_time: 92, name: 132, input: 72, latency: 64 };
const COMPACT = ["status", "start_time", "name", "input", "latency"];
const PHONE = ["status", "name", "start_time", "latency"];

/** Beside an open trace, and on phones, only the columns that distinguish the rows. */
export function fitColumns(all: readonly GridColumn<ListRow>[], space: Exclude<Space, "full">): GridColumn<ListRow>[] {
	return (space === "phone" ? PHONE : COMPACT).flatMap((key) => {
		const column = all.find((each) => each.key === key);
		return column ? [{ ...column, width: TIGHT[key] ?? column.width }] : [];
	});
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

type DefinitionsOptions = Pick<AllColumnsOptions, "project" | "addFilter" | "hrefOf">;
type Column = Omit<GridColumn<ListRow>, "key" | "title">;

function definitions({ project, addFilter, hrefOf }: DefinitionsOptions): Record<ColumnKey, Column> {
	const value = (field: "user" | "session" | "model", get: (row: ListRow) => string | null): Column => ({
		width: 116,
		cell: (row) => {
			const text = get(row);
			const filter = (
				<FilterValue
					field={texts.filter[field]}
					value={text}
					onFilter={(isExcluded) => text && addFilter(field, text, isExcluded)}
				/>
			);
			if (field !== "user" || !text) return filter;
			return (
				<span className="flex items-center">
					<span className="min-w-0 truncate">{filter}</span>
					<UserPageLink project={project} user={text} />
				</span>
			);
		},
	});
	return {
		status: {
			width: 14,
			hideTitle: true,
			cell: (row) => <StatusMark error={row.isError} state={row.state} className="align-middle" />,
		},
		start_time: {
			width: 112,
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
		input: { width: 220, grow: 3, cell: (row) => <Text value={row.input} /> },
		output: {
			width: 220,
			grow: 3,
			cell: (row) =>
				row.isError && !row.output && row.statusMessage ? (
					<ErrorText text={row.statusMessage} />
				) : (
					<Text value={row.output} />
				),
		},
		latency: {
			width: 72,
			align: "right",
			cell: (row) => <RunDuration state={row.state} since={row.startTime} ms={row.latencyMs} isMarked={row.isError} />,
		},
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

export interface AllColumnsOptions {
	readonly project: string;
	readonly view: View;
	readonly rows: readonly ListRow[];
	/** The names of the project's annotations. */
	readonly names: readonly AnnotationName[];
	readonly addFilter: AddFilter;
	readonly hrefOf: (row: ListRow) => string;
}

/** Every column of a view, with those of scores and labels. */
export function allColumns({
	project,
	view,
	rows,
	names,
	addFilter,
	hrefOf,
}: AllColumnsOptions): ListColumn<ListRow>[] {
	const all = definitions({ project, addFilter, hrefOf });
	const scores = scoreColumns({
		rows,
		annotationsOf: (row) => row.annotations,
		names,
		target: view === "traces" ? "trace" : "span",
		onFilter: (expression, isExcluded) => addFilter("filter", expression, isExcluded),
	});
	return OFFERED[view].flatMap((key) =>
		key === REST
			? scores
			: [
					{
						...all[key],
						key,
						title: texts.traces.column[key],
						isNeeded: key === "name",
						sortable: key in SORTS[view],
					},
				],
	);
}

/** What the API sorts the rows of each view by, by column; undefined for the usual order. */
const SORTS: Record<View, Readonly<Record<string, NonNullable<TracesSearch["sort"]> | undefined>>> = {
	traces: {
		start_time: undefined,
		latency: "latency_ms",
		tokens: "token_count_total",
		cost: "total_cost",
		errors: "error_count",
		spans: "span_count",
	},
	spans: {
		status: "status_code",
		start_time: undefined,
		latency: "latency_ms",
		tokens: "token_count_total",
		cost: "total_cost",
	},
};

/** The column that the rows are sorted by. */
export function sortedColumn(view: View, sort: TracesSearch["sort"]): string {
	if (sort !== undefined && isScore(sort)) return sort;
	return Object.entries(SORTS[view]).find(([, key]) => key === sort)?.[0] ?? "start_time";
}

/** The address after a click on a column's header: first descending, then ascending, then the default. */
export function sortSearch(view: View, search: TracesSearch, column: string): Pick<TracesSearch, "sort" | "order"> {
	const sort = isScore(column) ? column : SORTS[view][column];
	const isSame = search.sort === sort;
	const order = isSame && search.order === undefined ? "asc" : undefined;
	return { ...(sort ? { sort } : {}), ...(order ? { order } : {}) };
}
