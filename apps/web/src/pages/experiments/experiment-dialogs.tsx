import type { Experiment } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { invalidateExperiments } from "./queries.ts";

const TEXTS = dataTexts.experiments;

interface ExperimentDialogProps {
	readonly experiment: Experiment;
	readonly onClose: () => void;
}

export function EditExperimentDialog({ experiment, onClose }: ExperimentDialogProps): ReactNode {
	const queries = useQueryClient();
	const [name, setName] = useState(experiment.name);
	const [description, setDescription] = useState(experiment.description ?? "");
	const [isMissing, setMissing] = useState(false);
	const change = useMutation({
		mutationFn: () =>
			api.patch("/v1/experiments/{experiment_id}", {
				path: { experiment_id: experiment.id },
				body: { name: name.trim(), description: description.trim() || null },
			}),
		onSuccess: async () => {
			await invalidateExperiments(queries);
			onClose();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() !== "") change.mutate();
	};
	return (
		<FormDialog
			title={TEXTS.editTitle}
			action={texts.action.save}
			isPending={change.isPending}
			error={change.error}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.name} error={isMissing ? TEXTS.nameMissing : undefined}>
				<Input
					value={name}
					maxLength={1_000}
					aria-invalid={isMissing}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.description}>
				<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
		</FormDialog>
	);
}

export function DeleteExperimentDialog({
	experiment,
	onDeleted,
	onClose,
}: ExperimentDialogProps & { onDeleted: (() => void) | undefined }): ReactNode {
	const queries = useQueryClient();
	const [deletesProject, setDeletesProject] = useState(false);
	const remove = useMutation({
		mutationFn: () =>
			api.delete("/v1/experiments/{experiment_id}", {
				path: { experiment_id: experiment.id },
				query: { delete_project: deletesProject },
			}),
		onSuccess: async () => {
			onClose();
			onDeleted?.();
			queries.removeQueries({ queryKey: ["experiment", experiment.id] });
			await invalidateExperiments(queries);
			if (deletesProject) await queries.invalidateQueries({ queryKey: ["projects"] });
		},
	});
	const count = experiment.successful_run_count + experiment.failed_run_count;
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(experiment.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteGoes(count)}</p>
			{experiment.project_name !== null && (
				<label className="flex items-baseline gap-2">
					<input
						type="checkbox"
						checked={deletesProject}
						onChange={(event) => setDeletesProject(event.target.checked)}
					/>
					<span className="[overflow-wrap:anywhere]">{TEXTS.deleteProject(experiment.project_name)}</span>
				</label>
			)}
		</ConfirmDialog>
	);
}
