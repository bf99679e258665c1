import type { Span } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatDuration } from "../../lib/format.ts";
import { texts } from "../../texts/en.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { ClockTime } from "../../ui/relative-time.tsx";
import { SpanKindIcon } from "../../ui/span-kind.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";
import { usagePages } from "./queries.ts";

const TEXTS = promptTexts.usage;

/** The spans that used a version. */
export function UsageTab({ version }: { version: string }): ReactNode {
	const query = useInfiniteQuery(usagePages(version, undefined));
	useTableKeys(query);
	return (
		<Loaded data={query.data} query={query}>
			{(data) => {
				const spans = data.pages.flatMap((page) => page.data);
				if (spans.length === 0) return <EmptyState title={TEXTS.none} text={TEXTS.noneText} />;
				return (
					<>
						<Table label={TEXTS.label} columns={COLUMNS} rows={spans} rowKey={(span) => span.id} />
						<MoreRows query={query} what={TEXTS.more} />
					</>
				);
			}}
		</Loaded>
	);
}

const COLUMNS: TableColumn<Span>[] = [
	{
		key: "name",
		title: TEXTS.name,
		cell: (span) => (
			<Link
				to="/redirects/$kind/$id"
				params={{ kind: "spans", id: span.context.span_id }}
				className="flex min-w-0 items-center gap-1.5 hover:text-accent hover:underline"
			>
				<SpanKindIcon kind={span.span_kind} />
				<span className="truncate font-medium">{span.name}</span>
				{span.status_code === "ERROR" && <StatusMark error />}
			</Link>
		),
	},
	{
		key: "model",
		title: TEXTS.model,
		className: "w-40 max-sm:hidden",
		cell: (span) => span.model ?? texts.state.unknown,
	},
	{
		key: "latency",
		title: TEXTS.latency,
		align: "right",
		className: "w-24 max-sm:hidden",
		cell: (span) => formatDuration(span.latency_ms),
	},
	{
		key: "time",
		title: TEXTS.time,
		align: "right",
		className: "w-32",
		cell: (span) => <ClockTime time={span.start_time} className="text-muted" />,
	},
];
