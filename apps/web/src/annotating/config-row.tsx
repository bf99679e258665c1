import type { ReactNode } from "react";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { classNames } from "../ui/class-names.ts";
import { Input } from "../ui/input.tsx";
import { Key } from "../ui/keys.tsx";
import { boundsText, type Draft } from "./draft.ts";
import type { AnnotationConfig, CategoricalConfig } from "./types.ts";

/** How many labels have a digit key. */
export const DIGITS = 9;

export interface ConfigRowProps {
	readonly config: AnnotationConfig;
	readonly draft: Draft;
	readonly problem: string | undefined;
	/** Whether the digit keys choose the labels of this row. */
	readonly isActive: boolean;
	/** Whether it has unsaved changes. */
	readonly isChanged: boolean;
	readonly onActivate: () => void;
	readonly onChange: (draft: Draft) => void;
}

/** The row of one config: its labels, number or text, and the explanation. */
export function ConfigRow(props: ConfigRowProps): ReactNode {
	const { config, draft, problem, isActive, isChanged, onActivate, onChange } = props;
	// Not by the focus: a row that moves under the pointer would lose the click.
	const isJudged = draft.label !== "" || draft.score.trim() !== "" || draft.explanation !== "";
	return (
		<fieldset
			data-config={config.name}
			aria-label={config.name}
			onFocus={onActivate}
			className={classNames(
				"grid grid-cols-[8.5rem_minmax(0,1fr)] items-start gap-x-3 gap-y-1 border-l-2 py-1 pr-3 pl-2.5 max-sm:grid-cols-1",
				isActive ? "border-accent bg-hover" : "border-transparent",
			)}
		>
			<span className="flex h-7 min-w-0 items-center gap-1.5" title={config.description ?? config.name}>
				<span className="truncate font-medium">{config.name}</span>
				{isChanged && <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-accent" />}
			</span>
			<span className="flex min-w-0 max-w-3xl flex-col gap-1">
				{config.type === "CATEGORICAL" && <Labels {...props} config={config} />}
				{config.type === "CONTINUOUS" && (
					<span className="flex items-center gap-2">
						<Input
							aria-label={`${config.name}: ${TEXTS.number}`}
							inputMode="decimal"
							value={draft.score}
							aria-invalid={problem !== undefined}
							onChange={(event) => onChange({ ...draft, score: event.target.value })}
							className="w-24"
						/>
						<span
							className={problem ? "text-danger text-sm" : "text-muted text-sm"}
							role={problem ? "alert" : undefined}
						>
							{problem ?? boundsText(config)}
						</span>
					</span>
				)}
				{(config.type === "FREEFORM" || isJudged) && (
					<TextField
						label={config.type === "FREEFORM" ? `${config.name}: ${TEXTS.text}` : TEXTS.explanationOf(config.name)}
						placeholder={config.type === "FREEFORM" ? TEXTS.text : TEXTS.explanation}
						value={draft.explanation}
						onChange={(explanation) => onChange({ ...draft, explanation })}
					/>
				)}
			</span>
		</fieldset>
	);
}

function Labels({ config, draft, onChange }: ConfigRowProps & { config: CategoricalConfig }): ReactNode {
	return (
		<span className="flex flex-wrap gap-1">
			{config.values.map(({ label, score }, index) => (
				<button
					key={label}
					type="button"
					data-choice
					aria-pressed={draft.label === label}
					onClick={() => onChange({ ...draft, label: draft.label === label ? "" : label })}
					className={classNames(
						"inline-flex h-7 items-center gap-1.5 rounded border border-line-strong bg-surface px-2 hover:bg-hover pointer-coarse:h-11",
						"aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent",
					)}
				>
					{index < DIGITS && (
						<span className="max-sm:hidden">
							<Key name={String(index + 1)} />
						</span>
					)}
					{label}
					{score !== null && score !== undefined && <span className="text-muted text-sm">{score}</span>}
				</button>
			))}
		</span>
	);
}

/** A text area that grows with its lines. Enter saves, Shift+Enter begins a line. */
export function TextField({
	label,
	placeholder,
	value,
	onChange,
	...rest
}: {
	label: string;
	placeholder: string;
	value: string;
	onChange: (value: string) => void;
	"data-note"?: true;
}): ReactNode {
	return (
		<textarea
			{...rest}
			aria-label={label}
			placeholder={placeholder}
			value={value}
			rows={1}
			maxLength={100_000}
			onChange={(event) => onChange(event.target.value)}
			className="field-sizing-content max-h-40 min-h-7 w-full resize-none rounded border border-line-strong bg-surface px-2 py-[3px] placeholder:text-muted"
		/>
	);
}
