import type { Analytics } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, type LinkProps, linkOptions } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { AnalyticsQuery } from "../../analytics/chart.ts";
import { formatCompact, formatCost, formatDuration, UNKNOWN } from "../../lib/format.ts";
import { projectPages } from "../../lib/projects.ts";
import { present } from "../../lib/search-params.ts";
import { analyticsTexts } from "../../texts/analytics-en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { ClockTime } from "../../ui/relative-time.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { SpanKindIcon } from "../../ui/span-kind.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { UserLink } from "../../ui/user-link.tsx";
import { type ExploredRow, exploredRows, listOf, type RowsQuestion, rowsQuestion } from "./row-queries.ts";

const TEXTS = analyticsTexts.explore;

export interface RowsTabProps {
	/** Undefined across projects: then one of `projects`, or of all, is chosen here. */
	readonly project: string | undefined;
	readonly projects: readonly string[] | undefined;
	readonly answer: Analytics;
	readonly query: AnalyticsQuery;
}

/** The rows that the answer counted, the newest first. */
export function RowsTab({ project, projects, answer, query }: RowsTabProps): ReactNode {
	const list = listOf(answer.of);
	if (list === undefined) return <EmptyState title={TEXTS.noList} text={TEXTS.noListText} />;
	const question = rowsQuestion(answer, query, list);
	if (project !== undefined) return <Rows project={project} question={question} />;
	return <RowsOfChosen projects={projects} question={question} />;
}

function RowsOfChosen({
	projects,
	question,
}: {
	projects: readonly string[] | undefined;
	question: RowsQuestion;
}): ReactNode {
	const [chosen, choose] = useState<string>();
	const { data, error, refetch } = useInfiniteQuery({
		...projectPages(undefined),
		enabled: projects === undefined,
	});
	const names = projects ?? data?.pages.flatMap((page) => page.data.map(({ name }) => name)) ?? [];
	const shown = chosen !== undefined && names.includes(chosen) ? chosen : names[0];
	if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
	if (shown === undefined) return data ? <EmptyState title={TEXTS.noRows} /> : <SkeletonRows rows={8} />;
	return (
		<div className="flex flex-col gap-2">
			<Select
				label={TEXTS.rowsOf}
				value={shown}
				onChange={choose}
				className="self-start"
				choices={names.map((name) => ({ value: name, label: name }))}
			/>
			<Rows key={shown} project={shown} question={question} />
		</div>
	);
}

function Rows({ project, question }: { project: string; question: RowsQuestion }): ReactNode {
	const query = useInfiniteQuery(exploredRows(project, question));
	const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
	if (query.error && rows.length === 0) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
	if (query.isPending) return <SkeletonRows rows={8} />;
	if (rows.length === 0 && !query.hasNextPage)
		return <EmptyState title={analyticsTexts.noData} text={analyticsTexts.noDataText} />;
	return (
		<>
			<p className="px-2 pb-1">
				<Link {...listLink(project, question)} className="text-accent hover:underline">
					{TEXTS.openList}
				</Link>
			</p>
			<Table label={TEXTS.rows} columns={columnsOf(project, question)} rows={rows} rowKey={({ key }) => key} />
			<MoreRows query={query} what={TEXTS.moreRows} />
		</>
	);
}

/** The list with the filter and the times of the question. */
function listLink(project: string, { of, filter, q, start_time, end_time }: RowsQuestion): LinkProps {
	const search = present({ filter, q, from: start_time, to: end_time });
	const params = { project };
	if (of === "sessions") return linkOptions({ to: "/p/$project/sessions", params, search }) as LinkProps;
	return linkOptions({
		to: "/p/$project/traces",
		params,
		search: { ...search, ...(of === "spans" ? { view: "spans" as const } : {}) },
	}) as LinkProps;
}

function rowLink(project: string, row: ExploredRow): LinkProps {
	if (row.traceId === undefined)
		return linkOptions({
			to: "/p/$project/sessions/$session",
			params: { project, session: row.sessionId ?? "" },
		}) as LinkProps;
	return linkOptions({
		to: "/p/$project/traces/$trace",
		params: { project, trace: row.traceId },
		search: row.spanId === undefined ? {} : { span: row.spanId },
	}) as LinkProps;
}

function columnsOf(project: string, { of }: RowsQuestion): TableColumn<ExploredRow>[] {
	const { column } = TEXTS;
	const right = { align: "right", className: "w-24" } as const;
	const all: (TableColumn<ExploredRow> | undefined)[] = [
		{
			key: "name",
			title: of === "sessions" ? column.session : column.name,
			cell: (row) => (
				<span className="flex min-w-0 items-center gap-1.5">
					{row.isError && <StatusMark error state="ended" />}
					{row.kind !== undefined && <SpanKindIcon kind={row.kind} />}
					<Link {...rowLink(project, row)} title={row.name} className="truncate font-medium hover:text-accent">
						{row.name || UNKNOWN}
					</Link>
				</span>
			),
		},
		{
			key: "start",
			title: column.start,
			className: "w-32",
			cell: (row) => <ClockTime time={row.startTime} className="text-muted" />,
		},
		of === "sessions"
			? undefined
			: {
					key: "session",
					title: column.session,
					className: "w-40 max-lg:hidden",
					cell: (row) => row.sessionId ?? UNKNOWN,
				},
		{
			key: "user",
			title: column.user,
			className: "w-40 max-md:hidden",
			cell: (row) =>
				row.userId === null ? UNKNOWN : <UserLink project={project} user={row.userId} className="hover:text-accent" />,
		},
		{ key: "latency", title: column.latency, ...right, cell: (row) => formatDuration(row.latencyMs) },
		{
			key: "tokens",
			title: column.tokens,
			align: "right",
			className: "w-20 max-sm:hidden",
			cell: (row) => formatCompact(row.tokens),
		},
		{
			key: "cost",
			title: column.cost,
			align: "right",
			className: "w-24 max-sm:hidden",
			cell: (row) => formatCost(row.cost),
		},
	];
	return all.filter((each) => each !== undefined);
}
