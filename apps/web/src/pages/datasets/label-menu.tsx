import type { Dataset, DatasetLabel } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Tags from "lucide-react/icons/tags";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { useMayChange } from "../../homes/use-may-change.ts";
import { api } from "../../lib/api.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Input } from "../../ui/input.tsx";
import { Popover } from "../../ui/popover.tsx";
import { ColorInput, suggestColor } from "./color-input.tsx";
import { LabelChip } from "./label-chip.tsx";
import { labelsOfQuery, labelsQuery } from "./queries.ts";

const TEXTS = dataTexts.dataset;

/** The labels of the dataset; users with write access can change them. */
export function LabelMenu({ dataset }: { dataset: Dataset }): ReactNode {
	const mayChange = useMayChange(dataset);
	const { data: labels = [] } = useQuery(labelsOfQuery(dataset.id));
	return (
		<div className="flex min-w-0 items-center gap-1">
			{labels.map((label) => (
				<LabelChip key={label.id} label={label} />
			))}
			{mayChange && (
				<Popover
					label={TEXTS.labels}
					className="w-72"
					trigger={
						<IconButton label={TEXTS.setLabels}>
							<Tags size={15} aria-hidden />
						</IconButton>
					}
				>
					<LabelChoice dataset={dataset.id} chosen={labels} />
				</Popover>
			)}
		</div>
	);
}

function LabelChoice({ dataset, chosen }: { dataset: string; chosen: readonly DatasetLabel[] }): ReactNode {
	const { data: all = [] } = useQuery(labelsQuery);
	const set = useSetLabels(dataset);
	const ids = chosen.map(({ id }) => id);
	return (
		<div className="flex flex-col gap-2">
			{all.length === 0 && <p className="text-muted">{TEXTS.noLabels}</p>}
			<ul className="max-h-64 overflow-auto">
				{all.map((label) => (
					<li key={label.id}>
						<label className="flex h-7 items-center gap-2">
							<input
								type="checkbox"
								checked={ids.includes(label.id)}
								disabled={set.isPending}
								onChange={(event) =>
									set.mutate(event.target.checked ? [...ids, label.id] : ids.filter((id) => id !== label.id))
								}
							/>
							<LabelChip label={label} />
						</label>
					</li>
				))}
			</ul>
			<FormError error={set.error} />
			<NewLabel count={all.length} onCreated={(label) => set.mutate([...ids, label.id])} />
		</div>
	);
}

function useSetLabels(dataset: string) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: (ids: readonly string[]) =>
			api.put("/v1/datasets/{dataset_identifier}/labels", {
				path: { dataset_identifier: dataset },
				body: { dataset_label_ids: [...ids] },
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["labels-of", dataset] });
			await queries.invalidateQueries({ queryKey: ["labels-of-all"] });
		},
	});
}

function NewLabel({ count, onCreated }: { count: number; onCreated: (label: DatasetLabel) => void }): ReactNode {
	const queries = useQueryClient();
	const [name, setName] = useState("");
	const [color, setColor] = useState(() => suggestColor(count));
	const create = useMutation({
		mutationFn: () => api.post("/v1/dataset_labels", { body: { name: name.trim(), color } }),
		onSuccess: async ({ data }) => {
			await queries.invalidateQueries({ queryKey: ["dataset-labels"] });
			setName("");
			setColor(suggestColor(count + 1));
			onCreated(data);
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (name.trim() !== "") create.mutate();
	};
	return (
		<form onSubmit={submit} className="flex flex-col gap-2 border-line border-t pt-2">
			<p className="text-muted text-sm">{TEXTS.newLabel}</p>
			<div className="flex items-center gap-2">
				<ColorInput label={TEXTS.labelColor} value={color} onChange={setColor} />
				<Input
					aria-label={TEXTS.labelName}
					value={name}
					maxLength={100}
					onChange={(event) => setName(event.target.value)}
					className="flex-1"
				/>
				<Button type="submit" disabled={name.trim() === "" || create.isPending}>
					{TEXTS.addLabel}
				</Button>
			</div>
			<FormError error={create.error} />
		</form>
	);
}
