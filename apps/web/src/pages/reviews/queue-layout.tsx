import type { ReviewQueue } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import Play from "lucide-react/icons/play";
import type { ReactNode } from "react";
import { isNotHere, lookAgain, useLastError } from "../../lib/look-again.ts";
import { useCan, useMe } from "../../lib/me.ts";
import { openCount, openReviewsQuery } from "../../lib/open-reviews.ts";
import { isReviewer, queueQuery } from "../../lib/review-queues.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Chip } from "../../ui/chip.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { DueDate } from "./due-date.tsx";
import { MissingQueue } from "./missing-queue.tsx";
import { QueueProgress } from "./progress.tsx";
import { QueueBar } from "./queue-bar.tsx";

const route = getRouteApi("/reviews/$queue");
const TAB =
	"flex h-10 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2 text-muted hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink";

/** The common frame of a queue's pages: name, progress, tabs, and the way to reviewing. */
export function QueueLayout(): ReactNode {
	const { queue: id } = route.useParams();
	const query = useQuery({ ...queueQuery(id), ...lookAgain });
	const { data, refetch } = query;
	const error = useLastError(id, query);
	return (
		<>
			<QueueBar queue={data} />
			<main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
				{isNotHere(error) ? (
					<>
						<h1 className="sr-only">{TEXTS.missing}</h1>
						<MissingQueue />
					</>
				) : error && !data ? (
					<ErrorState error={error} onRetry={() => void refetch()} />
				) : (
					<>
						<Header id={id} queue={data} />
						<Outlet />
					</>
				)}
			</main>
		</>
	);
}

function Header({ id, queue }: { id: string; queue: ReviewQueue | undefined }): ReactNode {
	return (
		<div className="flex shrink-0 flex-wrap items-center gap-x-3 border-line border-b px-3">
			<h1 className="min-w-0 max-w-96 truncate py-2 font-semibold text-lg" title={queue?.description ?? undefined}>
				{queue?.name ?? <Skeleton className="w-40" />}
			</h1>
			{queue && (
				<span className="flex items-center gap-2 text-muted text-sm">
					<QueueProgress counts={queue.counts} className="w-24" />
					{TEXTS.doneOf(queue.counts.done, total(queue))}
					{queue.due_at && (
						<span>
							{TEXTS.due} <DueDate time={queue.due_at} />
						</span>
					)}
					{queue.archived_at !== null && <Chip>{TEXTS.archivedMark}</Chip>}
				</span>
			)}
			<Tabs id={id} queue={queue} />
			{queue && <Start queue={queue} />}
		</div>
	);
}

function total({ counts }: ReviewQueue): number {
	return counts.done + counts.pending + counts.in_review + counts.disagreement;
}

function Tabs({ id, queue }: { id: string; queue: ReviewQueue | undefined }): ReactNode {
	const shared = { params: { queue: id }, className: TAB, activeOptions: { includeSearch: false } };
	return (
		<nav aria-label={TEXTS.tabs} className="flex min-w-0 gap-1 overflow-x-auto max-sm:order-last max-sm:w-full">
			<Link to="/reviews/$queue/items" {...shared}>
				{TEXTS.tab.items}
			</Link>
			<Link to="/reviews/$queue/progress" {...shared}>
				{TEXTS.tab.progress}
			</Link>
			<Link to="/reviews/$queue/agreement" {...shared}>
				{TEXTS.tab.agreement}
			</Link>
			<Link to="/reviews/$queue/calibration" {...shared}>
				{TEXTS.tab.calibration}
			</Link>
			<Link to="/reviews/$queue/disagreements" {...shared}>
				{TEXTS.tab.disagreements}
				{queue && queue.counts.disagreement > 0 && <Chip tone="warn">{queue.counts.disagreement}</Chip>}
			</Link>
			<Link to="/reviews/$queue/settings" {...shared}>
				{TEXTS.tab.settings}
			</Link>
		</nav>
	);
}

function Start({ queue }: { queue: ReviewQueue }): ReactNode {
	const me = useMe();
	const can = useCan();
	const { data: open } = useQuery(openReviewsQuery);
	const waiting = open?.get(queue.id);
	if (queue.archived_at !== null || !can("write") || !isReviewer(queue, me?.id)) return null;
	return (
		<Link
			to="/reviews/$queue/review"
			params={{ queue: queue.id }}
			className={buttonClass(waiting === undefined ? "plain" : "primary", "ml-auto my-1.5")}
		>
			<Play size={14} aria-hidden />
			{waiting === undefined ? TEXTS.toReviewing : TEXTS.start(openCount(waiting))}
		</Link>
	);
}
