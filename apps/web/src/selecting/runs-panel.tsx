import type { BulkRun } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import X from "lucide-react/icons/x";
import { type ReactNode, useEffect, useRef } from "react";
import { api } from "../lib/api.ts";
import { formatInteger } from "../lib/format.ts";
import { dismissRun, idsOfShown, shownRuns } from "../lib/shown-runs.ts";
import { useLocalSetting } from "../lib/use-local-setting.ts";
import { selectingTexts } from "../texts/selecting-en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { FormError } from "../ui/form-error.tsx";
import { isUnfinished, runQuery } from "./queries.ts";

const TEXTS = selectingTexts.runs;

/** The runs that were started here, on every page until they are dismissed. */
export function RunsPanel(): ReactNode {
	const ids = idsOfShown(useLocalSetting(shownRuns)[0]);
	if (ids.length === 0) return null;
	return (
		<section aria-label={TEXTS.title} className="max-h-[30vh] shrink-0 overflow-auto border-line border-t bg-surface">
			<ul className="flex flex-wrap">
				{ids.map((id) => (
					<li key={id} className="w-full p-3 sm:w-80">
						<Run id={id} />
					</li>
				))}
			</ul>
		</section>
	);
}

/** What a run may have changed. */
const CHANGED = [
	"rows",
	"sessions",
	"session",
	"turns",
	"trace",
	"span",
	"annotations",
	"datasets",
	"dataset",
	"examples",
];

function Run({ id }: { id: string }): ReactNode {
	const queries = useQueryClient();
	const { data: run, error } = useQuery(runQuery(id));
	const cancel = useMutation({
		mutationFn: async () => await api.delete("/v1/bulk_runs/{run_id}", { path: { run_id: id } }),
		onSettled: () => queries.invalidateQueries({ queryKey: ["bulk-run", id] }),
	});
	// Lists are asked for anew when a run ends that they do not know of yet.
	const wasRunning = useRef(false);
	const goesOn = run !== undefined && isUnfinished(run);
	const hasEnded = run !== undefined && !goesOn;
	useEffect(() => {
		if (goesOn) wasRunning.current = true;
		if (!hasEnded || !wasRunning.current) return;
		wasRunning.current = false;
		for (const key of CHANGED) void queries.invalidateQueries({ queryKey: [key] });
	}, [goesOn, hasEnded, queries]);
	if (!run) {
		return (
			<div className="flex items-start gap-2">
				<div className="min-w-0 flex-1">{error ? <FormError error={error} /> : TEXTS.counting}</div>
				{error && <Dismiss id={id} />}
			</div>
		);
	}
	const { action, kind, total_items: total, done_items: done, failed_items: failed } = run;
	const left = (total ?? 0) - done - failed;
	return (
		<div className="flex flex-col gap-1.5">
			<div className="flex items-start gap-2">
				<p role="status" className="min-w-0 flex-1 font-medium [overflow-wrap:anywhere]">
					{goesOn ? TEXTS.doing(action, kind, total) : TEXTS.done(action, kind, done)}
				</p>
				{hasEnded && <Dismiss id={id} />}
			</div>
			{goesOn && (
				<>
					<progress
						aria-label={TEXTS.doing(action, kind, total)}
						className="h-1.5 w-full accent-accent"
						{...(total === null ? {} : { max: Math.max(total, 1), value: done + failed })}
					/>
					<div className="flex items-center justify-between gap-2">
						<span className="text-muted text-sm tabular-nums">
							{total === null ? TEXTS.counting : TEXTS.of(formatInteger(done + failed), formatInteger(total))}
						</span>
						<Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
							{TEXTS.cancel}
						</Button>
					</div>
					<FormError error={cancel.error} />
				</>
			)}
			{run.state === "cancelled" && <p className="text-muted text-sm">{TEXTS.cancelled}</p>}
			{run.state === "done" && left > 0 && <p className="text-muted text-sm">{TEXTS.left(left)}</p>}
			{run.error && (
				<p role="alert" className="text-danger text-sm [overflow-wrap:anywhere]">
					{run.error}
				</p>
			)}
			{failed > 0 && <Failures run={run} />}
			{hasEnded && <ResultLink run={run} />}
		</div>
	);
}

function Failures({ run }: { run: BulkRun }): ReactNode {
	return (
		<details className="text-danger text-sm">
			<summary>{TEXTS.failed(run.failed_items)}</summary>
			<ul className="list-disc pl-5 [overflow-wrap:anywhere]">
				{[...new Set(run.failures.map(({ reason }) => reason))].map((reason) => (
					<li key={reason}>{reason}</li>
				))}
			</ul>
		</details>
	);
}

function ResultLink({ run }: { run: BulkRun }): ReactNode {
	const look = "self-start text-accent text-sm hover:underline";
	if (run.dataset_id) {
		return (
			<Link to="/datasets/$dataset/examples" params={{ dataset: run.dataset_id }} className={look}>
				{TEXTS.openDataset}
			</Link>
		);
	}
	if (!run.destination_project_id) return null;
	return (
		<Link to="/p/$project/traces" params={{ project: run.destination_project_id }} className={look}>
			{TEXTS.openProject}
		</Link>
	);
}

function Dismiss({ id }: { id: string }): ReactNode {
	return (
		<IconButton label={TEXTS.dismiss} className="-mt-1 -mr-1.5" onClick={() => dismissRun(id)}>
			<X size={16} aria-hidden />
		</IconButton>
	);
}
