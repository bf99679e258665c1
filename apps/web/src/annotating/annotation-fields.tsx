import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { Button } from "../ui/button.tsx";
import { Key } from "../ui/keys.tsx";
import { ConfigDialog } from "./config-dialog.tsx";
import { ConfigRow, TextField } from "./config-row.tsx";
import { draftProblem } from "./draft.ts";
import type { AnnotationForm } from "./use-annotation-form.ts";

/** The fields of the panel: a row for each config, and a note. */
export function AnnotationFields(props: {
	readonly form: AnnotationForm;
	/** The row whose labels the digit keys choose. */
	readonly active: number;
	readonly onActivate: (row: number) => void;
}): ReactNode {
	const { form, active, onActivate } = props;
	const { configs, assignedCount } = form;
	const [creating, setCreating] = useState(false);
	const rows = configs.map((config, index) => (
		<ConfigRow
			key={config.id}
			config={config}
			draft={form.draftOf(config)}
			problem={draftProblem(config, form.draftOf(config))}
			isActive={index === active}
			isChanged={form.isChanged(config)}
			onActivate={() => onActivate(index)}
			onChange={(draft) => form.change(config, draft)}
		/>
	));
	return (
		<>
			{configs.length === 0 && (
				<div className="px-3 py-2">
					<p className="font-medium">{TEXTS.noConfigs}</p>
					<p className="text-muted">{TEXTS.noConfigsText}</p>
				</div>
			)}
			{rows.slice(0, assignedCount)}
			{assignedCount > 0 && configs.length > assignedCount && (
				<p className="px-3 pt-2 text-muted text-sm">{TEXTS.otherConfigs}</p>
			)}
			{rows.slice(assignedCount)}
			<div className="grid max-w-4xl grid-cols-[8.5rem_minmax(0,1fr)] items-start gap-x-3 py-1 pr-3 pl-3 max-sm:grid-cols-1">
				<span className="flex h-7 items-center gap-1.5 font-medium">
					{TEXTS.note}
					<Key name="N" />
				</span>
				<TextField
					data-note
					label={TEXTS.noteLabel}
					placeholder={TEXTS.notePlaceholder}
					value={form.note}
					onChange={form.setNote}
				/>
			</div>
			<Button look="quiet" className="ml-1.5 self-start text-muted" onClick={() => setCreating(true)}>
				<Plus size={14} aria-hidden />
				{TEXTS.newConfig}
			</Button>
			{creating && <ConfigDialog onClose={() => setCreating(false)} />}
		</>
	);
}
