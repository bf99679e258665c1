import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Evaluator, evaluatorQuery, refreshEvaluators } from "../../evaluating/queries.ts";
import { api } from "../../lib/api.ts";
import { fieldErrors } from "../../lib/field-errors.ts";
import { texts } from "../../texts/en.ts";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";

const TEXTS = evaluatorTexts.edit;

/** Renames and describes an evaluator. */
export function EditEvaluatorDialog({
	evaluator,
	onRenamed,
	onClose,
}: {
	evaluator: Evaluator;
	/** Goes to where it is now. */
	onRenamed: (name: string) => Promise<void>;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const [name, setName] = useState(evaluator.name);
	const [description, setDescription] = useState(evaluator.description ?? "");
	const change = useMutation({
		mutationFn: async () =>
			(
				await api.patch("/v1/evaluators/{evaluator_identifier}", {
					path: { evaluator_identifier: evaluator.id },
					body: { name: name.trim(), description: description.trim() || null },
				})
			).data,
		onSuccess: async (changed) => {
			queries.setQueryData(evaluatorQuery(changed.name).queryKey, changed);
			onClose();
			if (changed.name !== evaluator.name) {
				await onRenamed(changed.name);
				// Nothing has this name any more: asking for it again would fail.
				queries.removeQueries({ queryKey: evaluatorQuery(evaluator.name).queryKey });
			}
			await refreshEvaluators(queries);
		},
	});
	const { at, rest } = fieldErrors(change.error, { name: ["evaluator_exists"] });
	return (
		<FormDialog
			title={TEXTS.title(evaluator.name)}
			action={texts.action.save}
			isPending={change.isPending}
			error={rest}
			onSubmit={(event) => {
				event.preventDefault();
				change.mutate();
			}}
			onClose={onClose}
		>
			<Field label={evaluatorTexts.form.name} hint={TEXTS.nameHint} error={at.name}>
				<Input
					required
					maxLength={200}
					value={name}
					aria-invalid={at.name !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={evaluatorTexts.form.description}>
				<Input maxLength={10_000} value={description} onChange={(event) => setDescription(event.target.value)} />
			</Field>
		</FormDialog>
	);
}
