import type { Operations } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { withCondition } from "../../filtering/conditions.ts";
import { conditionOf } from "../../filtering/list-condition.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import { present } from "../../lib/search-params.ts";
import { formatTime } from "../../lib/time.ts";
import { chartRange, type TimeRangeSearch } from "../../lib/time-range.ts";
import { endUsersTexts as TEXTS } from "../../texts/end-users-en.ts";
import type { UsersSearch } from "./search.ts";

type Page = Operations["get"]["/v1/projects/{project_identifier}/end_users"]["response"];

/** Whose traces are not in the list, and that not all were read. */
export function UsersNotes({
	project,
	search,
	page,
}: {
	project: string;
	search: UsersSearch & TimeRangeSearch;
	page: Pick<Page, "traces_without_user" | "is_partial" | "covered_start_time">;
}): ReactNode {
	const { traces_without_user: count, is_partial, covered_start_time } = page;
	const { from, to } = chartRange(search, USERS_RANGE);
	const { condition, words } = conditionOf("trace", present({ filter: search.filter }));
	return (
		<div className="flex flex-wrap gap-x-3 border-line border-b px-4 py-1 text-muted text-sm">
			{is_partial && (
				<p role="status" className="text-warn">
					{TEXTS.partial(formatTime(covered_start_time))}
				</p>
			)}
			{count > 0 && (
				<p>
					{TEXTS.withoutUser(count)}{" "}
					<Link
						to="/p/$project/traces"
						params={{ project }}
						search={present({
							...present({ q: words }),
							filter: withCondition(condition, "user_id is None"),
							from,
							to,
						})}
						className="text-accent underline"
					>
						{TEXTS.showThem}
					</Link>
				</p>
			)}
		</div>
	);
}
