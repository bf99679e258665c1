import type { ExperimentJobEstimate } from "@spanward/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api } from "../lib/api.ts";
import { formatCompact, formatCost, formatDuration } from "../lib/format.ts";
import { useCan } from "../lib/me.ts";
import { useDebounced } from "../lib/use-debounced.ts";
import { experimentJobTexts as texts } from "../texts/experiment-jobs-en.ts";
import { playgroundTexts } from "../texts/playground-en.ts";
import { FormError } from "../ui/form-error.tsx";

/** So long nobody types before the estimate is asked for. */
const TYPING_MS = 400;

interface JobEstimateProps {
	/** Of the job. */
	readonly body: object;
	/** Of the columns. */
	readonly labels?: readonly string[];
	/** Whether it may cost so much at most. */
	readonly hasLimit: boolean;
}

/** What a job would cost, and on what that rests. */
export function JobEstimate({ body, labels = [], hasLimit }: JobEstimateProps): ReactNode {
	const asked = useDebounced(body, TYPING_MS);
	const { data, error, isFetching } = useQuery({
		queryKey: ["experiment-job-estimate", asked],
		queryFn: async ({ signal }) =>
			(await api.post("/v1/experiment_jobs/estimate", { body: asked as never, signal })).data,
		placeholderData: keepPreviousData,
		retry: false,
	});
	return (
		<section aria-label={texts.estimate} aria-busy={isFetching || asked !== body} className="flex flex-col gap-2">
			{error !== null ? (
				<FormError error={error} />
			) : data === undefined ? (
				<p className="text-muted">{texts.estimating}</p>
			) : (
				<Figures estimate={data} labels={labels} hasLimit={hasLimit} />
			)}
		</section>
	);
}

function Figures({
	estimate: {
		runs,
		examples,
		evaluations,
		tokens,
		cost_usd: cost,
		unpriced_models: unpriced,
		minutes,
		basis,
		problems,
	},
	labels,
	hasLimit,
}: {
	estimate: ExperimentJobEstimate;
	labels: readonly string[];
	hasLimit: boolean;
}): ReactNode {
	const time = (edge: number) => formatDuration(Math.ceil(edge * 60) * 1_000);
	const figures = [
		[texts.tokens, texts.range(formatCompact(tokens.low), formatCompact(tokens.high))],
		[texts.cost, cost === null ? texts.noPrice : texts.range(formatCost(cost.low), formatCost(cost.high))],
		[texts.minutes, texts.range(time(minutes.low), time(minutes.high))],
	] as const;
	const counts = [
		...(runs > 0 ? [texts.runs(runs, examples)] : []),
		...(evaluations > 0 || runs === 0 ? [texts.evaluations(evaluations)] : []),
	];
	return (
		<>
			<p className="font-semibold">{counts.join(", ")}</p>
			<dl className="grid grid-cols-[auto_1fr] gap-x-4 tabular-nums">
				{figures.map(([name, value]) => (
					<div key={name} className="contents">
						<dt className="text-muted">{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
			</dl>
			<p className="text-muted text-sm">{basis}</p>
			{unpriced.length > 0 && <Unpriced models={unpriced} hasLimit={hasLimit} />}
			{problems.length > 0 && (
				<div role="alert" className="rounded bg-warn-soft px-3 py-2 text-warn">
					<p className="font-semibold">{texts.problems}</p>
					<ul className="list-disc pl-4 [overflow-wrap:anywhere]">
						{problems.map(({ variant, message }) => (
							<li key={`${variant} ${message}`}>
								{texts.problemOf(labels[variant] || playgroundTexts.variant(variant + 1), message)}
							</li>
						))}
					</ul>
				</div>
			)}
		</>
	);
}

function Unpriced({ models, hasLimit }: { models: readonly string[]; hasLimit: boolean }): ReactNode {
	const can = useCan();
	return (
		<div role="alert" className="rounded bg-warn-soft px-3 py-2 text-warn [overflow-wrap:anywhere]">
			<p className="font-semibold">{texts.unpriced(models)}</p>
			<p>
				{hasLimit ? texts.unpricedLimit : texts.unpricedCost}{" "}
				{can("admin") ? (
					<Link to="/settings/prices" className="underline">
						{texts.setPrice}
					</Link>
				) : (
					texts.askForPrice
				)}
			</p>
		</div>
	);
}
