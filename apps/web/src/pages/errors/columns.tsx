import type { ErrorGroup } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCompact, formatInteger, UNKNOWN } from "../../lib/format.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Chip } from "../../ui/chip.tsx";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { rowLink } from "../../ui/row-link.ts";
import { Sparkline } from "../../ui/sparkline.tsx";
import { placeOf } from "./place-of.ts";
import type { ErrorsSearch } from "./search.ts";

const dim = <span className="text-muted">{UNKNOWN}</span>;
const NAMES = TEXTS.column;

/** What the API sorts by, by column; undefined for the usual order. */
const SORTS: Readonly<Record<string, ErrorsSearch["sort"]>> = {
	last: undefined,
	first: "first_seen",
	count: "count",
	users: "users",
};

export function sortedColumn(sort: ErrorsSearch["sort"]): string {
	return Object.entries(SORTS).find(([, key]) => key === sort)?.[0] ?? "last";
}

/** The address after a click on a column's header; all sorts descend. */
export function sortSearch({ sort: _sort, ...rest }: ErrorsSearch, column: string): ErrorsSearch {
	const sort = SORTS[column];
	return sort === undefined ? rest : { ...rest, sort };
}

/** Keys of the columns that phones have room for. */
const ON_PHONES = ["title", "count", "last"];

export function groupColumns(project: string, range: TimeRangeSearch, isPhone: boolean): GridColumn<ErrorGroup>[] {
	const all: GridColumn<ErrorGroup>[] = [
		{
			key: "title",
			title: NAMES.title,
			width: isPhone ? 120 : 320,
			grow: 1,
			cell: (group) => <Title group={group} project={project} range={range} />,
		},
		{
			key: "sparkline",
			title: NAMES.sparkline,
			hideTitle: true,
			width: 110,
			cell: ({ sparkline, count }) => sparkline && <Sparkline label={TEXTS.spark(count)} values={sparkline} />,
		},
		{
			key: "count",
			title: NAMES.count,
			width: 56,
			align: "right",
			cell: ({ count, total_count: total }) => (
				<span title={`${formatInteger(count)}, ${TEXTS.totalCount(total)}`}>{formatCompact(count)}</span>
			),
		},
		{
			key: "users",
			title: NAMES.users,
			width: 52,
			align: "right",
			cell: ({ user_count: count }) =>
				count === 0 ? dim : <span title={formatInteger(count)}>{formatCompact(count)}</span>,
		},
		{
			key: "last",
			title: NAMES.last,
			width: 84,
			align: "right",
			cell: ({ last_seen: time }) => <RelativeTime time={time} className="text-muted" />,
		},
		{
			key: "first",
			title: NAMES.first,
			width: 84,
			align: "right",
			cell: ({ first_seen: time }) => <RelativeTime time={time} className="text-muted" />,
		},
		{
			key: "release",
			title: NAMES.release,
			width: 90,
			cell: ({ last_release: release }) => (release === null ? dim : <span title={release}>{release}</span>),
		},
		{
			key: "assignee",
			title: NAMES.assignee,
			width: 100,
			cell: ({ assignee }) => (assignee === null ? dim : assignee.username),
		},
	];
	const shown = isPhone ? all.filter(({ key }) => ON_PHONES.includes(key)) : all;
	return shown.map((column) => ({ ...column, sortable: column.key in SORTS }));
}

function Title({ group, project, range }: { group: ErrorGroup; project: string; range: TimeRangeSearch }): ReactNode {
	const { id, title, substate } = group;
	return (
		<>
			{(substate === "new" || substate === "regressed") && (
				<Chip tone={substate === "regressed" ? "danger" : "accent"} className="mr-1.5">
					{TEXTS.substate[substate]}
				</Chip>
			)}
			<Link
				to="/p/$project/errors/$group"
				params={{ project, group: id }}
				search={range}
				title={title}
				{...rowLink("font-medium hover:text-accent")}
			>
				{title}
			</Link>
			<span className="ml-2 text-muted">{placeOf(group)}</span>
		</>
	);
}
