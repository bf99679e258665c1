import type { Reviewer, ReviewQueueProgress } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Download from "lucide-react/icons/download";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { formatDuration, formatInteger, UNKNOWN } from "../../lib/format.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { DueDate } from "./due-date.tsx";
import { progressQuery } from "./figures.ts";
import { GoldRuns } from "./gold-runs.tsx";

const route = getRouteApi("/reviews/$queue/progress");
const TEXTS = reviewTexts.progressPage;
const FORMATS = ["csv", "jsonl"] as const;

/** How far a queue is, by reviewer and by day, and all answers as a file. */
export function ProgressPage(): ReactNode {
	const { queue: id } = route.useParams();
	const { data: queue } = useQuery(queueQuery(id));
	const query = useQuery(progressQuery(id));
	usePageTitle(reviewTexts.tab.progress, queue?.name ?? reviewTexts.title);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className="mx-auto flex max-w-5xl flex-col gap-6 p-4">
				<Loaded data={query.data} query={query}>
					{(progress) =>
						progress.items + progress.removed === 0 ? (
							<EmptyState title={reviewTexts.noItems} />
						) : (
							<>
								<Facts progress={progress} />
								<Reviewers progress={progress} />
								<Days progress={progress} />
							</>
						)
					}
				</Loaded>
				<div className="flex flex-wrap items-center gap-2">
					<span className="text-muted">{TEXTS.allAnswers}</span>
					{FORMATS.map((format) => (
						<a
							key={format}
							download
							href={api.url("/v1/review_queues/{queue_id}/export", { path: { queue_id: id }, query: { format } })}
							className={buttonClass()}
						>
							<Download size={14} aria-hidden />
							{TEXTS.formats[format]}
						</a>
					))}
				</div>
				{queue && queue.target !== "experiment_run" && <GoldRuns queue={queue} />}
			</div>
		</div>
	);
}

function Facts({ progress }: { progress: ReviewQueueProgress }): ReactNode {
	const { median_seconds: median, estimated_end: end } = progress;
	const facts: readonly (readonly [string, ReactNode])[] = [
		[TEXTS.done, reviewTexts.doneOf(progress.done, progress.items)],
		[TEXTS.left, formatInteger(progress.left)],
		[TEXTS.reviewsLeft, formatInteger(progress.reviews_left)],
		[TEXTS.disagreements, formatInteger(progress.disagreements)],
		[TEXTS.reviews, formatInteger(progress.reviews)],
		[TEXTS.decisions, formatInteger(progress.decisions)],
		[TEXTS.skips, formatInteger(progress.skips)],
		[TEXTS.median, secondsText(median)],
		[TEXTS.end, end === null ? UNKNOWN : <DueDate key="end" time={end} />],
	];
	return (
		<dl className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-6 gap-y-4">
			{facts.map(([name, value]) => (
				<div key={name}>
					<dt className="text-muted text-sm">{name}</dt>
					<dd className="font-semibold text-lg tabular-nums">{value}</dd>
				</div>
			))}
		</dl>
	);
}

function secondsText(seconds: number | null): string {
	return seconds === null ? UNKNOWN : formatDuration(seconds * 1_000);
}

export function reviewerName({ username }: Reviewer): string {
	return username ?? TEXTS.somebody;
}

type ReviewerRow = ReviewQueueProgress["reviewers"][number];

function Reviewers({ progress: { reviewers } }: { progress: ReviewQueueProgress }): ReactNode {
	if (reviewers.length === 0) return <p className="text-muted">{TEXTS.nobody}</p>;
	const columns: TableColumn<ReviewerRow>[] = [
		{ key: "reviewer", title: TEXTS.reviewer, cell: ({ reviewer }) => reviewerName(reviewer) },
		{ key: "reviews", title: TEXTS.reviews, align: "right", className: "w-24", cell: ({ reviews }) => reviews },
		{ key: "skips", title: TEXTS.skips, align: "right", className: "w-24", cell: ({ skips }) => skips },
		{
			key: "median",
			title: TEXTS.median,
			align: "right",
			className: "w-36",
			cell: (row) => secondsText(row.median_seconds),
		},
	];
	return (
		<section aria-labelledby="by-reviewer">
			<h2 id="by-reviewer" className="mb-1 font-semibold">
				{TEXTS.byReviewer}
			</h2>
			<Table
				label={TEXTS.byReviewer}
				columns={columns}
				rows={reviewers}
				rowKey={(row) => row.reviewer.id ?? String(reviewers.indexOf(row))}
			/>
		</section>
	);
}

type Day = ReviewQueueProgress["days"][number];

function Days({ progress: { days } }: { progress: ReviewQueueProgress }): ReactNode {
	if (days.length === 0) return null;
	const most = Math.max(1, ...days.map(({ reviews }) => reviews));
	const columns: TableColumn<Day>[] = [
		{ key: "date", title: TEXTS.day, className: "w-32", cell: ({ date }) => date },
		{
			key: "reviews",
			title: TEXTS.reviews,
			cell: ({ reviews }) => (
				<span className="flex items-center gap-2">
					<span className="w-14 shrink-0 text-right tabular-nums">{formatInteger(reviews)}</span>
					<span aria-hidden className="h-2 flex-1">
						<span className="block h-full rounded bg-accent" style={{ width: `${(reviews / most) * 100}%` }} />
					</span>
				</span>
			),
		},
		{ key: "skips", title: TEXTS.skips, align: "right", className: "w-24", cell: ({ skips }) => skips },
		{ key: "decisions", title: TEXTS.decisions, align: "right", className: "w-24", cell: (day) => day.decisions },
	];
	return (
		<section aria-labelledby="by-day">
			<h2 id="by-day" className="mb-1 font-semibold">
				{TEXTS.byDay}
			</h2>
			<Table label={TEXTS.byDay} columns={columns} rows={days.toReversed()} rowKey={({ date }) => date} />
		</section>
	);
}
