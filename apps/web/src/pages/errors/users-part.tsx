import type { ErrorGroupDetail } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatInteger } from "../../lib/format.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { GroupPart } from "./group-part.tsx";

type User = ErrorGroupDetail["users"][number];

/** Who met it most often. */
export function UsersPart({
	project,
	group,
	range,
}: {
	project: string;
	group: ErrorGroupDetail;
	range: TimeRangeSearch;
}): ReactNode {
	const { users, user_count: all } = group;
	if (users.length === 0) {
		return (
			<GroupPart title={TEXTS.users}>
				<p className="text-muted">{TEXTS.noUsers}</p>
			</GroupPart>
		);
	}
	return (
		<GroupPart title={TEXTS.users} text={all > users.length ? TEXTS.usersShown(users.length, all) : undefined}>
			<Table label={TEXTS.users} columns={columns(project, range)} rows={users} rowKey={({ user_id: id }) => id} />
		</GroupPart>
	);
}

function columns(project: string, range: TimeRangeSearch): TableColumn<User>[] {
	const { user, count, last } = TEXTS.userColumn;
	return [
		{
			key: "user",
			title: user,
			className: "truncate",
			cell: ({ user_id: id }) => (
				<Link
					to="/p/$project/traces"
					params={{ project }}
					search={{ ...range, user: [id], error: "1" }}
					title={id}
					className="hover:text-accent hover:underline"
				>
					{id}
				</Link>
			),
		},
		{ key: "count", title: count, align: "right", className: "w-28", cell: (row) => formatInteger(row.count) },
		{
			key: "last",
			title: last,
			align: "right",
			className: "w-24",
			cell: ({ last_seen: time }) => <RelativeTime time={time} className="text-muted" />,
		},
	];
}
