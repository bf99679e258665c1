import type { ReviewQuestion } from "@spanward/client";
import type { ReactNode } from "react";
import { DIGITS, TextField } from "../annotating/config-row.tsx";
import { boundsText, type Draft } from "../annotating/draft.ts";
import { annotatingTexts } from "../texts/annotating-en.ts";
import { reviewTexts } from "../texts/reviews-en.ts";
import { classNames } from "../ui/class-names.ts";
import { Input } from "../ui/input.tsx";
import { Key } from "../ui/keys.tsx";
import { isAnswered } from "./answers.ts";

const TEXTS = reviewTexts.form;

export interface QuestionFieldProps {
	readonly question: ReviewQuestion;
	/** The key that leads here. */
	readonly letter: string;
	readonly draft: Draft;
	/** What is wrong with it, once somebody tried to save. */
	readonly problem: string | undefined;
	/** Whether the digit keys choose its labels. */
	readonly isActive: boolean;
	readonly isReadOnly: boolean;
	readonly onActivate: () => void;
	readonly onChange: (draft: Draft) => void;
}

/** A question of a review: its labels, number or text, and the note where one may be written. */
export function QuestionField(props: QuestionFieldProps): ReactNode {
	const { question, letter, draft, problem, isActive, isReadOnly, onActivate, onChange } = props;
	const { name, type, note } = question;
	return (
		<fieldset
			data-question={name}
			disabled={isReadOnly}
			onFocus={onActivate}
			className={classNames(
				"flex min-w-0 flex-col gap-1.5 border-l-2 py-2 pr-3 pl-2.5",
				isActive ? "border-accent bg-hover" : "border-transparent",
			)}
		>
			<legend className="contents">
				<span className="flex min-w-0 items-center gap-1.5">
					<span className="pointer-coarse:hidden">
						<Key name={letter.toUpperCase()} />
					</span>
					<span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
					{!question.required && <span className="text-muted text-sm">{TEXTS.optional}</span>}
				</span>
			</legend>
			{question.description && <p className="text-muted text-sm">{question.description}</p>}
			{type === "CATEGORICAL" && <Labels question={question} draft={draft} onChange={onChange} />}
			{type === "CONTINUOUS" && (
				<span className="flex items-center gap-2">
					<Input
						data-answer
						aria-label={`${name}: ${annotatingTexts.number}`}
						inputMode="decimal"
						maxLength={30}
						value={draft.score}
						aria-invalid={problem !== undefined}
						onChange={(event) => onChange({ ...draft, score: event.target.value })}
						className="w-28"
					/>
					<span className="text-muted text-sm">{boundsText(question)}</span>
				</span>
			)}
			{type === "FREEFORM" && (
				<span data-answer className="contents">
					<TextField
						label={`${name}: ${annotatingTexts.text}`}
						placeholder={annotatingTexts.text}
						value={draft.explanation}
						onChange={(explanation) => onChange({ ...draft, explanation })}
					/>
				</span>
			)}
			{type !== "FREEFORM" && note && (isActive || isAnswered(question, draft) || draft.explanation !== "") && (
				<TextField
					data-note
					label={TEXTS.noteOf(name)}
					placeholder={TEXTS.note}
					value={draft.explanation}
					onChange={(explanation) => onChange({ ...draft, explanation })}
				/>
			)}
			{problem !== undefined && (
				<span role="alert" className="text-danger text-sm">
					{problem}
				</span>
			)}
		</fieldset>
	);
}

function Labels({ question, draft, onChange }: Pick<QuestionFieldProps, "question" | "draft" | "onChange">): ReactNode {
	return (
		<span className="flex flex-wrap gap-1.5">
			{question.values?.map(({ label, score }, index) => (
				<button
					key={label}
					type="button"
					data-answer
					aria-pressed={draft.label === label}
					onClick={() => onChange({ ...draft, label: draft.label === label ? "" : label })}
					className={classNames(
						"inline-flex min-h-7 max-w-full items-center gap-1.5 rounded border border-line-strong bg-surface px-2 hover:bg-hover pointer-coarse:min-h-11 pointer-coarse:px-3.5",
						"aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent",
					)}
				>
					{index < DIGITS && (
						<span className="pointer-coarse:hidden">
							<Key name={String(index + 1)} />
						</span>
					)}
					<span className="min-w-0 [overflow-wrap:anywhere]">{label}</span>
					{score !== null && <span className="text-muted text-sm">{score}</span>}
				</button>
			))}
		</span>
	);
}
