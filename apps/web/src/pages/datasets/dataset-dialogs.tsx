import { ApiError, type Dataset } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";

const TEXTS = dataTexts.dataset;

interface DatasetDialogProps {
	readonly dataset: Dataset;
	readonly onClose: () => void;
}

export function EditDatasetDialog({ dataset, onClose }: DatasetDialogProps): ReactNode {
	const queries = useQueryClient();
	const [name, setName] = useState(dataset.name);
	const [description, setDescription] = useState(dataset.description ?? "");
	const [isMissing, setMissing] = useState(false);
	const change = useMutation({
		mutationFn: () =>
			api.patch("/v1/datasets/{id}", {
				path: { id: dataset.id },
				body: { name: name.trim(), description: description.trim() || null },
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["dataset", dataset.id] });
			await queries.invalidateQueries({ queryKey: ["datasets"] });
			onClose();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() !== "") change.mutate();
	};
	const isTaken = change.error instanceof ApiError && change.error.status === 409;
	const problem = isMissing ? dataTexts.datasets.nameMissing : isTaken ? change.error?.message : undefined;
	return (
		<FormDialog
			title={TEXTS.editTitle}
			action={texts.action.save}
			isPending={change.isPending}
			error={isTaken ? null : change.error}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={dataTexts.datasets.name} error={problem}>
				<Input
					value={name}
					maxLength={1_000}
					aria-invalid={problem !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={dataTexts.datasets.description}>
				<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
		</FormDialog>
	);
}

export function DeleteDatasetDialog({ dataset, onClose }: DatasetDialogProps): ReactNode {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const [typed, setTyped] = useState("");
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/datasets/{id}", { path: { id: dataset.id } }),
		onSuccess: async () => {
			await navigate({ to: "/datasets" });
			await queries.invalidateQueries({ queryKey: ["datasets"] });
			queries.removeQueries({ queryKey: ["dataset", dataset.id] });
			queries.removeQueries({ queryKey: ["experiments"] });
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (typed === dataset.name) remove.mutate();
	};
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.deleteTitle(dataset.name)}>
			<form onSubmit={submit} className="flex flex-col gap-3 overflow-auto p-4">
				<p>{TEXTS.deleteGoes(dataset.example_count)}</p>
				<p>{TEXTS.deleteProjects}</p>
				<Field label={TEXTS.deleteConfirm(dataset.name)}>
					<Input value={typed} onChange={(event) => setTyped(event.target.value)} />
				</Field>
				<FormError error={remove.error} />
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
					<Button type="submit" look="danger" disabled={typed !== dataset.name || remove.isPending}>
						{TEXTS.delete}
					</Button>
				</div>
			</form>
		</Dialog>
	);
}
