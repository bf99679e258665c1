import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { HomeField } from "../../homes/home-field.tsx";
import { useNewHome } from "../../homes/use-new-home.ts";
import { api } from "../../lib/api.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { errorText } from "../../ui/error-state.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";

const TEXTS = dataTexts.datasets;

/** Creates a dataset without examples. */
export function CreateDatasetDialog({ onClose }: { onClose: () => void }): ReactNode {
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const home = useNewHome();
	const [isMissing, setMissing] = useState(false);
	const navigate = useNavigate();
	const queries = useQueryClient();
	const create = useMutation({
		mutationFn: () =>
			api.post("/v1/datasets/upload", {
				query: { sync: true },
				body: {
					name: name.trim(),
					inputs: [],
					action: "create",
					...home.sent,
					...(description.trim() ? { description: description.trim() } : {}),
				},
			}),
		onSuccess: async (answer) => {
			await queries.invalidateQueries({ queryKey: ["datasets"] });
			if (answer) await navigate({ to: "/datasets/$dataset/examples", params: { dataset: answer.data.dataset_id } });
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() !== "" && home.value !== "") create.mutate();
	};
	const problem = isMissing ? TEXTS.nameMissing : create.error ? errorText(create.error).message : undefined;
	return (
		<FormDialog
			title={TEXTS.createTitle}
			action={texts.action.create}
			isPending={create.isPending || home.value === ""}
			error={null}
			onSubmit={submit}
			onClose={onClose}
		>
			<p className="text-muted">{TEXTS.createHint}</p>
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
			<HomeField home={home} />
		</FormDialog>
	);
}
