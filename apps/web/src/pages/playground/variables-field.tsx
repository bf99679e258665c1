import type { ReactNode } from "react";
import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import { TextArea } from "../../ui/input.tsx";

/** A field for each variable of the columns. */
export function VariablesField({
	names,
	values,
	onChange,
}: {
	names: readonly string[];
	values: Readonly<Record<string, string>>;
	onChange: (values: Readonly<Record<string, string>>) => void;
}): ReactNode {
	if (names.length === 0) return <p className="text-muted text-sm">{texts.noVariables}</p>;
	return (
		<fieldset className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
			<legend className="mb-1 font-semibold text-sm">{texts.variables}</legend>
			{names.map((name) => (
				<div key={name} className="flex min-w-0 flex-col gap-1">
					<span className="truncate font-mono text-muted text-sm" aria-hidden>
						{name}
					</span>
					<TextArea
						aria-label={texts.variableOf(name)}
						value={values[name] ?? ""}
						rows={1}
						className="field-sizing-content max-h-60 resize-y"
						onChange={(event) => onChange({ ...values, [name]: event.target.value })}
					/>
				</div>
			))}
		</fieldset>
	);
}
