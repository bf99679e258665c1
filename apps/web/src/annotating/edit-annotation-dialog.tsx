import { useMutation } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../lib/api.ts";
import { fieldErrors } from "../lib/field-errors.ts";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { texts } from "../texts/en.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field, Input } from "../ui/input.tsx";
import { draftOf } from "./draft.ts";
import { type Annotation, NOTE } from "./types.ts";

/** Changes the content of an annotation with any config, or none. */
export function EditAnnotationDialog({
	annotation,
	onSaved,
	onClose,
}: {
	annotation: Annotation;
	onSaved: () => void;
	onClose: () => void;
}): ReactNode {
	const [draft, setDraft] = useState(() => draftOf(annotation));
	const [problem, setProblem] = useState<Partial<Record<"score" | "explanation", string>>>({});
	const isNote = annotation.name === NOTE;
	const save = useMutation({
		mutationFn: () =>
			api.patch("/v1/annotations/{annotation_id}", {
				path: { annotation_id: annotation.id },
				body: {
					result: {
						label: draft.label.trim() || null,
						score: draft.score.trim() === "" ? null : Number(draft.score),
						explanation: draft.explanation.trim() || null,
					},
				},
			}),
		onSuccess: () => {
			onSaved();
			onClose();
		},
	});
	const answer = fieldErrors(save.error, { label: [], score: [], explanation: [] });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const found = {
			...(Number.isFinite(Number(draft.score)) ? {} : { score: TEXTS.badNumber }),
			...(Object.values(draft).every((text) => text.trim() === "") ? { explanation: TEXTS.empty } : {}),
		};
		setProblem(found);
		if (Object.keys(found).length === 0) save.mutate();
	};
	const problems = { ...answer.at, ...problem };
	return (
		<FormDialog
			title={TEXTS.editTitle(isNote ? TEXTS.noteName : annotation.name)}
			action={texts.action.save}
			isPending={save.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			{!isNote && (
				<>
					<Field label={TEXTS.field.label} error={problems.label}>
						<Input
							value={draft.label}
							maxLength={1000}
							onChange={(event) => setDraft({ ...draft, label: event.target.value })}
						/>
					</Field>
					<Field label={TEXTS.field.score} error={problems.score}>
						<Input
							value={draft.score}
							inputMode="decimal"
							aria-invalid={problems.score !== undefined}
							onChange={(event) => setDraft({ ...draft, score: event.target.value })}
						/>
					</Field>
				</>
			)}
			<Field label={isNote ? TEXTS.note : TEXTS.field.explanation} error={problems.explanation}>
				<textarea
					value={draft.explanation}
					rows={4}
					onChange={(event) => setDraft({ ...draft, explanation: event.target.value })}
					className="rounded border border-line-strong bg-surface p-2"
				/>
			</Field>
		</FormDialog>
	);
}
