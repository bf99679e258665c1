import { Link } from "@tanstack/react-router";
import ExternalLink from "lucide-react/icons/external-link";
import { type ReactNode, useMemo } from "react";
import { EvaluateButton } from "../../evaluating/evaluate-button.tsx";
import { formatDuration } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Chip } from "../../ui/chip.tsx";
import type { Json } from "../../ui/content/json-value.ts";
import { ReadableValue } from "../../ui/content/readable-value.tsx";
import { TextContent } from "../../ui/content/text-content.tsx";
import { WordDiff } from "../../ui/content/word-diff.tsx";
import { Delta } from "./delta.tsx";
import { formatScore } from "./metrics.ts";
import { outputText } from "./output-text.ts";
import type { ComparedExperiment, ComparedRun } from "./queries.ts";
import { Evaluations, ReviewsOfRun } from "./run-judgements.tsx";

const TEXTS = dataTexts.compare;

export interface ComparedOutputProps {
	readonly name: string;
	readonly isBase: boolean;
	/** Whether the runs can be evaluated by who looks at them. */
	readonly mayChange: boolean;
	/** Name of the project that has the traces. */
	readonly project: string | undefined;
	readonly compared: ComparedExperiment | undefined;
	/** The run of the shown repetition; undefined when there is none. */
	readonly run: ComparedRun | undefined;
	readonly repetition: number;
	/** The base's output, for showing which words differ; undefined to show the output without a comparison. */
	readonly against: unknown;
}

/** One experiment's output for an example, with its scores. */
export function ComparedOutput(props: ComparedOutputProps): ReactNode {
	const { name, isBase, mayChange, project, compared, run, repetition, against } = props;
	return (
		<section aria-label={name} className="flex min-w-0 flex-col gap-2">
			<div className="flex min-w-0 items-center gap-1.5">
				<h3 className="truncate font-semibold" title={name}>
					{name}
				</h3>
				{isBase && (
					<Chip tone="accent" className="shrink-0">
						{TEXTS.base}
					</Chip>
				)}
			</div>
			<div className="flex min-w-0 flex-wrap items-center gap-x-3">
				{run && <span className="text-muted text-sm">{formatDuration(run.latency_ms)}</span>}
				{run?.trace_id && project !== undefined && (
					<Link
						to="/p/$project/traces/$trace"
						params={{ project, trace: run.trace_id }}
						aria-label={TEXTS.openTrace(name, repetition)}
						className="inline-flex shrink-0 items-center gap-1 text-accent text-sm hover:underline"
					>
						{TEXTS.trace}
						<ExternalLink size={12} aria-hidden />
					</Link>
				)}
				{run && run.error === null && mayChange && <EvaluateButton target={{ kind: "run", id: run.id }} />}
			</div>
			<Scores compared={compared} isBase={isBase} />
			{run ? <Output run={run} against={against} /> : <p className="text-muted italic">{TEXTS.notRun}</p>}
			{run && (
				<>
					<Evaluations
						evaluations={run.evaluations.filter(({ label, explanation, error }) => label || explanation || error)}
					/>
					<ReviewsOfRun run={run.id} />
				</>
			)}
		</section>
	);
}

function Output({ run, against }: { run: ComparedRun; against: unknown }): ReactNode {
	const output = run.output as Json;
	const [before, after] = useMemo(() => [outputText(against), outputText(output)], [against, output]);
	if (run.error !== null) {
		return (
			<div className="rounded bg-danger-soft p-2 text-danger">
				<p className="font-semibold">{TEXTS.failed}</p>
				<TextContent text={run.error} plain mono />
			</div>
		);
	}
	if (against === undefined) return <ReadableValue value={output} label={TEXTS.output} />;
	return <WordDiff before={before} after={after} />;
}

/** Means over the repetitions. */
function Scores({ compared, isBase }: { compared: ComparedExperiment | undefined; isBase: boolean }): ReactNode {
	const scores = Object.entries(compared?.scores ?? {});
	if (scores.length === 0) return null;
	return (
		<dl className="flex flex-wrap gap-x-4 gap-y-0.5">
			{scores.map(([metric, { mean, count }]) => {
				const delta = compared?.deltas[metric];
				return (
					<div key={metric} className="flex min-w-0 items-center gap-1.5">
						<dt className="truncate text-muted">{metric}</dt>
						<dd className="flex items-center gap-1.5" title={TEXTS.values(count)}>
							{formatScore(mean)}
							{delta !== undefined && !isBase && <Delta metric={metric} delta={delta} />}
						</dd>
					</div>
				);
			})}
		</dl>
	);
}
