import { ApiError, type DatasetSplit } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { ColorInput, suggestColor } from "./color-input.tsx";
import { invalidateExamples } from "./invalidate-examples.ts";

const TEXTS = dataTexts.splits;

export interface SplitDialogProps {
	readonly dataset: string;
	/** The split to change; absent for a new one. */
	readonly split?: DatasetSplit;
	/** Global ids of the examples to put into a new split. */
	readonly examples?: readonly string[];
	readonly onClose: () => void;
}

/** Creates a split, or changes its name, description and colour. */
export function SplitDialog({ dataset, split, examples = [], onClose }: SplitDialogProps): ReactNode {
	const queries = useQueryClient();
	const [name, setName] = useState(split?.name ?? "");
	const [description, setDescription] = useState(split?.description ?? "");
	const [color, setColor] = useState(() => split?.color ?? suggestColor(Math.floor(Math.random() * 8)));
	const [isMissing, setMissing] = useState(false);
	const save = useMutation({
		mutationFn: () => {
			const body = { name: name.trim(), description: description.trim() || null, color };
			const path = { dataset_identifier: dataset };
			return split
				? api.patch("/v1/datasets/{dataset_identifier}/splits/{split_id}", {
						path: { ...path, split_id: split.id },
						body,
					})
				: api.post("/v1/datasets/{dataset_identifier}/splits", { path, body: { ...body, example_ids: [...examples] } });
		},
		onSuccess: async () => {
			await invalidateExamples(queries, dataset);
			onClose();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() !== "") save.mutate();
	};
	const isTaken = save.error instanceof ApiError && save.error.status === 409;
	const problem = isMissing ? TEXTS.nameMissing : isTaken ? save.error?.message : undefined;
	return (
		<FormDialog
			title={split ? TEXTS.editTitle(split.name) : TEXTS.createTitle}
			action={split ? texts.action.save : texts.action.create}
			isPending={save.isPending}
			error={isTaken ? null : save.error}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.name} error={problem}>
				<Input
					value={name}
					maxLength={1_000}
					aria-invalid={problem !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.description}>
				<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
			<Field label={TEXTS.color}>
				<ColorInput value={color} onChange={setColor} />
			</Field>
		</FormDialog>
	);
}

export function DeleteSplitDialog({
	dataset,
	split,
	onClose,
}: {
	dataset: string;
	split: DatasetSplit;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () =>
			api.delete("/v1/datasets/{dataset_identifier}/splits/{split_id}", {
				path: { dataset_identifier: dataset, split_id: split.id },
			}),
		onSuccess: async () => {
			await invalidateExamples(queries, dataset);
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.deleteTitle(split.name)} action={TEXTS.delete} mutation={remove} onClose={onClose}>
			<p>{TEXTS.deleteText}</p>
		</ConfirmDialog>
	);
}
