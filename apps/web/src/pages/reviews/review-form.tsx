import type { ReviewQueue } from "@spanward/client";
import { type ReactNode, type RefObject, useRef, useState } from "react";
import { DIGITS } from "../../annotating/config-row.tsx";
import { EMPTY } from "../../annotating/draft.ts";
import { type Shortcut, useShortcuts } from "../../lib/shortcuts.tsx";
import { type Drafts, draftAt, lettersOf, problemsOf } from "../../reviewing/answers.ts";
import { QuestionField } from "../../reviewing/question-field.tsx";
import { reviewTexts } from "../../texts/reviews-en.ts";

const TEXTS = reviewTexts.form;

export interface ReviewFormProps {
	readonly queue: ReviewQueue;
	readonly drafts: Drafts;
	readonly onDrafts: (drafts: Drafts) => void;
	readonly isReadOnly: boolean;
	/** Only called when everything is filled in that is needed. */
	readonly onSave: () => void;
	/** What saving does, on the sheet of keys. */
	readonly saveLabel: string;
	/** Further keys. */
	readonly more: readonly Shortcut[];
	/** The buttons below, which get what saves. */
	readonly children: (save: () => void) => ReactNode;
}

/** The questions of a queue with their keys. To be mounted anew for each item. */
export function ReviewForm(props: ReviewFormProps): ReactNode {
	const { queue, drafts, onDrafts, isReadOnly, onSave, saveLabel, more, children } = props;
	const { questions } = queue;
	const root = useRef<HTMLFormElement>(null);
	const [active, setActive] = useState(0);
	const [isChecked, setChecked] = useState(false);
	const letters = lettersOf(questions.map(({ name }) => name));
	const problems = problemsOf(questions, drafts);
	const save = () => {
		if (isReadOnly) return;
		setChecked(true);
		const wrong = questions.findIndex(({ annotation_config_id: id }) => problems.has(id));
		if (wrong < 0) return onSave();
		setActive(wrong);
		focusAnswer(root.current, wrong);
	};
	useFormKeys({
		...{ queue, root, active, letters, drafts, onDrafts, isReadOnly, save, saveLabel, more },
		onActive: setActive,
	});
	return (
		<form
			ref={root}
			tabIndex={-1}
			aria-label={TEXTS.label}
			noValidate
			onSubmit={(event) => {
				event.preventDefault();
				save();
			}}
			className="flex min-h-0 flex-1 flex-col outline-none"
		>
			<div className="flex flex-col py-1">
				{questions.map((question, index) => (
					<QuestionField
						key={question.annotation_config_id}
						question={question}
						letter={letters[index] ?? ""}
						draft={draftAt(drafts, question)}
						problem={isChecked ? problems.get(question.annotation_config_id) : undefined}
						isActive={index === active && !isReadOnly}
						isReadOnly={isReadOnly}
						onActivate={() => setActive(index)}
						onChange={(draft) => onDrafts(new Map(drafts).set(question.annotation_config_id, draft))}
					/>
				))}
			</div>
			{children(save)}
		</form>
	);
}

interface FormKeys
	extends Pick<ReviewFormProps, "queue" | "drafts" | "onDrafts" | "isReadOnly" | "saveLabel" | "more"> {
	readonly root: RefObject<HTMLElement | null>;
	readonly active: number;
	readonly letters: readonly string[];
	readonly onActive: (index: number) => void;
	readonly save: () => void;
}

function useFormKeys(keys: FormKeys): void {
	const { queue, root, active, letters, drafts, onDrafts, isReadOnly, onActive, save, saveLabel, more } = keys;
	const { questions } = queue;
	const go = (index: number) => {
		onActive(index);
		const question = questions[index];
		if (question === undefined || isReadOnly) return;
		if (question.type === "CATEGORICAL") root.current?.focus();
		else focusAnswer(root.current, index);
		root.current?.querySelectorAll("[data-question]")[index]?.scrollIntoView({ block: "nearest" });
	};
	const choose = (digit: number): boolean => {
		const question = questions[active];
		const value = question?.values?.[digit - 1];
		if (question === undefined || value === undefined || isReadOnly) return false;
		const before = drafts.get(question.annotation_config_id) ?? EMPTY;
		onDrafts(new Map(drafts).set(question.annotation_config_id, { ...before, label: value.label }));
		if (active + 1 < questions.length) go(active + 1);
		return true;
	};
	const writeNote = (): boolean => {
		const field = root.current?.querySelectorAll("[data-question]")[active]?.querySelector<HTMLElement>("[data-note]");
		field?.focus();
		return field !== null && field !== undefined;
	};
	useShortcuts({
		title: TEXTS.keys,
		isFirst: true,
		shortcuts: [
			...Array.from({ length: DIGITS }, (_, index) => index + 1).map((digit) => ({
				keys: [String(digit)],
				label: TEXTS.key.choose,
				hidden: digit > 1,
				run: () => choose(digit),
			})),
			...questions.map(({ name }, index) => ({
				keys: [letters[index] ?? ""],
				label: TEXTS.key.question(name),
				run: () => go(index),
			})),
			{
				keys: ["Enter"],
				label: saveLabel,
				inFields: true,
				run: (event) => {
					if (event.shiftKey || !isOwnEnter(event.target, root.current)) return false;
					save();
					return true;
				},
			},
			{ keys: ["n"], label: TEXTS.key.note, run: writeNote },
			{
				keys: ["Escape"],
				label: TEXTS.key.leave,
				inFields: true,
				run: (event) => {
					if (!(event.target instanceof HTMLElement) || !root.current?.contains(event.target)) return false;
					if (event.target === root.current) return false;
					root.current.focus();
					return true;
				},
			},
			...more,
		],
	});
}

/** Enter presses buttons and links, and belongs to fields elsewhere on the page. */
function isOwnEnter(target: EventTarget | null, form: HTMLElement | null): boolean {
	if (!(target instanceof Element)) return true;
	const isAnswer = target.closest("[data-answer]") !== null || target.closest("[data-note]") !== null;
	if (form?.contains(target) && isAnswer) return true;
	return target.closest("button, a, summary, input, textarea, select, [role=tab], [role=menuitem]") === null;
}

function focusAnswer(form: HTMLElement | null, index: number): void {
	const question = form?.querySelectorAll("[data-question]")[index];
	const answer = question?.querySelector<HTMLElement>("input, textarea, [aria-pressed]");
	answer?.focus({ preventScroll: true });
	question?.scrollIntoView({ block: "nearest" });
}
