import type { ErrorGroup, ErrorGroupPage } from "@spanward/client";
import { type InfiniteData, type UseInfiniteQueryResult, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { formatTime } from "../../lib/time.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { countNew, newestGroups } from "./queries.ts";
import type { ErrorsSearch } from "./search.ts";

interface InboxNoticesProps {
	readonly project: string;
	readonly search: ErrorsSearch & TimeRangeSearch;
	readonly query: UseInfiniteQueryResult<InfiniteData<ErrorGroupPage>>;
	readonly rows: readonly ErrorGroup[];
	readonly mayChange: boolean;
}

/** What the list does not show: what came meanwhile, what is not counted, and why. */
export function InboxNotices({ project, search, query, rows, mayChange }: InboxNoticesProps): ReactNode {
	const page = query.data?.pages[0];
	const { data: newest } = useQuery({ ...newestGroups(project, search), enabled: page !== undefined });
	const waiting = newest === undefined || query.isFetching ? 0 : countNew(rows, newest);
	const show = () => void query.refetch();
	useShortcuts({
		title: texts.shortcuts.list,
		shortcuts: [{ keys: ["n"], label: texts.shortcuts.showNew, run: () => (waiting > 0 ? show() : false) }],
	});
	const notices = [
		...(page?.is_enabled === false ? [TEXTS.off] : []),
		...(page?.is_full === true ? [TEXTS.full] : []),
		...(page?.is_partial === true ? [TEXTS.partial(formatTime(page.covered_start_time))] : []),
		...(mayChange || page === undefined ? [] : [TEXTS.readOnly]),
	];
	return (
		<>
			{notices.map((notice) => (
				<p key={notice} className="border-line border-b px-3 py-1.5 text-muted text-sm">
					{notice}
				</p>
			))}
			<div role="status" className="flex justify-center empty:hidden">
				{waiting > 0 && (
					<Button look="primary" className="my-1" onClick={show}>
						{TEXTS.waiting(waiting)}
					</Button>
				)}
			</div>
		</>
	);
}
