import type { EvaluatorVersionOfEvaluator } from "@spanward/client";
import type { ReactNode } from "react";
import { evaluatorTexts } from "../texts/evaluators-en.ts";
import { Field, Input } from "../ui/input.tsx";
import type { TryBody } from "./queries.ts";
import type { Evaluated } from "./target.ts";

const TEXTS = evaluatorTexts.now;

type Version = EvaluatorVersionOfEvaluator["version"];

interface InputPathsProps {
	readonly version: Version;
	readonly kind: Evaluated["kind"];
	/** As they are written, by the name of the input; empty: as the evaluator says. */
	readonly paths: Readonly<Record<string, string>>;
	readonly onChange: (paths: Readonly<Record<string, string>>) => void;
}

/** Where the inputs of an evaluator come from: as it says, or as is written here; open where it does not say. */
export function InputPaths({ version: { inputs, mapping }, kind, paths, onChange }: InputPathsProps): ReactNode {
	const usual = mapping?.[kind] ?? {};
	const missing = inputs.filter(({ name, required }) => required !== false && usual[name] === undefined);
	if (inputs.length === 0) return null;
	return (
		<details open={missing.length > 0} className="flex flex-col gap-2">
			<summary className="cursor-default text-muted text-sm">{TEXTS.inputs}</summary>
			<div className="flex flex-col gap-3 pt-2">
				<p className="text-muted text-sm">{missing.length > 0 ? TEXTS.inputsMissing[kind] : TEXTS.inputsHint}</p>
				{inputs.map(({ name, description }) => (
					<Field key={name} label={name} hint={description}>
						<Input
							value={paths[name] ?? ""}
							maxLength={4_096}
							required={missing.some((each) => each.name === name)}
							placeholder={shown(usual[name])}
							className="font-mono"
							onChange={(event) => onChange({ ...paths, [name]: event.target.value })}
						/>
					</Field>
				))}
			</div>
		</details>
	);
}

type Source = NonNullable<TryBody["mapping"]>[string];

function shown(source: Source | undefined): string | undefined {
	if (source === undefined) return undefined;
	return "path" in source ? source.path : JSON.stringify(source.literal);
}

/** The paths that are written, as the mapping of a request. */
export function mappingOf(paths: Readonly<Record<string, string>>): Record<string, { path: string }> {
	return Object.fromEntries(
		Object.entries(paths).flatMap(([name, path]) => (path.trim() === "" ? [] : [[name, { path: path.trim() }]])),
	);
}
