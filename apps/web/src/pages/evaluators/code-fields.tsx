import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import type { VersionBody } from "../../evaluating/queries.ts";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { HighlightedArea } from "../../ui/highlighting/highlighted-area.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import type { KindFieldsProps } from "./evaluator-form.tsx";

const TEXTS = evaluatorTexts.form;
/** Names of inputs that are found in each target by themselves. */
const OF_RUNS = ["input", "expected", "metadata", "output", "input_text", "expected_text", "output_text"];
const OF_SPANS = ["input", "metadata", "output", "input_text", "output_text"];

const EXAMPLE = `function evaluate({ output_text }) {
	const words = output_text.split(/\\s+/).length;
	return { score: words <= 100 ? 1 : 0, explanation: \`\${words} words\` };
}
`;

interface Draft {
	readonly language: "javascript" | "typescript";
	readonly source: string;
	readonly inputs: string;
	readonly output: string;
	readonly minimum: string;
	readonly maximum: string;
}

/** A function that gives one score. More outputs, and labels, are written into a further version. */
export function CodeFields({ isChecked, onDraft }: KindFieldsProps): ReactNode {
	const [draft, setDraft] = useState<Draft>({
		...{ language: "javascript", source: EXAMPLE, inputs: "output_text" },
		...{ output: "short_enough", minimum: "0", maximum: "1" },
	});
	const { version, problems } = read(draft);
	const tell = useEffectEvent(() => onDraft({ version, suggestedName: draft.output }));
	useEffect(() => tell(), [draft]);
	const shown = isChecked ? problems : {};
	const field = (name: "inputs" | "output" | "minimum" | "maximum", hint?: string) => (
		<Field label={TEXTS[name]} hint={hint} error={shown[name]}>
			<Input
				required={name === "inputs" || name === "output"}
				value={draft[name]}
				aria-invalid={shown[name] !== undefined}
				onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
			/>
		</Field>
	);
	return (
		<>
			<Field label={TEXTS.language}>
				<Select
					value={draft.language}
					onChange={(language) => setDraft({ ...draft, language })}
					choices={(["javascript", "typescript"] as const).map((value) => ({ value, label: TEXTS[value] }))}
				/>
			</Field>
			<Field label={TEXTS.source} hint={TEXTS.sourceHint}>
				<HighlightedArea
					required
					language="code"
					value={draft.source}
					className="max-h-[60vh] min-h-52 rounded border border-line-strong"
					onChange={(event) => setDraft({ ...draft, source: event.target.value })}
				/>
			</Field>
			{field("inputs", TEXTS.inputsHint)}
			<div className="grid gap-3 sm:grid-cols-3">
				{field("output")}
				{field("minimum")}
				{field("maximum")}
			</div>
		</>
	);
}

function read({ language, source, inputs, output, minimum, maximum }: Draft): {
	readonly version: VersionBody | undefined;
	readonly problems: Readonly<Partial<Record<keyof Draft, string>>>;
} {
	const names = [...new Set(inputs.split(",").map((name) => name.trim()))].filter((name) => name !== "");
	const isNumber = (text: string) => text.trim() === "" || Number.isFinite(Number(text));
	const problems = {
		...(names.length === 0 ? { inputs: TEXTS.inputsMissing } : {}),
		...(isNumber(minimum) ? {} : { minimum: TEXTS.badNumber }),
		...(isNumber(maximum) ? {} : { maximum: TEXTS.badNumber }),
	};
	if (Object.keys(problems).length > 0) return { version: undefined, problems };
	const bound = (name: "minimum" | "maximum", text: string) => (text.trim() === "" ? {} : { [name]: Number(text) });
	const mapped = (known: readonly string[]) =>
		Object.fromEntries(names.filter((name) => known.includes(name)).map((name) => [name, { path: name }]));
	return {
		problems,
		version: {
			kind: "CODE",
			language,
			source,
			inputs: names.map((name) => ({ name })),
			outputs: [{ type: "score", name: output, ...bound("minimum", minimum), ...bound("maximum", maximum) }],
			mapping: { run: mapped(OF_RUNS), span: mapped(OF_SPANS), trace: mapped(OF_SPANS) },
		},
	};
}
