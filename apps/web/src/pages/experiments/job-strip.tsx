import type { ExperimentJob } from "@spanward/client";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import {
	experimentJobPages,
	experimentJobQuery,
	experimentJobsQuery,
	hasEnded,
	isActive,
} from "../../lib/experiment-jobs.ts";
import { formatCost, formatDuration, formatInteger } from "../../lib/format.ts";
import { experimentJobTexts as texts } from "../../texts/experiment-jobs-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { Loaded } from "../../ui/listed.tsx";
import { MoreRows } from "../../ui/more-rows.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Select } from "../../ui/select.tsx";
import { JobActions } from "./job-actions.tsx";
import { invalidateExperiments } from "./queries.ts";
import { type ExperimentsSearch, LISTED_JOBS } from "./search.ts";

/** How long a job is shown after it has ended, and how many of them. */
const RECENT_MS = 24 * 3_600_000;
const MAX_ENDED = 3;

interface JobStripProps {
	/** Undefined for those of all. */
	readonly dataset: string | undefined;
	/** Undefined: those that have not ended, and those that just have. */
	readonly shown: ExperimentsSearch["jobs"];
	readonly onShown: (shown: ExperimentsSearch["jobs"]) => void;
}

/** Experiments that the server runs; nothing before there was one. */
export function JobStrip({ dataset, shown, onShown }: JobStripProps): ReactNode {
	const { data = [] } = useQuery(experimentJobsQuery(dataset));
	if (data.length === 0 && shown === undefined) return null;
	return (
		<section aria-label={texts.region} className="shrink-0 border-line border-b">
			<div className="flex items-center gap-2 px-3 py-1">
				<h2 className="font-semibold">{texts.jobs}</h2>
				<Select
					label={texts.shown}
					value={shown ?? "current"}
					onChange={(next) => onShown(next === "current" ? undefined : next)}
					choices={(["current", ...LISTED_JOBS] as const).map((value) => ({ value, label: texts.shownChoices[value] }))}
				/>
				{shown === undefined && currentJobs(data).length === 0 && (
					<span className="truncate text-muted text-sm max-sm:sr-only">{texts.noneCurrent}</span>
				)}
			</div>
			{shown === undefined ? (
				<JobList jobs={currentJobs(data)} />
			) : (
				<JobsInState dataset={dataset} state={shown === "all" ? undefined : shown} />
			)}
		</section>
	);
}

function currentJobs(jobs: readonly ExperimentJob[]): readonly ExperimentJob[] {
	const ended = jobs.filter((job) => hasEnded(job) && Date.parse(job.updated_at) > Date.now() - RECENT_MS);
	return [...jobs.filter((job) => !hasEnded(job)), ...ended.slice(0, MAX_ENDED)];
}

function JobsInState({
	dataset,
	state,
}: {
	dataset: string | undefined;
	state: ExperimentJob["state"] | undefined;
}): ReactNode {
	const query = useInfiniteQuery(experimentJobPages(dataset, state));
	return (
		<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
			{(jobs) =>
				jobs.length === 0 ? (
					<p className="px-3 pb-2 text-muted">{state === undefined ? texts.none : texts.noneIn(texts.state[state])}</p>
				) : (
					<JobList jobs={jobs} more={<MoreRows query={query} what={texts.moreJobs} />} />
				)
			}
		</Loaded>
	);
}

function JobList({ jobs, more }: { jobs: readonly ExperimentJob[]; more?: ReactNode }): ReactNode {
	if (jobs.length === 0) return null;
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable
		<section tabIndex={0} aria-label={texts.jobs} className="max-h-[35vh] overflow-y-auto">
			<ul className="flex flex-col divide-y divide-line">
				{jobs.map((job) => (
					<JobRow key={job.id} listed={job} />
				))}
			</ul>
			{more}
		</section>
	);
}

/** A job: its state, its progress, and what can be done with it. */
export function JobRow({ listed }: { listed: ExperimentJob }): ReactNode {
	const queries = useQueryClient();
	const { data: job } = useQuery(experimentJobQuery(listed));
	const { state, reason, error, runs, evaluations } = job;
	const isAtWork = isActive(job);
	const wasAtWork = useRef(isAtWork);
	// The list below shows the last runs as soon as there are no more to come.
	useEffect(() => {
		if (wasAtWork.current && !isAtWork) {
			void invalidateExperiments(queries);
			void queries.invalidateQueries({ queryKey: ["experiment-jobs"] });
		}
		wasAtWork.current = isAtWork;
	}, [isAtWork, queries]);
	const why = error ?? (reason === null ? undefined : texts.reason[reason]);
	const failures = runs.failed + evaluations.failed;
	const isBad = state === "failed" || (state === "paused" && reason !== "asked");
	return (
		<li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-3 py-2">
			<div className="min-w-0 flex-[1_1_16rem]">
				<p className="flex flex-wrap items-baseline gap-x-2">
					<span className="font-semibold [overflow-wrap:anywhere]">
						{job.kind === "evaluate" ? texts.evaluationOf(job.name) : job.name}
					</span>
					<span role="status" className={classNames("text-sm", isBad ? "text-danger" : tone(state, failures))}>
						{texts.state[state]}
					</span>
					{hasEnded(job) && (
						<span className="text-muted text-sm">
							<RelativeTime time={job.updated_at} />
						</span>
					)}
				</p>
				{why !== undefined && (
					<p className={classNames("text-sm [overflow-wrap:anywhere]", isBad ? "text-danger" : "text-muted")}>{why}</p>
				)}
			</div>
			<div className="flex min-w-0 flex-[1_1_18rem] flex-col gap-1">
				<JobProgress job={job} />
				<p className="flex flex-wrap gap-x-3 text-muted text-sm tabular-nums">
					{runs.total > 0 && <span>{texts.runsDone(formatInteger(runs.done), formatInteger(runs.total))}</span>}
					{evaluations.total > 0 && (
						<span>{texts.evaluationsDone(formatInteger(evaluations.done), formatInteger(evaluations.total))}</span>
					)}
					{failures > 0 && <span className="text-danger">{texts.failed(failures)}</span>}
					<span>
						{job.max_cost_usd === null
							? formatCost(job.cost_usd)
							: texts.spentOf(formatCost(job.cost_usd), formatCost(job.max_cost_usd))}
					</span>
					{isAtWork && job.minutes_left !== null && (
						<span>{texts.left(formatDuration(Math.ceil(job.minutes_left * 60) * 1_000))}</span>
					)}
				</p>
			</div>
			<JobActions job={job} />
		</li>
	);
}

function tone(state: ExperimentJob["state"], failures: number): string {
	if (state === "running") return "text-accent";
	if (state !== "done") return "text-muted";
	return failures > 0 ? "text-warn" : "text-ok";
}

/** What is done and what has failed, of runs and evaluations together. */
function JobProgress({ job: { name, runs, evaluations } }: { job: ExperimentJob }): ReactNode {
	const total = Math.max(1, runs.total + evaluations.total);
	const done = ((runs.done + evaluations.done) / total) * 100;
	const failed = ((runs.failed + evaluations.failed) / total) * 100;
	return (
		<svg
			role="progressbar"
			aria-label={texts.progress(name)}
			aria-valuemin={0}
			aria-valuemax={100}
			aria-valuenow={Math.round(done + failed)}
			viewBox="0 0 100 8"
			preserveAspectRatio="none"
			className="h-1.5 w-full"
		>
			<rect width="100" height="8" className="fill-line-strong" />
			<rect width={done} height="8" className="fill-ok" />
			<rect x={done} width={failed} height="8" className="fill-danger" />
		</svg>
	);
}
