import type { EndUser } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatScore } from "../../annotating/annotation-value.tsx";
import { formatCompact, formatCost, formatDuration, formatInteger, formatPercent, UNKNOWN } from "../../lib/format.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { endUsersTexts } from "../../texts/end-users-en.ts";
import { Chip } from "../../ui/chip.tsx";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";
import type { UsersSearch } from "./search.ts";

const NAMES = endUsersTexts.column;

/** What the API sorts by, by column; undefined for the usual order. */
const SORTS: Readonly<Record<string, UsersSearch["sort"]>> = {
	cost: undefined,
	traces: "traces",
	sessions: "sessions",
	errors: "errors",
	tokens: "tokens_total",
	latency: "latency_p95",
	first: "first_seen",
	last: "last_seen",
};
/** Those that phones have room for. */
const ON_PHONES = ["user", "traces", "cost"];

/** The column that the users are sorted by. */
export function sortedColumn(sort: UsersSearch["sort"]): string {
	return Object.entries(SORTS).find(([, key]) => key === sort)?.[0] ?? "cost";
}

/** The address after a click on a column's header: first descending, then ascending. */
export function sortSearch({ sort: before, order, ...rest }: UsersSearch, column: string): UsersSearch {
	const sort = SORTS[column];
	return { ...rest, ...(sort ? { sort } : {}), ...(sort === before && order === undefined ? { order: "asc" } : {}) };
}

/** Of all traces in the range, with and without users. */
export interface Wholes {
	readonly traces: number;
	readonly cost: number;
}

export interface UserColumnsOptions {
	readonly project: string;
	readonly users: readonly EndUser[];
	/** Undefined while they are not known. */
	readonly wholes: Wholes | undefined;
	/** The time range that an opened user keeps. */
	readonly range: TimeRangeSearch;
	readonly isPhone: boolean;
}

export function userColumns(options: UserColumnsOptions): GridColumn<EndUser>[] {
	const { project, users, wholes, range, isPhone } = options;
	const mostTraces = Math.max(...users.map(({ trace_count }) => trace_count));
	const mostCost = Math.max(...users.map(({ cost_total }) => cost_total));
	const right = { align: "right" } as const;
	const all: GridColumn<EndUser>[] = [
		{
			key: "user",
			title: NAMES.user,
			width: 140,
			grow: 2,
			cell: ({ user_id: user }) => (
				<Link
					to="/p/$project/users/$user"
					params={{ project, user }}
					search={range}
					title={user}
					{...rowLink("font-medium hover:text-accent")}
				>
					{user}
				</Link>
			),
		},
		{
			...{ key: "traces", title: NAMES.traces, width: isPhone ? 72 : 130, ...right },
			cell: ({ trace_count: count }) => (
				<Shared share={count / mostTraces} title={shareTitle(formatInteger(count), count, wholes?.traces)}>
					{formatCompact(count)}
				</Shared>
			),
		},
		{
			...{ key: "sessions", title: NAMES.sessions, width: 72, ...right },
			cell: ({ session_count: count }) => <span title={formatInteger(count)}>{formatCompact(count)}</span>,
		},
		{
			...{ key: "errors", title: NAMES.errors, width: 64, ...right },
			cell: ({ error_count: count }) => (
				<span className={count > 0 ? "text-danger" : "text-muted"}>{formatInteger(count)}</span>
			),
		},
		{
			...{ key: "tokens", title: NAMES.tokens, width: 72, ...right },
			cell: ({ tokens_total: count }) => <span title={formatInteger(count)}>{formatCompact(count)}</span>,
		},
		{
			...{ key: "cost", title: NAMES.cost, width: isPhone ? 84 : 130, ...right },
			cell: ({ cost_total: cost }) => (
				<Shared share={mostCost > 0 ? cost / mostCost : 0} title={shareTitle(`$${cost}`, cost, wholes?.cost)}>
					{formatCost(cost)}
				</Shared>
			),
		},
		{
			...{ key: "latency", title: NAMES.latency, width: 80, ...right },
			cell: ({ latency_p95: ms }) => formatDuration(ms),
		},
		{
			...{ key: "scores", title: NAMES.scores, width: 160, grow: 1 },
			cell: ({ scores }) => <Scores scores={scores} />,
		},
		{
			...{ key: "first", title: NAMES.first, width: 96, ...right },
			cell: ({ first_seen: time }) => <RelativeTime time={time} className="text-muted" />,
		},
		{
			...{ key: "last", title: NAMES.last, width: 96, ...right },
			cell: ({ last_seen: time }) => (time === null ? UNKNOWN : <RelativeTime time={time} className="text-muted" />),
		},
	];
	return all
		.filter(({ key }) => !isPhone || ON_PHONES.includes(key))
		.map((column) => ({ ...column, sortable: column.key in SORTS }));
}

function shareTitle(exact: string, value: number, whole: number | undefined): string {
	return whole ? `${exact}, ${endUsersTexts.share(formatPercent(value / whole))}` : exact;
}

/** A number with a bar: the longest is that of the largest number in the list. */
function Shared({ share, title, children }: { share: number; title: string; children: ReactNode }): ReactNode {
	return (
		<span title={title} className="flex items-center justify-end gap-2">
			<span aria-hidden className="h-1.5 min-w-0 flex-1">
				<span className="block h-full rounded-full bg-line-strong" style={{ width: `${100 * share}%` }} />
			</span>
			{children}
		</span>
	);
}

function Scores({ scores }: { scores: EndUser["scores"] }): ReactNode {
	if (scores.length === 0) return <span className="text-muted">{UNKNOWN}</span>;
	return (
		<span className="flex gap-1">
			{scores.map(({ name, average, count }) => (
				<Chip key={name} title={`${name} ${average} (${formatInteger(count)})`}>
					<span className="truncate text-muted">{name}</span>
					{formatScore(average)}
				</Chip>
			))}
		</span>
	);
}
