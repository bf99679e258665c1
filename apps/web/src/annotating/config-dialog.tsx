import { useMutation, useQueryClient } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../lib/api.ts";
import { fieldErrors } from "../lib/field-errors.ts";
import { annotatingTexts } from "../texts/annotating-en.ts";
import { texts } from "../texts/en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { FieldProblem } from "../ui/field-problem.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field, Input } from "../ui/input.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { Select } from "../ui/select.tsx";
import {
	type ConfigDraft,
	type ConfigField,
	configBody,
	configDraft,
	configProblems,
	NEW_CONFIG,
} from "./config-draft.ts";
import type { AnnotationConfig } from "./types.ts";

const TEXTS = annotatingTexts.config;
const KINDS = (["CATEGORICAL", "CONTINUOUS", "FREEFORM"] as const).map((value) => ({
	value,
	label: TEXTS.kinds[value],
}));
const DIRECTIONS = (["MAXIMIZE", "MINIMIZE", "NONE"] as const).map((value) => ({
	value,
	label: TEXTS.directions[value],
}));

/** Creates an annotation config, or changes the given one. */
export function ConfigDialog({
	config,
	start = NEW_CONFIG,
	onClose,
}: {
	config?: AnnotationConfig;
	/** What a new one begins with. */
	start?: ConfigDraft;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const [draft, setDraft] = useState(() => (config ? configDraft(config) : start));
	const [found, setFound] = useState<Partial<Record<ConfigField, string>>>({});
	const save = useMutation({
		mutationFn: async () => {
			const body = configBody(draft);
			return config
				? await api.put("/v1/annotation_configs/{config_id}", { path: { config_id: config.id }, body })
				: await api.post("/v1/annotation_configs", { body });
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["annotation-configs"] });
			onClose();
		},
	});
	const answer = fieldErrors(save.error, {
		name: ["annotation_config_name_taken", "conflict"],
		description: [],
		values: [],
		lower_bound: [],
		upper_bound: [],
	});
	const problems = { ...answer.at, ...found };
	const change = (part: Partial<ConfigDraft>) => setDraft({ ...draft, ...part });
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const problem = configProblems(draft);
		setFound(problem);
		if (Object.keys(problem).length === 0) save.mutate();
	};
	return (
		<FormDialog
			title={config ? TEXTS.edit(config.name) : TEXTS.create}
			action={config ? texts.action.save : texts.action.create}
			isPending={save.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.name} hint={TEXTS.nameHint} error={problems.name}>
				<Input
					value={draft.name}
					maxLength={1000}
					aria-invalid={problems.name !== undefined}
					onChange={(event) => change({ name: event.target.value })}
				/>
			</Field>
			<div className="flex flex-col gap-1">
				<span className="text-muted text-sm">{TEXTS.kind}</span>
				<span className="flex flex-wrap items-center gap-x-3 gap-y-1">
					<SegmentedControl
						label={TEXTS.kind}
						value={draft.type}
						onChange={(type) => change({ type })}
						choices={KINDS}
					/>
					<span className="text-muted text-sm">{TEXTS.kindHint[draft.type]}</span>
				</span>
			</div>
			{draft.type === "CATEGORICAL" && (
				<Labels values={draft.values} onChange={(values) => change({ values })} problem={problems.values} />
			)}
			{draft.type === "CONTINUOUS" && (
				<div className="grid grid-cols-2 gap-3">
					<Field label={TEXTS.lower} error={problems.lower_bound}>
						<Input
							value={draft.lower}
							inputMode="decimal"
							aria-invalid={problems.lower_bound !== undefined}
							onChange={(event) => change({ lower: event.target.value })}
						/>
					</Field>
					<Field label={TEXTS.upper} error={problems.upper_bound}>
						<Input
							value={draft.upper}
							inputMode="decimal"
							aria-invalid={problems.upper_bound !== undefined}
							onChange={(event) => change({ upper: event.target.value })}
						/>
					</Field>
				</div>
			)}
			{draft.type !== "FREEFORM" && (
				<Field label={TEXTS.direction}>
					<Select value={draft.direction} onChange={(direction) => change({ direction })} choices={DIRECTIONS} />
				</Field>
			)}
			<Field label={TEXTS.description} hint={TEXTS.descriptionHint} error={problems.description}>
				<Input
					value={draft.description}
					maxLength={10_000}
					onChange={(event) => change({ description: event.target.value })}
				/>
			</Field>
		</FormDialog>
	);
}

function Labels({
	values,
	onChange,
	problem,
}: {
	values: ConfigDraft["values"];
	onChange: (values: ConfigDraft["values"]) => void;
	problem: string | undefined;
}): ReactNode {
	const change = (index: number, part: Partial<ConfigDraft["values"][number]>) =>
		onChange(values.map((value, at) => (at === index ? { ...value, ...part } : value)));
	return (
		<fieldset className="flex flex-col gap-1">
			<legend className="mb-1 text-muted text-sm">{TEXTS.labels}</legend>
			{values.map((value, index) => (
				<div key={index} className="flex items-center gap-2">
					<Input
						aria-label={TEXTS.labelNumber(index + 1)}
						value={value.label}
						maxLength={1000}
						onChange={(event) => change(index, { label: event.target.value })}
						className="flex-1"
					/>
					<Input
						aria-label={TEXTS.scoreNumber(index + 1)}
						placeholder={TEXTS.score}
						value={value.score}
						inputMode="decimal"
						onChange={(event) => change(index, { score: event.target.value })}
						className="w-20"
					/>
					<IconButton
						label={TEXTS.removeLabel(index + 1)}
						onClick={() => onChange(values.filter((_, at) => at !== index))}
					>
						<X size={14} aria-hidden />
					</IconButton>
				</div>
			))}
			<FieldProblem text={problem} />
			<Button
				look="quiet"
				className="-ml-2 self-start text-muted"
				onClick={() => onChange([...values, { label: "", score: "" }])}
			>
				<Plus size={14} aria-hidden />
				{TEXTS.addLabel}
			</Button>
		</fieldset>
	);
}
