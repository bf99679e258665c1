import type { ReviewItem } from "@spanward/client";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { isWiderAccess, WiderAccessDialog } from "../../homes/wider-access.tsx";
import { api } from "../../lib/api.ts";
import { createDataset } from "../../lib/create-dataset.ts";
import { fetchExact, toWritable } from "../../lib/exact-json.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { useDatasetChoice } from "./dataset-choice.tsx";
import { ExampleFields, type PartProblems, type Parts, readParts, writeParts } from "./example-fields.tsx";

const TEXTS = reviewTexts.goldItem;

interface ItemExample extends Parts {
	readonly project_id: string;
	readonly span_node_id: string;
}

function itemExampleQuery(queueId: string, itemId: string) {
	return queryOptions({
		queryKey: ["review-item-example", queueId, itemId],
		queryFn: async ({ signal }) => {
			const path = { queue_id: queueId, item_id: itemId };
			const { body } = await fetchExact(
				api.url("/v1/review_queues/{queue_id}/items/{item_id}/example", { path }),
				signal,
			);
			return (body as { data: ItemExample }).data;
		},
	});
}

interface ItemExampleDialogProps {
	readonly queueId: string;
	readonly item: ReviewItem;
	readonly onClose: () => void;
}

/** Makes the span of an item an example of a dataset, with an output that can be corrected before. */
export function ItemExampleDialog({ queueId, item, onClose }: ItemExampleDialogProps): ReactNode {
	const query = useQuery(itemExampleQuery(queueId, item.id));
	if (query.data) return <Form example={query.data} kind={item.target.kind} onClose={onClose} />;
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title}>
			<div className="p-4">{query.error ? <FormError error={query.error} /> : <SkeletonRows rows={6} />}</div>
		</Dialog>
	);
}

interface Added extends Partial<Parts> {
	readonly split: string;
	readonly isWiderAllowed?: boolean;
}

function Form({
	example,
	kind,
	onClose,
}: {
	example: ItemExample;
	kind: ReviewItem["target"]["kind"];
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const choice = useDatasetChoice(example.project_id);
	const [written, setWritten] = useState(() => writeParts(example));
	const [problems, setProblems] = useState<PartProblems>({});
	const [split, setSplit] = useState("");
	const add = useMutation({
		mutationFn: async ({ split: into, isWiderAllowed, ...parts }: Added) => {
			const { value, home } = choice;
			if (value === undefined) throw new Error(TEXTS.noDataset);
			const { id, name } = "id" in value ? value : await createDataset(value.name, home.sent);
			const { input, output, metadata } = parts;
			await api.post("/v1/datasets/{id}/examples/from_spans", {
				path: { id },
				body: {
					...{ span_ids: [example.span_node_id], ...(toWritable({ input, output, metadata } as Parts) as Parts) },
					...(into === "" ? {} : { splits: [into] }),
					...(isWiderAllowed ? { allow_wider_access: true } : {}),
				},
			});
			return { id, name };
		},
		onSettled: () => {
			for (const key of ["datasets", "dataset", "examples", "dataset-versions", "dataset-splits"])
				void queries.invalidateQueries({ queryKey: [key] });
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const read = readParts(written);
		setProblems(read.problems);
		if (read.parts !== undefined && choice.value !== undefined) add.mutate({ ...read.parts, split: split.trim() });
	};
	if (add.data !== undefined) return <AddedDialog dataset={add.data} onClose={onClose} />;
	if (isWiderAccess(add.error)) return <WiderAccessDialog title={TEXTS.title} asked={add} onClose={onClose} />;
	return (
		<FormDialog
			title={TEXTS.title}
			action={TEXTS.add}
			isPending={add.isPending || choice.value === undefined}
			error={add.error ?? choice.error}
			onClose={onClose}
			onSubmit={submit}
		>
			{kind !== "experiment_run" && <p className="text-muted">{TEXTS.explain[kind]}</p>}
			{choice.fields}
			<ExampleFields written={written} onWritten={setWritten} problems={problems} />
			<Field label={dataTexts.examples.split} hint={dataTexts.addToDataset.splitHint}>
				<Input value={split} maxLength={1_000} onChange={(event) => setSplit(event.target.value)} />
			</Field>
		</FormDialog>
	);
}

function AddedDialog({
	dataset,
	onClose,
}: {
	dataset: { readonly id: string; readonly name: string };
	onClose: () => void;
}): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title}>
			<div className="flex flex-col gap-3 p-4">
				<p role="status">{dataTexts.addToDataset.added(dataset.name)}</p>
				<div className="flex justify-end gap-2">
					<Link to="/datasets/$dataset/examples" params={{ dataset: dataset.id }} className={buttonClass()}>
						{dataTexts.upload.open}
					</Link>
					<Button autoFocus look="primary" onClick={onClose}>
						{texts.action.close}
					</Button>
				</div>
			</div>
		</Dialog>
	);
}
