import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import ListChecks from "lucide-react/icons/list-checks";
import Plus from "lucide-react/icons/plus";
import type { ReactNode } from "react";
import { useCan } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { queuePages } from "../../lib/review-queues.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { useTableKeys } from "../../ui/use-table-keys.ts";
import { QueueTable } from "./queue-table.tsx";

const route = getRouteApi("/reviews");

/** The review queues of this server. */
export function ReviewsPage(): ReactNode {
	usePageTitle(TEXTS.title);
	const can = useCan();
	const { show } = route.useSearch();
	const navigate = route.useNavigate();
	const isArchived = show === "archived";
	const query = useInfiniteQuery(queuePages(isArchived));
	useTableKeys(query);
	const create = can("write") && (
		<Link to="/reviews/new" className={buttonClass("primary")}>
			<Plus size={14} aria-hidden />
			{TEXTS.create}
		</Link>
	);
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				<div className="flex flex-wrap items-center gap-2 px-4 pt-4 pb-3">
					<h1 className="mr-2 font-semibold text-xl">{TEXTS.title}</h1>
					<SegmentedControl
						label={TEXTS.which}
						value={isArchived ? "archived" : "open"}
						onChange={(value) =>
							void navigate({ search: value === "archived" ? { show: "archived" } : {}, replace: true })
						}
						choices={[
							{ value: "open", label: TEXTS.open },
							{ value: "archived", label: TEXTS.archived },
						]}
					/>
					<div className="ml-auto">{create}</div>
				</div>
				<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
					{(queues) =>
						queues.length === 0 ? (
							<EmptyState
								icon={<ListChecks size={24} aria-hidden />}
								title={isArchived ? TEXTS.noneArchived : TEXTS.none}
								text={isArchived ? undefined : create ? TEXTS.noneText : `${TEXTS.noneText} ${TEXTS.noneViewer}`}
								actions={isArchived ? undefined : create}
							/>
						) : (
							<>
								<QueueTable queues={queues} />
								<MoreRows query={query} what={TEXTS.more} />
							</>
						)
					}
				</Loaded>
			</main>
		</>
	);
}
