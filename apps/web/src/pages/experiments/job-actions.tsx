import type { ExperimentJob } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import X from "lucide-react/icons/x";
import { type ReactNode, useState } from "react";
import { useMayChangeDataset } from "../../homes/use-may-change.ts";
import { api } from "../../lib/api.ts";
import { hasEnded, invalidateJobs } from "../../lib/experiment-jobs.ts";
import { formatCost } from "../../lib/format.ts";
import { experimentJobTexts as texts } from "../../texts/experiment-jobs-en.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";

/** What can be done with a job as it is now; nothing for those who may not change its dataset. */
export function JobActions({ job }: { job: ExperimentJob }): ReactNode {
	// The dataset may be gone.
	return job.state === "failed" ? null : <Actions job={job} />;
}

interface Change {
	readonly state: "paused" | "running";
	readonly max_cost_usd?: number;
}

function Actions({ job }: { job: ExperimentJob }): ReactNode {
	const mayChange = useMayChangeDataset(job.dataset_id);
	const queries = useQueryClient();
	const [asking, setAsking] = useState<"cancel" | "raise">();
	const path = { job_id: job.id };
	const onSettled = () => invalidateJobs(queries);
	const change = useMutation({
		mutationFn: (body: Change) => api.patch("/v1/experiment_jobs/{job_id}", { path, body }),
		onSuccess: () => setAsking(undefined),
		onSettled,
	});
	const cancel = useMutation({
		mutationFn: () => api.delete("/v1/experiment_jobs/{job_id}", { path }),
		onSuccess: () => setAsking(undefined),
		onSettled,
	});
	const retry = useMutation({
		mutationFn: () => api.post("/v1/experiment_jobs/{job_id}/retry", { path }),
		onSettled,
	});
	if (!mayChange) return null;
	const { state, reason, name } = job;
	const isPaused = state === "paused";
	const hasFailures = job.runs.failed + job.evaluations.failed > 0;
	return (
		<div className="flex flex-wrap items-center gap-2 empty:hidden">
			{(state === "running" || state === "waiting") && (
				<Button
					aria-label={texts.pauseOf(name)}
					disabled={change.isPending}
					onClick={() => change.mutate({ state: "paused" })}
				>
					<Pause size={14} aria-hidden />
					{texts.pause}
				</Button>
			)}
			{isPaused && (
				<Button
					aria-label={texts.resumeOf(name)}
					disabled={change.isPending}
					onClick={() => (reason === "cost_limit" ? setAsking("raise") : change.mutate({ state: "running" }))}
				>
					<Play size={14} aria-hidden />
					{texts.resume}
				</Button>
			)}
			{hasFailures && (isPaused || state === "done") && (
				<Button aria-label={texts.retryOf(name)} disabled={retry.isPending} onClick={() => retry.mutate()}>
					<RotateCcw size={14} aria-hidden />
					{texts.retry}
				</Button>
			)}
			{!hasEnded(job) && (
				<Button aria-label={texts.cancelOf(name)} onClick={() => setAsking("cancel")}>
					<X size={14} aria-hidden />
					{texts.cancel}
				</Button>
			)}
			{asking === undefined && <FormError error={change.error ?? retry.error} />}
			{asking === "cancel" && (
				<ConfirmDialog
					title={texts.cancelTitle(name)}
					action={texts.cancelAction}
					mutation={cancel}
					onClose={() => setAsking(undefined)}
				>
					<p>{texts.cancelText}</p>
				</ConfirmDialog>
			)}
			{asking === "raise" && (
				<RaiseDialog
					job={job}
					isPending={change.isPending}
					error={change.error}
					onRaise={(most) => change.mutate({ state: "running", max_cost_usd: most })}
					onClose={() => setAsking(undefined)}
				/>
			)}
		</div>
	);
}

/** A job that has reached its limit goes on with a higher one only. */
function RaiseDialog({
	job: { name, cost_usd: spent, max_cost_usd: most },
	isPending,
	error,
	onRaise,
	onClose,
}: {
	job: ExperimentJob;
	isPending: boolean;
	error: Error | null;
	onRaise: (most: number) => void;
	onClose: () => void;
}): ReactNode {
	const [text, setText] = useState(String(2 * (most ?? spent)));
	const [isBad, setBad] = useState(false);
	return (
		<FormDialog
			title={texts.raiseTitle(name)}
			action={texts.resume}
			isPending={isPending}
			error={error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				const value = Number(text);
				const isHigher = Number.isFinite(value) && value > spent;
				setBad(!isHigher);
				if (isHigher) onRaise(value);
			}}
		>
			<p>{texts.raiseText(formatCost(spent), formatCost(most))}</p>
			<Field label={texts.maxCost} error={isBad ? texts.raiseBad(formatCost(spent)) : undefined}>
				<Input
					inputMode="decimal"
					value={text}
					aria-invalid={isBad}
					onChange={(event) => setText(event.target.value)}
				/>
			</Field>
		</FormDialog>
	);
}
