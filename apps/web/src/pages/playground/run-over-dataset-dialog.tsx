import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { JobEstimate } from "../../experiment-jobs/job-estimate.tsx";
import { api } from "../../lib/api.ts";
import { datasetPages, splitsQuery, versionPages } from "../../lib/datasets.ts";
import { invalidateJobs } from "../../lib/experiment-jobs.ts";
import { formatTime } from "../../lib/time.ts";
import { experimentJobTexts as texts } from "../../texts/experiment-jobs-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { Select } from "../../ui/select.tsx";
import { blankJob, checkJob, type DatasetRun, type JobDraft } from "./dataset-run.ts";
import { evaluatorsOfDatasetQuery } from "./queries.ts";

interface RunOverDatasetProps {
	/** The columns as they are sent. */
	readonly variants: readonly Record<string, unknown>[];
	readonly labels: readonly string[];
	/** Names of the variables of the columns. */
	readonly names: readonly string[];
	/** Id of the dataset it begins with; empty for none. */
	readonly dataset: string;
	readonly repetitions: number;
	readonly onClose: () => void;
}

/** Runs the columns over a dataset in the background, once it has said what that would cost. */
export function RunOverDatasetDialog(props: RunOverDatasetProps): ReactNode {
	const { variants, labels, names, dataset, repetitions, onClose } = props;
	const queries = useQueryClient();
	const [draft, setDraft] = useState<JobDraft>(() => blankJob(dataset, repetitions));
	const set = (part: Partial<JobDraft>) => setDraft((before) => ({ ...before, ...part }));
	const checked = useMemo(() => checkJob(draft, variants, names), [draft, variants, names]);
	const start = useMutation({
		mutationFn: async (body: DatasetRun) => (await api.post("/v1/experiment_jobs", { body: body as never })).data,
		onSuccess: () => invalidateJobs(queries),
	});
	if (start.data !== undefined)
		return (
			<Dialog open onOpenChange={onClose} title={texts.overTitle}>
				<div className="flex flex-col items-start gap-3 p-4">
					<p role="status" className="[overflow-wrap:anywhere]">
						{texts.started(start.data.name)}
					</p>
					<Link
						to="/datasets/$dataset/experiments"
						params={{ dataset: start.data.dataset_id }}
						className={buttonClass("primary")}
					>
						{texts.toExperiments}
					</Link>
				</div>
			</Dialog>
		);
	return (
		<FormDialog
			title={texts.overTitle}
			action={texts.start}
			isPending={start.isPending || checked.body === undefined}
			error={start.error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				if (checked.body !== undefined) start.mutate(checked.body);
			}}
		>
			<DatasetField dataset={draft.dataset} onChange={(chosen) => set({ dataset: chosen, version: "", splits: [] })} />
			{draft.dataset !== "" && (
				<>
					<VersionField dataset={draft.dataset} version={draft.version} onChange={(version) => set({ version })} />
					<SplitsField dataset={draft.dataset} chosen={draft.splits} onChange={(splits) => set({ splits })} />
				</>
			)}
			{names.length > 0 && (
				<fieldset className="flex flex-col gap-2">
					<legend className="text-muted text-sm">{texts.variables}</legend>
					<p className="text-muted text-sm">{texts.variablesHint}</p>
					{names.map((name) => (
						// biome-ignore lint/a11y/noLabelWithoutControl: the control is in it
						<label key={name} className="grid grid-cols-[8rem_1fr] items-center gap-2">
							<span className="truncate font-mono text-sm">{name}</span>
							<Input
								aria-label={texts.pathOf(name)}
								value={draft.paths[name] ?? ""}
								maxLength={4_096}
								placeholder={`input.${name}`}
								className="font-mono"
								onChange={(event) => set({ paths: { ...draft.paths, [name]: event.target.value } })}
							/>
						</label>
					))}
				</fieldset>
			)}
			<Field label={texts.append} hint={texts.appendHint}>
				<Input
					value={draft.append}
					maxLength={1_000}
					className="font-mono"
					onChange={(event) => set({ append: event.target.value })}
				/>
			</Field>
			<div className="grid gap-3 sm:grid-cols-2">
				<Field label={texts.repetitions} error={checked.problems.has("repetitions") ? texts.repetitionsBad : undefined}>
					<Input
						inputMode="numeric"
						value={draft.repetitions}
						aria-invalid={checked.problems.has("repetitions")}
						onChange={(event) => set({ repetitions: event.target.value })}
					/>
				</Field>
				<Field
					label={texts.maxCost}
					hint={texts.maxCostHint}
					error={checked.problems.has("maxCost") ? texts.maxCostBad : undefined}
				>
					<Input
						inputMode="decimal"
						value={draft.maxCost}
						aria-invalid={checked.problems.has("maxCost")}
						onChange={(event) => set({ maxCost: event.target.value })}
					/>
				</Field>
			</div>
			<Field label={texts.name} hint={texts.nameHint}>
				<Input value={draft.name} maxLength={1_000} onChange={(event) => set({ name: event.target.value })} />
			</Field>
			{draft.dataset !== "" && <EvaluatorsOf dataset={draft.dataset} />}
			{checked.body !== undefined && (
				<JobEstimate body={checked.body} labels={labels} hasLimit={checked.body.max_cost_usd !== undefined} />
			)}
		</FormDialog>
	);
}

