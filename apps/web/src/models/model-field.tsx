import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { modelConnectionsQuery, modelsQuery } from "../lib/model-connections.ts";
import { playgroundTexts as texts } from "../texts/playground-en.ts";
import { Field, Input } from "../ui/input.tsx";
import { Select } from "../ui/select.tsx";

interface ChosenModel {
	/** Empty for none yet. */
	readonly connectionId: string;
	readonly model: string;
}

interface ModelFieldProps {
	readonly variant: ChosenModel;
	readonly problems: Readonly<Record<string, string>>;
	readonly onChange: (part: Partial<ChosenModel>) => void;
}

/** Through which connection which model is called. */
export function ModelField({ variant, problems, onChange }: ModelFieldProps): ReactNode {
	const list = useId();
	const { data: connections = [] } = useQuery(modelConnectionsQuery);
	const models = useQuery(modelsQuery(variant.connectionId));
	const chosen = connections.find(({ id }) => id === variant.connectionId);
	const choices = connections.map(({ id, name, state }) => ({
		value: id,
		label: state === "ready" ? name : `${name} (${texts.states[state]})`,
	}));
	return (
		<div className="grid gap-2 sm:grid-cols-2">
			<Field label={texts.connection} error={problems["connection"]}>
				<Select
					value={chosen === undefined ? "" : variant.connectionId}
					onChange={(connectionId) => {
						const next = connections.find(({ id }) => id === connectionId);
						onChange({ connectionId, ...(next?.default_model == null ? {} : { model: next.default_model }) });
					}}
					choices={[{ value: "", label: texts.chooseConnection }, ...choices]}
				/>
			</Field>
			<Field label={texts.model} error={problems["model"]} hint={models.isError ? texts.noModels : undefined}>
				<Input
					value={variant.model}
					list={list}
					maxLength={1000}
					aria-invalid={problems["model"] !== undefined}
					onChange={(event) => onChange({ model: event.target.value })}
				/>
			</Field>
			<datalist id={list}>
				{models.data?.map(({ name }) => (
					<option key={name} value={name} />
				))}
			</datalist>
		</div>
	);
}
