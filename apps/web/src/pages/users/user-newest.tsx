import type { Session, Trace } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCost, formatDuration, formatInteger, UNKNOWN } from "../../lib/format.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import { chartRange, rangeQuery } from "../../lib/time-range.ts";
import { endUsersTexts } from "../../texts/end-users-en.ts";
import { ErrorState } from "../../ui/error-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { newestSessionsQuery, newestTracesQuery } from "./queries.ts";
import type { UserPart } from "./user-page.tsx";
import { RowsSkeleton } from "./user-questions.tsx";

const TEXTS = endUsersTexts.user;
const NAMES = endUsersTexts.column;
const LINK = "truncate font-medium hover:text-accent";

/** What is shown of a session or trace that has such figures. */
function figures<
	Row extends { total_cost: number | null; latency_ms: number | null; start_time: string },
>(): TableColumn<Row>[] {
	return [
		{
			key: "latency",
			title: TEXTS.latency,
			align: "right",
			className: "w-24 max-sm:hidden",
			cell: (row) => formatDuration(row.latency_ms),
		},
		{ key: "cost", title: NAMES.cost, align: "right", className: "w-24", cell: (row) => formatCost(row.total_cost) },
		{
			key: "start",
			title: TEXTS.started,
			align: "right",
			className: "w-24",
			cell: (row) => <RelativeTime time={row.start_time} className="text-muted" />,
		},
	];
}

/** The newest traces of a user. */
export function NewestTraces({ project, user, range }: UserPart): ReactNode {
	const bounds = rangeQuery(chartRange(range, USERS_RANGE));
	const { data, error, refetch } = useQuery(newestTracesQuery(project, user, bounds));
	const columns: TableColumn<Trace>[] = [
		{
			key: "name",
			title: TEXTS.trace,
			cell: (row) => (
				<span className="flex min-w-0 items-center gap-1.5">
					{row.error_count > 0 && <StatusMark error state={row.state} />}
					<Link
						to="/p/$project/traces/$trace"
						params={{ project, trace: row.trace_id }}
						title={row.root_name ?? row.trace_id}
						className={LINK}
					>
						{row.root_name || UNKNOWN}
					</Link>
				</span>
			),
		},
		...figures<Trace>(),
	];
	return (
		<Newest title={TEXTS.newestTraces} error={error} rows={data} onRetry={() => void refetch()}>
			{data && <Table label={TEXTS.newestTraces} columns={columns} rows={data} rowKey={(row) => row.trace_id} />}
		</Newest>
	);
}

/** The newest sessions of a user. */
export function NewestSessions({ project, user, range }: UserPart): ReactNode {
	const bounds = rangeQuery(chartRange(range, USERS_RANGE));
	const { data, error, refetch } = useQuery(newestSessionsQuery(project, user, bounds));
	const columns: TableColumn<Session>[] = [
		{
			key: "session",
			title: TEXTS.session,
			cell: (row) => (
				<span className="flex min-w-0 items-center gap-1.5">
					{row.error_count > 0 && <StatusMark error state={row.state} />}
					<Link
						to="/p/$project/sessions/$session"
						params={{ project, session: row.session_id }}
						title={row.session_id}
						className={LINK}
					>
						{row.session_id}
					</Link>
				</span>
			),
		},
		{
			key: "traces",
			title: NAMES.traces,
			align: "right",
			className: "w-16",
			cell: (row) => formatInteger(row.trace_count),
		},
		...figures<Session>(),
	];
	return (
		<Newest
			title={TEXTS.newestSessions}
			error={error}
			rows={data}
			nothing={TEXTS.noSessions}
			onRetry={() => void refetch()}
		>
			{data && <Table label={TEXTS.newestSessions} columns={columns} rows={data} rowKey={(row) => row.id} />}
		</Newest>
	);
}

function Newest({
	title,
	error,
	rows,
	nothing,
	onRetry,
	children,
}: {
	title: string;
	error: Error | null;
	rows: readonly unknown[] | undefined;
	/** In place of no rows. */
	nothing?: string;
	onRetry: () => void;
	children: ReactNode;
}): ReactNode {
	return (
		<section aria-label={title} className="min-w-0">
			<h2 className="mb-2 font-semibold text-lg">{title}</h2>
			{error && rows === undefined ? (
				<ErrorState error={error} onRetry={onRetry} />
			) : rows === undefined ? (
				<RowsSkeleton />
			) : rows.length === 0 && nothing !== undefined ? (
				<p className="text-muted">{nothing}</p>
			) : (
				children
			)}
		</section>
	);
}
