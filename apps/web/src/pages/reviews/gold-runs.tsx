import type { ReviewGoldRun, ReviewQueue } from "@spanward/client";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import Database from "lucide-react/icons/database";
import { type ReactNode, Suspense, useState } from "react";
import { api } from "../../lib/api.ts";
import { formatInteger } from "../../lib/format.ts";
import { useCan } from "../../lib/me.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

const GoldRunDialog = lazyPart(() => import("./gold-run-dialog.tsx"), "GoldRunDialog", { isOver: true });

const TEXTS = reviewTexts.gold;
/** So many runs are shown. */
const SHOWN = 5;
const LOOK_MS = 1_000;

function isUnfinished({ state }: ReviewGoldRun): boolean {
	return state === "waiting" || state === "running";
}

/** The newest runs of a queue that the user may see, looked at again while one goes on. */
function goldRunsQuery(queueId: string) {
	return queryOptions({
		queryKey: ["review-gold-runs", queueId],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/review_queues/{queue_id}/gold_runs", {
					path: { queue_id: queueId },
					query: { limit: SHOWN },
					signal,
				})
			).data,
		refetchInterval: ({ state }) => (state.data?.some(isUnfinished) ? LOOK_MS : false),
	});
}

/** What makes the gold answers of a queue a version of a dataset, and the runs that do or did so. */
export function GoldRuns({ queue }: { queue: ReviewQueue }): ReactNode {
	const queries = useQueryClient();
	const can = useCan();
	const query = useQuery(goldRunsQuery(queue.id));
	const [isOpen, setOpen] = useState(false);
	const runs = query.data ?? [];
	return (
		<section aria-labelledby="gold" className="flex flex-col gap-2">
			<h2 id="gold" className="font-semibold">
				{TEXTS.title}
			</h2>
			<p className="text-muted">{TEXTS.text}</p>
			{can("write") && (
				<Button className="self-start" disabled={queue.counts.done === 0} onClick={() => setOpen(true)}>
					<Database size={14} aria-hidden />
					{TEXTS.make}
				</Button>
			)}
			<FormError error={query.error} />
			{runs.length > 0 && (
				<ul aria-label={TEXTS.runs} className="flex flex-col gap-3">
					{runs.map((run) => (
						<li key={run.id}>
							<Run run={run} />
						</li>
					))}
				</ul>
			)}
			<Suspense>
				{isOpen && (
					<GoldRunDialog
						queue={queue}
						onClose={() => setOpen(false)}
						onStarted={() => {
							setOpen(false);
							void queries.invalidateQueries({ queryKey: ["review-gold-runs", queue.id] });
						}}
					/>
				)}
			</Suspense>
		</section>
	);
}

function Run({ run }: { run: ReviewGoldRun }): ReactNode {
	const queries = useQueryClient();
	const cancel = useMutation({
		mutationFn: async () =>
			await api.delete("/v1/review_queues/{queue_id}/gold_runs/{gold_run_id}", {
				path: { queue_id: run.queue_id, gold_run_id: run.id },
			}),
		onSettled: () => queries.invalidateQueries({ queryKey: ["review-gold-runs", run.queue_id] }),
	});
	const { total_items: total, done_items: done } = run;
	const goesOn = isUnfinished(run);
	return (
		<div className="flex max-w-md flex-col gap-1">
			<p role="status" className="flex flex-wrap items-baseline gap-x-2">
				<span className="font-medium">{TEXTS.state[run.state]}</span>
				<span className="text-muted text-sm tabular-nums">
					{goesOn ? TEXTS.of(formatInteger(done), formatInteger(total)) : run.state === "done" && TEXTS.result(run)}
				</span>
				<RelativeTime time={run.created_at} className="text-muted text-sm" />
			</p>
			{goesOn && (
				<span className="flex items-center gap-2">
					<progress
						aria-label={TEXTS.state[run.state]}
						className="h-1.5 flex-1 accent-accent"
						max={Math.max(total, 1)}
						value={done}
					/>
					<Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
						{TEXTS.cancel}
					</Button>
				</span>
			)}
			<FormError error={cancel.error} />
			{run.error && (
				<p role="alert" className="text-danger text-sm [overflow-wrap:anywhere]">
					{run.error}
				</p>
			)}
			{run.left_out_items > 0 && <LeftOut run={run} />}
			{run.version_id !== null && run.dataset_id !== null && (
				<Link
					to="/datasets/$dataset/examples"
					params={{ dataset: run.dataset_id }}
					className="self-start text-accent text-sm hover:underline"
				>
					{TEXTS.openDataset}
				</Link>
			)}
		</div>
	);
}

/** The first items that became no example, each with a link. */
function LeftOut({ run }: { run: ReviewGoldRun }): ReactNode {
	return (
		<details className="text-muted text-sm">
			<summary>{TEXTS.leftOut(run.left_out_items)}</summary>
			<ul className="list-disc pl-5 [overflow-wrap:anywhere]">
				{run.left_out.map(({ item_id, reason }) => (
					<li key={item_id}>
						<Link
							to="/reviews/$queue/items/$item"
							params={{ queue: run.queue_id, item: item_id }}
							className="text-accent hover:underline"
						>
							{TEXTS.item}
						</Link>{" "}
						{reason}
					</li>
				))}
			</ul>
		</details>
	);
}
