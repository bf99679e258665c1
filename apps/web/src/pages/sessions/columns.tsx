import type { Session } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type FilterByScore, scoreColumns } from "../../annotating/score-columns.tsx";
import { isScore } from "../../annotating/score-key.ts";
import type { AnnotationName } from "../../annotating/use-annotation-names.ts";
import { formatCompact, formatCost, formatInteger, UNKNOWN } from "../../lib/format.ts";
import { localSetting } from "../../lib/local-setting.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { sessionsTexts } from "../../texts/sessions-en.ts";
import { type ListColumn, REST } from "../../ui/grid-layout.ts";
import { ClockTime, RelativeTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";
import { RunMark } from "../../ui/run-state.tsx";
import { UserPageLink } from "../../ui/user-link.tsx";

import type { SessionsSearch } from "./search.ts";

const dim = <span className="text-muted">{UNKNOWN}</span>;
const NAMES = sessionsTexts.column;

function Text({ value }: { value: string | null }): ReactNode {
	return value ? <span title={value.slice(0, 500)}>{value.slice(0, 300)}</span> : dim;
}

export const chosenColumns = localSetting("columns.sessions");
/** Keys of the columns that are shown unless others are chosen. */
export const SHOWN = [
	"start",
	"session",
	"user",
	"input",
	"output",
	REST,
	"traces",
	"errors",
	"tokens",
	"cost",
	"last",
];
/** Keys of those that phones have room for. */
export const ON_PHONES = ["session", "traces", "last"];

/** What the API sorts by, by column; undefined for the usual order. */
const SORTS: Readonly<Record<string, SessionsSearch["sort"]>> = {
	start: undefined,
	traces: "trace_count",
	errors: "error_count",
	tokens: "token_count_total",
	cost: "total_cost",
	last: "end_time",
};

/** The column that the sessions are sorted by. */
export function sortedColumn(sort: SessionsSearch["sort"]): string {
	if (sort !== undefined && isScore(sort)) return sort;
	return Object.entries(SORTS).find(([, key]) => key === sort)?.[0] ?? "start";
}

/** The address after a click on a column's header: first descending, then ascending. */
export function sortSearch({ sort: before, order, ...rest }: SessionsSearch, column: string): SessionsSearch {
	const sort = isScore(column) ? column : SORTS[column];
	return { ...rest, ...(sort ? { sort } : {}), ...(sort === before && order === undefined ? { order: "asc" } : {}) };
}

export interface SessionColumnsOptions {
	readonly project: string;
	readonly rows: readonly Session[];
	/** The names of the project's annotations. */
	readonly names: readonly AnnotationName[];
	/** The time range that an opened session keeps. */
	readonly range: TimeRangeSearch;
	readonly onUser: (user: string, isExcluded: boolean) => void;
	readonly onScore: FilterByScore;
}

/** All columns of the list, with those of scores and labels. */
export function sessionColumns({
	project,
	rows,
	names,
	range,
	onUser,
	onScore,
}: SessionColumnsOptions): ListColumn<Session>[] {
	const session: ListColumn<Session> = {
		key: "session",
		isNeeded: true,
		title: NAMES.session,
		width: 140,
		grow: 1,
		cell: (row) => (
			<Link
				to="/p/$project/sessions/$session"
				params={{ project, session: row.session_id }}
				search={range}
				title={row.session_id}
				{...rowLink("font-medium hover:text-accent")}
			>
				{row.state !== "ended" && <RunMark state={row.state} className="mr-1 align-text-bottom" />}
				{row.session_id}
			</Link>
		),
	};
	const traces: ListColumn<Session> = {
		key: "traces",
		title: NAMES.traces,
		width: 52,
		align: "right",
		cell: (row) => <span title={formatInteger(row.trace_count)}>{formatCompact(row.trace_count)}</span>,
	};
	const last: ListColumn<Session> = {
		key: "last",
		title: NAMES.last,
		width: 90,
		align: "right",
		cell: (row) => <RelativeTime time={row.end_time} className="text-muted" />,
	};
	const all: ListColumn<Session>[] = [
		{
			key: "start",
			title: NAMES.start,
			width: 112,
			cell: (row) => <ClockTime time={row.start_time} className="text-muted" />,
		},
		session,
		{
			key: "user",
			title: NAMES.user,
			width: 120,
			cell: (row) =>
				row.user_id ? (
					<span className="flex items-center">
						<button
							type="button"
							tabIndex={-1}
							title={texts.filter.byOrNot(texts.filter.user, row.user_id)}
							onClick={(event) => row.user_id && onUser(row.user_id, event.altKey)}
							className="min-w-0 truncate rounded align-bottom underline-offset-2 hover:text-accent hover:underline"
						>
							{row.user_id}
						</button>
						<UserPageLink project={project} user={row.user_id} />
					</span>
				) : (
					dim
				),
		},
		{ key: "input", title: NAMES.input, width: 220, grow: 3, cell: (row) => <Text value={row.first_input} /> },
		{ key: "output", title: NAMES.output, width: 220, grow: 3, cell: (row) => <Text value={row.last_output} /> },
		...scoreColumns({
			rows,
			annotationsOf: (row) => row.annotations ?? [],
			names,
			target: "session",
			onFilter: onScore,
		}),
		traces,
		{
			key: "errors",
			title: NAMES.errors,
			width: 48,
			align: "right",
			cell: (row) =>
				row.error_count > 0 ? (
					<span className="text-danger">{formatInteger(row.error_count)}</span>
				) : (
					<span className="text-muted">0</span>
				),
		},
		{
			key: "tokens",
			title: NAMES.tokens,
			width: 56,
			align: "right",
			cell: (row) =>
				row.token_count_total > 0 ? (
					<span title={formatInteger(row.token_count_total)}>{formatCompact(row.token_count_total)}</span>
				) : (
					dim
				),
		},
		{
			key: "cost",
			title: NAMES.cost,
			width: 72,
			align: "right",
			cell: (row) => (row.total_cost === null ? dim : formatCost(row.total_cost)),
		},
		last,
	];
	return all.map((column) => ({ ...column, sortable: column.sortable === true || column.key in SORTS }));
}
