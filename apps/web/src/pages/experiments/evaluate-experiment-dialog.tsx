import type { DatasetEvaluator, Experiment, ExperimentJob } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { EvaluatorKind } from "../../evaluating/evaluator-kind.tsx";
import { choosableQuery, type Evaluator, ofDatasetQuery } from "../../evaluating/queries.ts";
import { JobEstimate } from "../../experiment-jobs/job-estimate.tsx";
import { api } from "../../lib/api.ts";
import { experimentJobQuery, hasEnded, invalidateJobs } from "../../lib/experiment-jobs.ts";
import { experimentJobTexts as texts } from "../../texts/experiment-jobs-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { JobRow } from "./job-strip.tsx";

const MAX_EVALUATORS = 20;
const MAX_COST = 1e6;

interface DialogProps {
	readonly experiment: Experiment;
	readonly onClose: () => void;
}

/** Sends evaluators over an experiment in the background, once it has said what that would cost. */
export function EvaluateExperimentDialog({ experiment, onClose }: DialogProps): ReactNode {
	const title = texts.evaluateTitle(experiment.name);
	const all = useQuery(choosableQuery);
	const attached = useQuery(ofDatasetQuery(experiment.dataset_id));
	const [started, setStarted] = useState<ExperimentJob>();
	if (started !== undefined)
		return (
			<Dialog open onOpenChange={onClose} title={title}>
				<Progress experiment={experiment} started={started} onClose={onClose} />
			</Dialog>
		);
	const isLoaded = all.data !== undefined && attached.data !== undefined;
	if (!isLoaded || all.data.length === 0)
		return (
			<Dialog open onOpenChange={onClose} title={title}>
				<div className="flex flex-col items-start gap-3 p-4">
					<Loaded data={attached.data && all.data} query={all.error === null ? attached : all}>
						{() => (
							<>
								<p>{texts.noEvaluatorAtAll}</p>
								<Link to="/evaluators" search={{ create: "1" }} className={buttonClass("primary")}>
									{texts.makeEvaluator}
								</Link>
							</>
						)}
					</Loaded>
				</div>
			</Dialog>
		);
	return (
		<EvaluateForm
			title={title}
			experiment={experiment}
			evaluators={all.data}
			attached={attached.data}
			onStarted={setStarted}
			onClose={onClose}
		/>
	);
}

interface EvaluateFormProps extends DialogProps {
	readonly title: string;
	readonly evaluators: readonly Evaluator[];
	readonly attached: readonly DatasetEvaluator[];
	readonly onStarted: (job: ExperimentJob) => void;
}

function EvaluateForm({ title, experiment, evaluators, attached, onStarted, onClose }: EvaluateFormProps): ReactNode {
	const queries = useQueryClient();
	const [chosen, setChosen] = useState<readonly string[]>(() => attached.map(({ evaluator }) => evaluator.id));
	const [only, setOnly] = useState<"missing" | "all">("missing");
	const [maxCost, setMaxCost] = useState("");
	const cost = maxCost.trim() === "" ? undefined : Number(maxCost);
	const isCostBad = cost !== undefined && !(cost > 0 && cost <= MAX_COST);
	const isTooMany = chosen.length > MAX_EVALUATORS;
	const body = useMemo(() => {
		if (chosen.length === 0 || isTooMany || isCostBad) return undefined;
		return {
			...{ kind: "evaluate" as const, experiment_id: experiment.id, only },
			evaluators: chosen.map((id) => asAttached(id, attached)),
			...(cost === undefined ? {} : { max_cost_usd: cost }),
		};
	}, [chosen, isTooMany, isCostBad, experiment.id, only, attached, cost]);
	const start = useMutation({
		mutationFn: async (job: NonNullable<typeof body>) => (await api.post("/v1/experiment_jobs", { body: job })).data,
		onSuccess: (job) => {
			onStarted(job);
			return invalidateJobs(queries);
		},
	});
	return (
		<FormDialog
			title={title}
			action={texts.start}
			isPending={start.isPending || body === undefined}
			error={start.error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				if (body !== undefined) start.mutate(body);
			}}
		>
			<fieldset className="flex flex-col gap-1.5">
				<legend className="mb-1 text-muted text-sm">{texts.chooseEvaluators}</legend>
				{evaluators.map(({ id, name, kind }) => (
					<label key={id} className="flex min-w-0 items-center gap-2 pointer-coarse:min-h-9">
						<input
							type="checkbox"
							checked={chosen.includes(id)}
							onChange={(event) =>
								setChosen(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
							}
						/>
						<span className="truncate">{name}</span>
						<EvaluatorKind kind={kind} />
						{attached.some(({ evaluator }) => evaluator.id === id) && (
							<span className="ml-auto shrink-0 text-muted text-sm">{texts.ofDataset}</span>
						)}
					</label>
				))}
				<p role={isTooMany ? "alert" : undefined} className={isTooMany ? "text-danger text-sm" : "text-muted text-sm"}>
					{isTooMany ? texts.tooManyEvaluators(MAX_EVALUATORS) : texts.evaluatorsHint}
				</p>
			</fieldset>
			<div className="flex flex-col items-start gap-1">
				<span className="text-muted text-sm">{texts.only}</span>
				<SegmentedControl
					label={texts.only}
					value={only}
					onChange={setOnly}
					choices={(["missing", "all"] as const).map((value) => ({ value, label: texts.onlyChoices[value] }))}
				/>
				<span className="text-muted text-sm">{texts.onlyHints[only]}</span>
			</div>
			<Field label={texts.maxCost} hint={texts.maxCostHint} error={isCostBad ? texts.maxCostBad : undefined}>
				<Input
					inputMode="decimal"
					value={maxCost}
					aria-invalid={isCostBad}
					onChange={(event) => setMaxCost(event.target.value)}
				/>
			</Field>
			{body !== undefined && <JobEstimate body={body} hasLimit={cost !== undefined} />}
		</FormDialog>
	);
}

/** An evaluator as the dataset has it, else as it is. */
function asAttached(id: string, attached: readonly DatasetEvaluator[]) {
	const found = attached.find(({ evaluator }) => evaluator.id === id);
	return {
		evaluator_id: id,
		...(found?.version_id ? { version_id: found.version_id } : {}),
		...(found?.mapping ? { mapping: found.mapping } : {}),
	};
}

function Progress({ experiment, started, onClose }: DialogProps & { started: ExperimentJob }): ReactNode {
	const { data: job } = useQuery(experimentJobQuery(started));
	return (
		<div className="flex flex-col gap-3 overflow-auto p-4">
			<ul className="rounded border border-line">
				<JobRow listed={started} />
			</ul>
			{hasEnded(job) ? (
				<Link
					to="/datasets/$dataset/compare"
					params={{ dataset: experiment.dataset_id }}
					search={{ experiment: [experiment.id] }}
					onClick={onClose}
					className={buttonClass("primary", "self-start")}
				>
					{texts.toResults}
				</Link>
			) : (
				<p className="text-muted">{texts.evaluating}</p>
			)}
		</div>
	);
}
