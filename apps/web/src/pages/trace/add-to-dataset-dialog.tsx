import type { Dataset } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, type SyntheticEvent, useId, useState } from "react";
import { HomeField } from "../../homes/home-field.tsx";
import { type NewHome, useNewHome } from "../../homes/use-new-home.ts";
import { livingIn } from "../../homes/use-writable-homes.ts";
import { isWiderAccess, WiderAccess } from "../../homes/wider-access.tsx";
import { api } from "../../lib/api.ts";
import { createDataset } from "../../lib/create-dataset.ts";
import { datasetPages } from "../../lib/datasets.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";

const TEXTS = dataTexts.addToDataset;
/** Datasets listed without a search. */
const LISTED = 8;

export interface AddToDatasetDialogProps {
	/** Name or id. */
	readonly project: string;
	/** 16 hex digits. */
	readonly spanId: string;
	readonly onClose: () => void;
}

/** Creates an example from a span, in an existing dataset or a new one. */
export function AddToDatasetDialog({ project, spanId, onClose }: AddToDatasetDialogProps): ReactNode {
	const query = useInfiniteQuery(datasetPages);
	useAllPages(query, true);
	const home = useNewHome(project);
	const datasets = livingIn(home, query.data?.pages.flatMap((page) => page.data) ?? []);
	const [words, setWords] = useState("");
	const [chosen, setChosen] = useState<Dataset>();
	const [split, setSplit] = useState("");
	const add = useAdd(project, spanId, home);
	const name = words.trim();
	const matching = datasets.filter((dataset) => dataset.name.toLowerCase().includes(name.toLowerCase()));
	const exact = datasets.find((dataset) => dataset.name === name);
	const target = exact ?? (chosen && matching.includes(chosen) ? chosen : undefined);
	const isNew = name !== "" && target === undefined && query.data !== undefined;
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (target) add.mutate({ dataset: target, split: split.trim() });
		else if (isNew && home.value !== "") add.mutate({ name, split: split.trim() });
	};
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.title}>
			{add.data ? (
				<div className="flex flex-col gap-3 p-4">
					<p role="status">{add.data.isAdded ? TEXTS.added(add.data.name) : TEXTS.already(add.data.name)}</p>
					<div className="flex justify-end gap-2">
						<Link
							to="/datasets/$dataset/examples"
							params={{ dataset: add.data.id }}
							onClick={onClose}
							className={buttonClass()}
						>
							{dataTexts.upload.open}
						</Link>
						<Button look="primary" onClick={onClose}>
							{texts.action.close}
						</Button>
					</div>
				</div>
			) : isWiderAccess(add.error) && add.variables ? (
				<WiderAccess
					error={add.error}
					isPending={add.isPending}
					onAllow={() => add.variables && add.mutate({ ...add.variables, isWiderAllowed: true })}
					onBack={() => add.reset()}
				/>
			) : (
				<form onSubmit={submit} className="flex min-h-0 flex-col gap-3 overflow-auto p-4">
					<p className="text-muted">{TEXTS.explain}</p>
					<Field label={TEXTS.find}>
						<Input value={words} maxLength={1_000} onChange={(event) => setWords(event.target.value)} />
					</Field>
					<Choices datasets={matching.slice(0, LISTED)} chosen={target} onChoose={setChosen} />
					{isNew && <HomeField home={home} />}
					<Field label={dataTexts.examples.split} hint={TEXTS.splitHint}>
						<Input value={split} maxLength={1_000} onChange={(event) => setSplit(event.target.value)} />
					</Field>
					<FormError error={add.error ?? query.error} />
					<div className="flex justify-end gap-2">
						<Button onClick={onClose}>{texts.action.cancel}</Button>
						<Button type="submit" look="primary" disabled={(!target && !(isNew && home.value !== "")) || add.isPending}>
							{isNew ? TEXTS.createNamed : TEXTS.add}
						</Button>
					</div>
				</form>
			)}
		</Dialog>
	);
}

function Choices({
	datasets,
	chosen,
	onChoose,
}: {
	datasets: readonly Dataset[];
	chosen: Dataset | undefined;
	onChoose: (dataset: Dataset) => void;
}): ReactNode {
	const group = useId();
	return (
		<fieldset className="flex flex-col">
			<legend className="mb-1 text-muted text-sm">{TEXTS.dataset}</legend>
			{datasets.map((dataset) => (
				<label key={dataset.id} className="flex h-7 items-center gap-2 rounded px-1 hover:bg-hover">
					<input type="radio" name={group} checked={dataset === chosen} onChange={() => onChoose(dataset)} />
					<span className="min-w-0 flex-1 truncate">{dataset.name}</span>
					<span className="shrink-0 text-muted text-sm">{dataset.example_count}</span>
				</label>
			))}
			{datasets.length === 0 && <p className="px-1 text-muted">{TEXTS.none}</p>}
		</fieldset>
	);
}

type Target = { readonly split: string; readonly isWiderAllowed?: boolean } & (
	| { readonly dataset: Dataset }
	| { readonly name: string }
);

function useAdd(project: string, spanId: string, home: NewHome) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: async (target: Target) => {
			const { id, name } = "dataset" in target ? target.dataset : await createDataset(target.name, home.sent);
			const { data } = await api.post("/v1/datasets/{id}/examples/from_spans", {
				path: { id },
				body: {
					...{ span_ids: [spanId], project },
					...(target.split === "" ? {} : { splits: [target.split] }),
					...(target.isWiderAllowed ? { allow_wider_access: true } : {}),
				},
			});
			return { id, name, isAdded: data.num_created_examples > 0 };
		},
		onSettled: () => {
			for (const key of ["datasets", "dataset", "examples", "dataset-versions", "dataset-splits"])
				void queries.invalidateQueries({ queryKey: [key] });
		},
	});
}
