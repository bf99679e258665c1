import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { HomeField } from "../../homes/home-field.tsx";
import { type NewHome, useNewHome } from "../../homes/use-new-home.ts";
import { livingIn } from "../../homes/use-writable-homes.ts";
import { datasetPages } from "../../lib/datasets.ts";
import { selectingTexts } from "../../texts/selecting-en.ts";
import { Field, Input } from "../../ui/input.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { Select } from "../../ui/select.tsx";

const TEXTS = selectingTexts.dataset;

/** Which dataset examples go to: one that is there, or a new one. */
interface DatasetChoice {
	/** Undefined until one is chosen or named. */
	readonly value: { readonly id: string; readonly name: string } | { readonly name: string } | undefined;
	/** Of a new one. */
	readonly home: NewHome;
	readonly error: Error | null;
	/** The fields that ask for it. */
	readonly fields: ReactNode;
}

/** @param project id or name of the project where the spans are, if that is one */
export function useDatasetChoice(project?: string): DatasetChoice {
	const query = useInfiniteQuery(datasetPages);
	useAllPages(query, true);
	const home = useNewHome(project);
	const [chosen, setChosen] = useState("");
	const [name, setName] = useState("");
	const datasets = livingIn(home, query.data?.pages.flatMap((page) => page.data) ?? []);
	const dataset = datasets.find(({ id }) => id === chosen);
	const named = name.trim() === "" || home.value === "" ? undefined : { name: name.trim() };
	return {
		value: dataset ?? named,
		...{ home, error: query.error },
		fields: (
			<>
				<Field label={TEXTS.dataset}>
					<Select
						value={chosen}
						onChange={setChosen}
						choices={[
							{ value: "", label: home.isNowhere ? TEXTS.choose : TEXTS.fresh },
							...datasets.map(({ id, name: label }) => ({ value: id, label })),
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
			</>
		),
	};
}
