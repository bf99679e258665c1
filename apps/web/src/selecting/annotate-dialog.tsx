import { type ReactNode, useState } from "react";
import { formatInteger } from "../lib/format.ts";
import { selectingTexts } from "../texts/selecting-en.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field, Input } from "../ui/input.tsx";
import { type ActionDialogProps, useStart } from "./use-start.ts";

const TEXTS = selectingTexts.annotate;

/** Asks for the annotation that each selected row gets. */
export function AnnotateDialog(props: ActionDialogProps): ReactNode {
	const { selected, count, onClose } = props;
	const [draft, setDraft] = useState({ name: "", label: "", score: "", explanation: "" });
	const [isSubmitted, setSubmitted] = useState(false);
	const set = (field: keyof typeof draft) => ({
		value: draft[field],
		onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [field]: event.target.value }),
	});
	const label = draft.label.trim();
	const explanation = draft.explanation.trim();
	const score = draft.score.trim() === "" ? undefined : Number(draft.score);
	const isNoNumber = score !== undefined && !Number.isFinite(score);
	const isMissing = label === "" && explanation === "" && score === undefined;
	const start = useStart(props, () => ({
		action: "annotate",
		annotation: {
			name: draft.name.trim(),
			annotator_kind: "HUMAN",
			result: {
				...(label === "" ? {} : { label }),
				...(score === undefined ? {} : { score }),
				...(explanation === "" ? {} : { explanation }),
			},
		},
	}));
	return (
		<FormDialog
			title={TEXTS.title(selected.kind, count === undefined ? "" : formatInteger(count))}
			action={selectingTexts.action.annotate}
			isPending={start.isPending || draft.name.trim() === ""}
			error={start.error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				setSubmitted(true);
				if (!isMissing && !isNoNumber) start.mutate({});
			}}
		>
			<Field label={TEXTS.name} hint={TEXTS.replaces}>
				<Input {...set("name")} maxLength={1_000} required />
			</Field>
			<Field label={TEXTS.label} error={isSubmitted && isMissing ? TEXTS.missing : undefined}>
				<Input {...set("label")} maxLength={1_000} />
			</Field>
			<Field label={TEXTS.score} error={isNoNumber ? TEXTS.noNumber : undefined}>
				<Input {...set("score")} inputMode="decimal" maxLength={30} />
			</Field>
			<Field label={TEXTS.explanation}>
				<Input {...set("explanation")} maxLength={10_000} />
			</Field>
		</FormDialog>
	);
}
