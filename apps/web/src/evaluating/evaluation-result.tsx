import type { EvaluatorTemplate } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCost, formatDuration } from "../lib/format.ts";
import { evaluatorTexts } from "../texts/evaluators-en.ts";
import { Chip } from "../ui/chip.tsx";
import type { TryResult } from "./queries.ts";
import { JudgeMessages } from "./version-parts.tsx";

const TEXTS = evaluatorTexts.try;
// The answer's messages are those that version-parts shows; their schema is open.
type Messages = EvaluatorTemplate["messages"];

/** What an evaluator said of one thing, what that cost, and what a judge was sent. */
export function EvaluationResult({ result }: { result: TryResult }): ReactNode {
	const { outputs, cost_usd, latency_ms, model, trace_id, warnings, truncated, rendered } = result;
	const facts = [
		`${TEXTS.cost} ${formatCost(cost_usd)}`,
		`${TEXTS.took} ${formatDuration(latency_ms)}`,
		...(model === null ? [] : [`${TEXTS.model} ${model}`]),
	];
	return (
		<section aria-label={TEXTS.result} aria-live="polite" className="flex min-w-0 flex-col gap-3">
			<h2 className="font-semibold">{TEXTS.result}</h2>
			<ul className="flex flex-col gap-2">
				{Object.entries(outputs).map(([name, { label, score, explanation, error }]) => (
					<li key={name} className="rounded border border-line p-2 [overflow-wrap:anywhere]">
						<span className="flex flex-wrap items-center gap-2">
							<span className="font-medium">{name}</span>
							{label !== null && <Chip tone="accent">{label}</Chip>}
							{score !== null && <span>{score}</span>}
							{error && <Chip tone="danger">{error.code}</Chip>}
						</span>
						{error && <p className="text-danger">{error.message}</p>}
						{explanation && <p className="whitespace-pre-wrap text-muted">{explanation}</p>}
					</li>
				))}
			</ul>
			{truncated && <p className="text-warn">{TEXTS.truncated}</p>}
			{warnings.map((warning) => (
				<p key={warning} className="text-warn">
					{warning}
				</p>
			))}
			<p className="text-muted">{facts.join(" · ")}</p>
			{trace_id !== null && (
				<Link
					to="/redirects/$kind/$id"
					params={{ kind: "traces", id: trace_id }}
					className="self-start text-accent underline"
				>
					{TEXTS.trace}
				</Link>
			)}
			{rendered && (
				<section aria-label={TEXTS.rendered} className="flex flex-col gap-2">
					<h3 className="font-semibold">{TEXTS.rendered}</h3>
					<JudgeMessages messages={rendered as Messages} />
				</section>
			)}
		</section>
	);
}
