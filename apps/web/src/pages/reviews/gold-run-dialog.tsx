import type { ReviewQueue } from "@spanward/client";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { isWiderAccess, WiderAccessDialog } from "../../homes/wider-access.tsx";
import { api } from "../../lib/api.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { useDatasetChoice } from "./dataset-choice.tsx";

const TEXTS = reviewTexts.gold;

interface Asked {
	readonly output: string;
	readonly gold: "all" | "decisions";
	readonly isWiderAllowed?: boolean;
}

/** Asks which dataset the gold answers of a queue go to, and what of them becomes the output of the examples. */
export function GoldRunDialog({
	queue,
	onStarted,
	onClose,
}: {
	queue: ReviewQueue;
	onStarted: () => void;
	onClose: () => void;
}): ReactNode {
	const choice = useDatasetChoice();
	const [output, setOutput] = useState("");
	const [gold, setGold] = useState<Asked["gold"]>("all");
	const start = useMutation({
		mutationFn: async (asked: Asked) => {
			const { value, home } = choice;
			if (value === undefined) throw new Error(reviewTexts.goldItem.noDataset);
			await api.post("/v1/review_queues/{queue_id}/gold_runs", {
				path: { queue_id: queue.id },
				body: {
					...("id" in value ? { dataset_id: value.id } : { dataset_name: value.name, ...home.sent }),
					...(asked.output === "" ? {} : { annotation_config_id: asked.output }),
					gold: asked.gold,
					...(asked.isWiderAllowed ? { allow_wider_access: true } : {}),
				},
			});
		},
		onSuccess: onStarted,
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (choice.value !== undefined) start.mutate({ output, gold });
	};
	if (isWiderAccess(start.error)) return <WiderAccessDialog title={TEXTS.title} asked={start} onClose={onClose} />;
	const texts = queue.questions.filter(({ type, note }) => type === "FREEFORM" || note);
	return (
		<FormDialog
			title={TEXTS.title}
			action={TEXTS.start}
			isPending={start.isPending || choice.value === undefined}
			error={start.error ?? choice.error}
			onClose={onClose}
			onSubmit={submit}
		>
			<p className="text-muted">{TEXTS.explain}</p>
			{choice.fields}
			<Field label={TEXTS.output} hint={TEXTS.outputHint[output === "" ? "answers" : "text"]}>
				<Select
					value={output}
					onChange={setOutput}
					choices={[
						{ value: "", label: TEXTS.allAnswers },
						...texts.map(({ annotation_config_id: value, name, type }) => ({
							value,
							label: type === "FREEFORM" ? TEXTS.textOf(name) : TEXTS.noteOf(name),
						})),
					]}
				/>
			</Field>
			<Field label={TEXTS.which}>
				<Select
					value={gold}
					onChange={(value) => setGold(value === "decisions" ? "decisions" : "all")}
					choices={[
						{ value: "all", label: TEXTS.all },
						{ value: "decisions", label: TEXTS.decisions },
					]}
				/>
			</Field>
		</FormDialog>
	);
}
