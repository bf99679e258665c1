import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import ExternalLink from "lucide-react/icons/external-link";
import type { ReactNode } from "react";
import { formatDuration } from "../../lib/format.ts";
import { isNotHere } from "../../lib/look-again.ts";
import { dataTexts } from "../../texts/data-en.ts";
import type { Json } from "../../ui/content/json-value.ts";
import { ReadableValue } from "../../ui/content/readable-value.tsx";
import { TextContent } from "../../ui/content/text-content.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Evaluations, Reviews } from "./run-judgements.tsx";
import { type RunDetails, runDetailsQuery } from "./run-queries.ts";

const TEXTS = dataTexts.compare;

/** One run of an experiment: input, expected output, and what came of it. */
export function RunView({ run, hidesJudgements }: { run: string; hidesJudgements: boolean }): ReactNode {
	const { data, error, refetch } = useQuery(runDetailsQuery(run, hidesJudgements));
	if (data !== undefined) return <Run run={data} />;
	if (isNotHere(error)) return <EmptyState title={TEXTS.runMissing} text={TEXTS.runMissingText} />;
	if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
	return <SkeletonRows rows={10} />;
}

function Run({ run }: { run: RunDetails }): ReactNode {
	return (
		<>
			<RunHeader run={run} />
			<div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-3">
				<div className="grid gap-4 sm:grid-cols-2">
					<Value title={TEXTS.input} value={run.input as Json} />
					<Value title={TEXTS.reference} value={run.reference_output as Json} />
				</div>
				{run.error === null ? (
					<Value title={TEXTS.output} value={run.output as Json} />
				) : (
					<section aria-label={TEXTS.output} className="rounded bg-danger-soft p-2 text-danger">
						<h3 className="font-semibold">{TEXTS.failed}</h3>
						<TextContent text={run.error} plain mono />
					</section>
				)}
				{run.evaluations && <Evaluations evaluations={run.evaluations} />}
				{run.reviews && <Reviews reviews={run.reviews} />}
			</div>
		</>
	);
}

function RunHeader({ run }: { run: RunDetails }): ReactNode {
	return (
		<div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-2">
			<h2 className="min-w-0 truncate font-semibold">
				<Link
					to="/datasets/$dataset/compare"
					params={{ dataset: run.dataset_id }}
					search={{ experiment: [run.experiment_id], example: run.dataset_example_id }}
					className="hover:underline"
				>
					{run.experiment_name}
				</Link>
			</h2>
			{run.repetitions > 1 && (
				<span className="text-muted">{TEXTS.repetitionOf(run.repetition_number, run.repetitions)}</span>
			)}
			<span className="text-muted text-sm">{formatDuration(run.latency_ms)}</span>
			{run.trace_id !== null && run.project_name !== null && (
				<Link
					to="/p/$project/traces/$trace"
					params={{ project: run.project_name, trace: run.trace_id }}
					className="inline-flex items-center gap-1 text-accent text-sm hover:underline"
				>
					{TEXTS.trace}
					<ExternalLink size={12} aria-hidden />
				</Link>
			)}
		</div>
	);
}

function Value({ title, value }: { title: string; value: Json }): ReactNode {
	return (
		<section aria-label={title} className="min-w-0">
			<h3 className="mb-1 font-semibold text-muted text-sm">{title}</h3>
			<ReadableValue value={value} label={title} />
		</section>
	);
}
