import type { BuiltInEvaluator } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { builtInsQuery } from "../../evaluating/queries.ts";
import { OutputList } from "../../evaluating/version-parts.tsx";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { Field, Input, TextArea } from "../../ui/input.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Select } from "../../ui/select.tsx";
import type { KindFieldsProps } from "./evaluator-form.tsx";
import { type ParameterField, parameterFields, readParameters } from "./rule-parameters.ts";

const TEXTS = evaluatorTexts.form;

/** A built-in evaluator with its parameters. */
export function RuleFields(props: KindFieldsProps): ReactNode {
	const query = useQuery(builtInsQuery);
	const [key, setKey] = useState<string>();
	return (
		<Loaded data={query.data} query={query}>
			{(all) => {
				const chosen = all.find((each) => each.key === key) ?? all[0];
				return (
					chosen && (
						<>
							<Field label={TEXTS.rule} hint={chosen.description}>
								<Select
									value={chosen.key}
									onChange={setKey}
									choices={all.map((each) => ({ value: each.key, label: each.title }))}
								/>
							</Field>
							<Parameters key={chosen.key} rule={chosen} {...props} />
						</>
					)
				);
			}}
		</Loaded>
	);
}

function Parameters({ rule, isChecked, onDraft }: KindFieldsProps & { rule: BuiltInEvaluator }): ReactNode {
	const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
	const fields = parameterFields(rule.parameters);
	const { parameters, problems } = readParameters(fields, written);
	const tell = useEffectEvent(() =>
		onDraft({
			suggestedName: rule.key,
			version:
				Object.keys(problems).length > 0 ? undefined : { kind: "BUILT_IN", builtin: { key: rule.key, parameters } },
		}),
	);
	useEffect(() => tell(), [written]);
	return (
		<>
			{fields.map((field) => (
				<Field
					key={field.name}
					label={field.name}
					hint={[field.description, field.kind === "lines" && TEXTS.linesHint].filter(Boolean).join(" ")}
					error={isChecked ? problems[field.name] : undefined}
				>
					<ParameterInput
						field={field}
						value={written[field.name] ?? ""}
						onChange={(value) => setWritten({ ...written, [field.name]: value })}
					/>
				</Field>
			))}
			<section aria-label={TEXTS.outputs} className="flex flex-col gap-1">
				<h2 className="text-muted text-sm">{TEXTS.outputs}</h2>
				<OutputList outputs={[rule.output]} />
			</section>
		</>
	);
}

function ParameterInput({
	field: { kind, choices, isRequired },
	value,
	onChange,
}: {
	field: ParameterField;
	value: string;
	onChange: (value: string) => void;
}): ReactNode {
	const unset = { value: "", label: TEXTS.unset };
	switch (kind) {
		case "choice":
			return (
				<Select
					value={value}
					onChange={onChange}
					choices={[unset, ...choices.map((each) => ({ value: each, label: each }))]}
				/>
			);
		case "boolean":
			return (
				<Select
					value={value}
					onChange={onChange}
					choices={[unset, { value: "true", label: TEXTS.yes }, { value: "false", label: TEXTS.no }]}
				/>
			);
		case "lines":
		case "json":
			return (
				<TextArea
					rows={3}
					required={isRequired}
					value={value}
					className={kind === "json" ? "font-mono text-sm" : ""}
					onChange={(event) => onChange(event.target.value)}
				/>
			);
		case "number":
		case "text":
			return (
				<Input
					required={isRequired}
					inputMode={kind === "number" ? "decimal" : "text"}
					value={value}
					onChange={(event) => onChange(event.target.value)}
				/>
			);
	}
}
