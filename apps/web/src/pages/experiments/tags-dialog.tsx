import type { Experiment } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import X from "lucide-react/icons/x";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { invalidateExperiments, tagsQuery } from "./queries.ts";

const TEXTS = dataTexts.experiments;
/** The tag of the experiment that others are compared with. */
export const BASELINE = "baseline";
const TAG = /^[a-z0-9](?:[_a-z0-9-]*[a-z0-9])?$/;

/** Sets and removes tags of an experiment; setting one takes it from any other experiment of the dataset. */
export function TagsDialog({ experiment, onClose }: { experiment: Experiment; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const { data: tags = [] } = useQuery(tagsQuery(experiment.id));
	const [name, setName] = useState("");
	const [isBad, setBad] = useState(false);
	const path = { experiment_id: experiment.id };
	const set = useMutation({
		mutationFn: (tag: string) => api.post("/v1/experiments/{experiment_id}/tags", { path, body: { name: tag } }),
		onSuccess: async () => {
			setName("");
			await invalidateExperiments(queries);
		},
	});
	const remove = useMutation({
		mutationFn: (tag: string) =>
			api.delete("/v1/experiments/{experiment_id}/tags/{tag_identifier}", { path: { ...path, tag_identifier: tag } }),
		onSuccess: () => invalidateExperiments(queries),
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const isGood = TAG.test(name.trim());
		setBad(!isGood);
		if (isGood) set.mutate(name.trim());
	};
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.tagsTitle(experiment.name)}>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				<p className="text-muted">{TEXTS.tagsText}</p>
				<ul className="flex flex-wrap gap-2">
					{tags.map((tag) => (
						<li key={tag.id} className="flex items-center">
							<Chip tone="accent">{tag.name}</Chip>
							<IconButton
								label={TEXTS.removeTag(tag.name)}
								className="size-6"
								disabled={remove.isPending}
								onClick={() => remove.mutate(tag.name)}
							>
								<X size={13} aria-hidden />
							</IconButton>
						</li>
					))}
					{tags.length === 0 && <li className="text-muted">{TEXTS.noTags}</li>}
				</ul>
				{!tags.some((tag) => tag.name === BASELINE) && (
					<Button className="self-start" disabled={set.isPending} onClick={() => set.mutate(BASELINE)}>
						{TEXTS.setBaseline}
					</Button>
				)}
				<form onSubmit={submit} className="flex flex-col gap-2 border-line border-t pt-3">
					<Field label={TEXTS.tagName} hint={TEXTS.tagHint} error={isBad ? TEXTS.tagBad : undefined}>
						<span className="flex gap-2">
							<Input
								value={name}
								maxLength={255}
								aria-invalid={isBad}
								onChange={(event) => setName(event.target.value)}
								className="flex-1"
							/>
							<Button type="submit" look="primary" disabled={name.trim() === "" || set.isPending}>
								{TEXTS.setTag}
							</Button>
						</span>
					</Field>
					<FormError error={set.error ?? remove.error} />
				</form>
			</div>
		</Dialog>
	);
}
