import type { DatasetSplit } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { splitsQuery } from "../../lib/datasets.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { invalidateExamples } from "./invalidate-examples.ts";
import { SplitDialog } from "./split-dialogs.tsx";

const TEXTS = dataTexts.examples;

/** Actions on the selected examples. */
export function SelectionBar({
	dataset,
	selected,
	onClear,
}: {
	dataset: string;
	selected: ReadonlySet<string>;
	onClear: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const { data: splits = [] } = useQuery(splitsQuery(dataset));
	const [isCreating, setCreating] = useState(false);
	const move = useMutation({
		mutationFn: ({ split, isAdded }: { split: DatasetSplit; isAdded: boolean }) =>
			api.patch("/v1/datasets/{dataset_identifier}/splits/{split_id}", {
				path: { dataset_identifier: dataset, split_id: split.id },
				body: { [isAdded ? "add_example_ids" : "remove_example_ids"]: [...selected] },
			}),
		onSuccess: () => invalidateExamples(queries, dataset),
	});
	const done = move.variables;
	return (
		<section
			aria-label={TEXTS.selected(selected.size)}
			className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b bg-accent-soft px-3 py-1"
		>
			<span className="font-medium">{TEXTS.selected(selected.size)}</span>
			<Menu trigger={<Button disabled={move.isPending}>{TEXTS.addToSplit}</Button>}>
				{splits.map((split) => (
					<MenuItem key={split.id} onClick={() => move.mutate({ split, isAdded: true })}>
						{split.name}
					</MenuItem>
				))}
				{splits.length > 0 && <MenuSeparator />}
				<MenuItem onClick={() => setCreating(true)}>{dataTexts.splits.create}</MenuItem>
			</Menu>
			{splits.length > 0 && (
				<Menu trigger={<Button disabled={move.isPending}>{TEXTS.removeFromSplit}</Button>}>
					{splits.map((split) => (
						<MenuItem key={split.id} onClick={() => move.mutate({ split, isAdded: false })}>
							{split.name}
						</MenuItem>
					))}
				</Menu>
			)}
			<Button look="quiet" onClick={onClear}>
				{TEXTS.clearSelection}
			</Button>
			<span role="status" className="text-muted">
				{move.isSuccess &&
					done &&
					(done.isAdded
						? TEXTS.addedTo(selected.size, done.split.name)
						: TEXTS.removedFrom(selected.size, done.split.name))}
			</span>
			<FormError error={move.error} />
			{isCreating && <SplitDialog dataset={dataset} examples={[...selected]} onClose={() => setCreating(false)} />}
		</section>
	);
}
