import type { ReviewQueue } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useCan, useMe } from "../../lib/me.ts";
import { openCount, openReviewsQuery } from "../../lib/open-reviews.ts";
import { isReviewer } from "../../lib/review-queues.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Chip } from "../../ui/chip.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { DueDate } from "./due-date.tsx";
import { QueueProgress } from "./progress.tsx";

/** Queues with how far they are, and what waits for the user. */
export function QueueTable({ queues }: { queues: readonly ReviewQueue[] }): ReactNode {
	const me = useMe();
	const can = useCan();
	const { data: open } = useQuery(openReviewsQuery);
	const columns: TableColumn<ReviewQueue>[] = [
		{
			key: "name",
			title: TEXTS.column.name,
			cell: (queue) => (
				<>
					<Link
						to="/reviews/$queue/items"
						params={{ queue: queue.id }}
						className="block truncate font-medium hover:text-accent"
					>
						{queue.name}
					</Link>
					<p className="truncate text-muted text-sm">{queue.description ?? TEXTS.targets[queue.target]}</p>
				</>
			),
		},
		{
			key: "progress",
			title: TEXTS.column.progress,
			className: "w-40 max-sm:hidden",
			cell: ({ counts }) => (
				<>
					<QueueProgress counts={counts} />
					<span className="text-muted text-sm">
						{TEXTS.doneOf(counts.done, counts.done + counts.pending + counts.in_review + counts.disagreement)}
					</span>
				</>
			),
		},
		{
			key: "disagreements",
			title: TEXTS.column.disagreements,
			align: "right",
			className: "w-32 max-md:hidden",
			cell: ({ counts }) => (counts.disagreement > 0 ? <Chip tone="warn">{counts.disagreement}</Chip> : 0),
		},
		{
			key: "due",
			title: TEXTS.column.due,
			className: "w-28 max-md:hidden",
			cell: ({ due_at }) => <DueDate time={due_at} />,
		},
		{
			key: "created",
			title: TEXTS.column.created,
			align: "right",
			className: "w-28 max-lg:hidden",
			cell: ({ created_at }) => <RelativeTime time={created_at} className="text-muted" />,
		},
		{
			key: "start",
			title: TEXTS.column.start,
			hideTitle: true,
			align: "right",
			className: "w-36",
			cell: (queue) => {
				const waiting = open?.get(queue.id);
				if (queue.archived_at !== null || !can("write") || !isReviewer(queue, me?.id)) return null;
				if (waiting === undefined) return <span className="text-muted">{TEXTS.nothingLeft}</span>;
				return (
					<Link
						to="/reviews/$queue/review"
						params={{ queue: queue.id }}
						aria-label={TEXTS.startNamed(queue.name)}
						className={buttonClass()}
					>
						{TEXTS.start(openCount(waiting))}
					</Link>
				);
			},
		},
	];
	return (
		<div className="px-2">
			<Table label={TEXTS.title} columns={columns} rows={queues} rowKey={({ id }) => id} />
		</div>
	);
}
