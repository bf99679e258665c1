import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { HomeField } from "../homes/home-field.tsx";
import { useNewHome } from "../homes/use-new-home.ts";
import { livingIn } from "../homes/use-writable-homes.ts";
import { isWiderAccess, WiderAccessDialog } from "../homes/wider-access.tsx";
import { createDataset } from "../lib/create-dataset.ts";
import { datasetPages } from "../lib/datasets.ts";
import { selectingTexts } from "../texts/selecting-en.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field, Input } from "../ui/input.tsx";
import { useAllPages } from "../ui/list-pages.tsx";
import { Select } from "../ui/select.tsx";
import { type ActionDialogProps, useStart } from "./use-start.ts";

const TEXTS = selectingTexts.dataset;

/** Asks for the dataset that the selected rows become examples of. */
export function AddDialog(props: ActionDialogProps): ReactNode {
	const { selected, onClose } = props;
	const queries = useQueryClient();
	const query = useInfiniteQuery(datasetPages);
	useAllPages(query, true);
	const home = useNewHome(selected.project);
	const datasets = livingIn(home, query.data?.pages.flatMap((page) => page.data) ?? []);
	const [chosen, setChosen] = useState("");
	const [name, setName] = useState("");
	const [split, setSplit] = useState("");
	const start = useStart(props, async (given: { id: string; name: string; split: string }) => {
		const id = given.id === "" ? (await createDataset(given.name, home.sent)).id : given.id;
		await queries.invalidateQueries({ queryKey: ["datasets"] });
		return { action: "add_to_dataset", dataset_id: id, ...(given.split === "" ? {} : { splits: [given.split] }) };
	});
	const isReady = chosen !== "" || (name.trim() !== "" && home.value !== "");
	if (isWiderAccess(start.error)) return <WiderAccessDialog title={TEXTS.title} asked={start} onClose={onClose} />;
	return (
		<FormDialog
			title={TEXTS.title}
			action={selectingTexts.action.dataset}
			isPending={start.isPending || !isReady}
			error={start.error ?? query.error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				if (isReady) start.mutate({ id: chosen, name: name.trim(), split: split.trim() });
			}}
		>
			{selected.kind !== "session" && <p className="text-muted">{TEXTS.explain[selected.kind]}</p>}
			<Field label={TEXTS.dataset}>
				<Select
					value={chosen}
					onChange={setChosen}
					choices={[
						{ value: "", label: home.isNowhere ? TEXTS.choose : TEXTS.fresh },
						...datasets.map((dataset) => ({ value: dataset.id, label: dataset.name })),
					]}
				/>
			</Field>
			{chosen === "" && (
				<>
					{!home.isNowhere && (
						<Field label={TEXTS.name}>
							<Input value={name} maxLength={1_000} onChange={(event) => setName(event.target.value)} />
						</Field>
					)}
					<HomeField home={home} />
				</>
			)}
			<Field label={TEXTS.split} hint={TEXTS.splitHint}>
				<Input value={split} maxLength={1_000} onChange={(event) => setSplit(event.target.value)} />
			</Field>
		</FormDialog>
	);
}
