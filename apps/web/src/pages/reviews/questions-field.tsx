import { useQuery } from "@tanstack/react-query";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { type ReactNode, useState } from "react";
import { ConfigDialog } from "../../annotating/config-dialog.tsx";
import { configsQuery } from "../../annotating/queries.ts";
import type { AnnotationConfig } from "../../annotating/types.ts";
import { annotatingTexts } from "../../texts/annotating-en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FieldProblem } from "../../ui/field-problem.tsx";
import { Input } from "../../ui/input.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { Select } from "../../ui/select.tsx";
import { NEW_QUESTION, type QuestionDraft } from "./queue-draft.ts";

const TEXTS = reviewTexts.queueForm;
const MOST_QUESTIONS = 20;

interface QuestionsFieldProps {
	readonly questions: readonly QuestionDraft[];
	readonly onChange: (questions: readonly QuestionDraft[]) => void;
	readonly problem: string | undefined;
}

/** What reviewers are asked, in order: annotation configs, each with its rules. */
export function QuestionsField({ questions, onChange, problem }: QuestionsFieldProps): ReactNode {
	const { data: configs = [], error } = useQuery(configsQuery);
	const [isCreating, setCreating] = useState(false);
	const put = (index: number, next: QuestionDraft) => onChange(questions.with(index, next));
	const move = (index: number, by: 1 | -1) => {
		const [moved, other] = [questions[index], questions[index + by]];
		if (moved && other) onChange(questions.with(index, other).with(index + by, moved));
	};
	return (
		<fieldset className="flex flex-col gap-2">
			<legend className="mb-1 font-semibold">{TEXTS.questions}</legend>
			<p className="text-muted text-sm">{TEXTS.questionsHint}</p>
			<ol className="flex flex-col gap-2">
				{questions.map((question, index) => (
					<li key={index} className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded bg-sunken px-2 py-1.5">
						<Question
							number={index + 1}
							question={question}
							configs={configs.filter(
								({ id }) => id === question.configId || !questions.some(({ configId }) => configId === id),
							)}
							onChange={(next) => put(index, next)}
						/>
						<span className="ml-auto flex">
							<IconButton label={TEXTS.up(index + 1)} disabled={index === 0} onClick={() => move(index, -1)}>
								<ArrowUp size={14} aria-hidden />
							</IconButton>
							<IconButton
								label={TEXTS.down(index + 1)}
								disabled={index === questions.length - 1}
								onClick={() => move(index, 1)}
							>
								<ArrowDown size={14} aria-hidden />
							</IconButton>
							<IconButton
								label={TEXTS.remove(index + 1)}
								disabled={questions.length === 1}
								onClick={() => onChange(questions.toSpliced(index, 1))}
							>
								<X size={14} aria-hidden />
							</IconButton>
						</span>
					</li>
				))}
			</ol>
			<FieldProblem text={error ? error.message : problem} />
			<span className="flex flex-wrap gap-2">
				<Button disabled={questions.length >= MOST_QUESTIONS} onClick={() => onChange([...questions, NEW_QUESTION])}>
					<Plus size={14} aria-hidden />
					{TEXTS.addQuestion}
				</Button>
				<Button look="quiet" onClick={() => setCreating(true)}>
					{annotatingTexts.newConfig}
				</Button>
			</span>
			{isCreating && <ConfigDialog onClose={() => setCreating(false)} />}
		</fieldset>
	);
}

function Question({
	number,
	question,
	configs,
	onChange,
}: {
	number: number;
	question: QuestionDraft;
	configs: readonly AnnotationConfig[];
	onChange: (question: QuestionDraft) => void;
}): ReactNode {
	const config = configs.find(({ id }) => id === question.configId);
	return (
		<>
			<Select
				label={TEXTS.question(number)}
				value={question.configId}
				onChange={(configId) => onChange({ ...question, configId, tolerance: "" })}
				choices={[
					{ value: "", label: TEXTS.chooseConfig },
					...configs.map(({ id, name, type }) => ({
						value: id,
						label: `${name} (${annotatingTexts.config.kinds[type]})`,
					})),
				]}
				className="w-56 max-w-full"
			/>
			<Check
				label={TEXTS.required}
				isOn={question.isRequired}
				onChange={(isRequired) => onChange({ ...question, isRequired })}
			/>
			{config?.type !== "FREEFORM" && (
				<Check label={TEXTS.note} isOn={question.hasNote} onChange={(hasNote) => onChange({ ...question, hasNote })} />
			)}
			{config?.type === "CONTINUOUS" && (
				<Labelled label={TEXTS.tolerance}>
					<Input
						type="number"
						min={0}
						step="any"
						title={TEXTS.toleranceHint}
						value={question.tolerance}
						onChange={(event) => onChange({ ...question, tolerance: event.target.value })}
						className="w-20"
					/>
				</Labelled>
			)}
		</>
	);
}

function Check({
	label,
	isOn,
	onChange,
}: {
	label: string;
	isOn: boolean;
	onChange: (isOn: boolean) => void;
}): ReactNode {
	return (
		<label className="flex items-center gap-1.5 pointer-coarse:min-h-11">
			<input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
			{label}
		</label>
	);
}