function DatasetField({ dataset, onChange }: { dataset: string; onChange: (dataset: string) => void }): ReactNode {
	const query = useInfiniteQuery(datasetPages);
	useAllPages(query, true);
	const datasets = query.data?.pages.flatMap((page) => page.data) ?? [];
	const choices = datasets.map(({ id, name }) => ({ value: id, label: name }));
	return (
		<Field
			label={texts.dataset}
			error={query.error?.message}
			hint={query.data !== undefined && datasets.length === 0 ? texts.noDatasets : undefined}
		>
			<Select value={dataset} onChange={onChange} choices={[{ value: "", label: texts.chooseDataset }, ...choices]} />
		</Field>
	);
}

function VersionField({
	dataset,
	version,
	onChange,
}: {
	dataset: string;
	/** Empty for the newest. */
	version: string;
	onChange: (version: string) => void;
}): ReactNode {
	const query = useInfiniteQuery(versionPages(dataset));
	useAllPages(query, true);
	const versions = query.data?.pages.flatMap((page) => page.data) ?? [];
	// The newest is the first choice.
	const older = versions.slice(1).map(({ version_id: id, created_at, example_count: count, description }) => ({
		value: id,
		label: [formatTime(created_at), texts.examples(count), description].filter(Boolean).join(" · "),
	}));
	return (
		<Field label={texts.version} error={query.error?.message} hint={older.length === 0 ? undefined : texts.versionHint}>
			<Select value={version} onChange={onChange} choices={[{ value: "", label: texts.newestVersion }, ...older]} />
		</Field>
	);
}

function SplitsField({
	dataset,
	chosen,
	onChange,
}: {
	dataset: string;
	chosen: readonly string[];
	onChange: (splits: readonly string[]) => void;
}): ReactNode {
	const { data = [] } = useQuery(splitsQuery(dataset));
	if (data.length === 0) return null;
	return (
		<fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1">
			<legend className="text-muted text-sm">{texts.splits}</legend>
			{data.map(({ id, name, example_count: count }) => (
				<label key={id} className="flex items-center gap-1.5">
					<input
						type="checkbox"
						checked={chosen.includes(id)}
						onChange={(event) =>
							onChange(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
						}
					/>
					{name} <span className="text-muted text-sm">{count}</span>
				</label>
			))}
			<span className="text-muted text-sm">{texts.splitsHint}</span>
		</fieldset>
	);
}

/** What evaluates the runs without being named. */
function EvaluatorsOf({ dataset }: { dataset: string }): ReactNode {
	const { data } = useQuery(evaluatorsOfDatasetQuery(dataset));
	if (data === undefined) return null;
	const names = data.flatMap((each) => (each.run_automatically ? [each.evaluator.name] : []));
	return (
		<p className="text-muted text-sm [overflow-wrap:anywhere]">
			{names.length === 0 ? texts.noEvaluators : texts.evaluators(names.join(", "))}
		</p>
	);
}
