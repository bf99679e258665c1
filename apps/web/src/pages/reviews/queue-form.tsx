import type { ReviewQueue } from "@spanward/client";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { config } from "../../lib/config.ts";
import { fieldErrors } from "../../lib/field-errors.ts";
import { texts } from "../../texts/en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { GuidanceField } from "./guidance-field.tsx";
import { PeopleField } from "./people-field.tsx";
import { QuestionsField } from "./questions-field.tsx";
import { isBlind, type QueueDraft, wrongFields } from "./queue-draft.ts";

const TEXTS = reviewTexts.queueForm;
const TARGETS: readonly ReviewQueue["target"][] = ["trace", "span", "session", "experiment_run"];
const ORDERS: readonly ReviewQueue["order"][] = ["oldest", "newest", "random", "priority"];
/** Which codes of errors are about which field. */
const CODES = {
	...{ name: ["review_queue_exists"], questions: [], reviews_required: ["reviews_begun"], reviewers: [] },
	...{ adjudicators: [], lease_minutes: [], due_at: [], guidance: [], description: [] },
} as const;

interface QueueFormProps {
	readonly first: QueueDraft;
	/** A queue that is there: what it is about, and whether it is blind, stays. */
	readonly isExisting?: boolean;
	readonly action: string;
	readonly mutation: {
		readonly mutate: (draft: QueueDraft) => void;
		readonly isPending: boolean;
		readonly error: Error | null;
	};
	readonly onCancel?: () => void;
	/** Said when it was saved. */
	readonly status?: string | undefined;
}

/** The fields of a review queue. */
export function QueueForm({ first, isExisting, action, mutation, onCancel, status }: QueueFormProps): ReactNode {
	const [draft, setDraft] = useState(first);
	const [isChecked, setChecked] = useState(false);
	const change = (next: Partial<QueueDraft>) => setDraft((before) => ({ ...before, ...next }));
	const wrong = wrongFields(draft);
	const { at, rest } = fieldErrors(mutation.error, CODES);
	const missing = (field: "name" | "questions" | "reviewers" | "due") =>
		isChecked && wrong.has(field) ? TEXTS.missing[field] : undefined;
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setChecked(true);
		if (wrong.size === 0 && !mutation.isPending) mutation.mutate(draft);
	};
	const problem = missing("name") ?? at.name;
	return (
		<form onSubmit={submit} noValidate className="flex flex-col gap-5">
			<div className="flex flex-col gap-3">
				<Field label={TEXTS.name} error={problem}>
					<Input
						value={draft.name}
						maxLength={200}
						aria-invalid={problem !== undefined}
						onChange={(event) => change({ name: event.target.value })}
					/>
				</Field>
				<Field label={TEXTS.description} error={at.description}>
					<Input
						value={draft.description}
						maxLength={10_000}
						onChange={(event) => change({ description: event.target.value })}
					/>
				</Field>
				{!isExisting && (
					<Field label={TEXTS.target}>
						<Select
							value={draft.target}
							onChange={(target) => change({ target })}
							choices={TARGETS.map((value) => ({ value, label: reviewTexts.targetsOf[value] }))}
							className="w-56"
						/>
					</Field>
				)}
				<GuidanceField value={draft.guidance} onChange={(guidance) => change({ guidance })} />
			</div>
			<QuestionsField
				questions={draft.questions}
				onChange={(questions) => change({ questions })}
				problem={missing("questions") ?? at.questions}
			/>
			<Who draft={draft} change={change} at={at} missing={missing("reviewers")} isExisting={isExisting === true} />
			<Order draft={draft} change={change} at={at} missing={missing("due")} />
			<FormError error={rest} />
			<div className="flex flex-wrap items-center gap-2">
				<Button type="submit" look="primary" disabled={mutation.isPending}>
					{action}
				</Button>
				{onCancel && <Button onClick={onCancel}>{texts.action.cancel}</Button>}
				<span role="status" className="text-muted">
					{status}
				</span>
			</div>
		</form>
	);
}

interface PartProps {
	readonly draft: QueueDraft;
	readonly change: (next: Partial<QueueDraft>) => void;
	readonly at: ReturnType<typeof fieldErrors<keyof typeof CODES>>["at"];
	readonly missing: string | undefined;
}

/** Who answers, who decides, and who sees what. With authentication off there is one user, who does all of it. */
function Who({ draft, change, at, missing, isExisting }: PartProps & { isExisting: boolean }): ReactNode {
	if (!config.auth.enabled) return null;
	return (
		<fieldset className="flex flex-col gap-3">
			<legend className="mb-1 font-semibold">{TEXTS.who}</legend>
			<Field label={TEXTS.reviewsRequired} hint={TEXTS.reviewsRequiredHint} error={at.reviews_required}>
				<Input
					type="number"
					min={1}
					max={9}
					value={draft.reviewsRequired}
					aria-invalid={at.reviews_required !== undefined}
					onChange={(event) => change({ reviewsRequired: event.target.value })}
					className="w-24"
				/>
			</Field>
			<Field label={TEXTS.reviewers}>
				<Select
					value={draft.reviewers === null ? "all" : "named"}
					onChange={(value) => change({ reviewers: value === "all" ? null : [] })}
					choices={[
						{ value: "all", label: TEXTS.everybody },
						{ value: "named", label: TEXTS.named },
					]}
					className="w-56"
				/>
			</Field>
			{draft.reviewers !== null && (
				<PeopleField
					label={TEXTS.namedReviewers}
					people={draft.reviewers}
					onChange={(reviewers) => change({ reviewers })}
					problem={missing ?? at.reviewers}
				/>
			)}
			<PeopleField
				label={TEXTS.adjudicators}
				hint={TEXTS.adjudicatorsHint}
				people={draft.adjudicators}
				onChange={(adjudicators) => change({ adjudicators })}
				problem={at.adjudicators}
			/>
			<label className="flex items-start gap-2">
				<input
					type="checkbox"
					checked={isBlind(draft)}
					disabled={isExisting}
					onChange={(event) => change({ blind: event.target.checked })}
					className="mt-1"
				/>
				<span>
					{TEXTS.blind}
					<span className="block text-muted text-sm">{isExisting ? TEXTS.blindStays : TEXTS.blindHint}</span>
				</span>
			</label>
			{isBlind(draft) && (
				<label className="flex items-start gap-2">
					<input
						type="checkbox"
						checked={draft.hidesModels}
						onChange={(event) => change({ hidesModels: event.target.checked })}
						className="mt-1"
					/>
					<span>
						{TEXTS.hidesModels}
						<span className="block text-muted text-sm">{TEXTS.hidesModelsHint}</span>
					</span>
				</label>
			)}
		</fieldset>
	);
}

/** What comes first, how long an item is kept, and until when all is to be done. */
function Order({ draft, change, at, missing }: PartProps): ReactNode {
	const due = missing ?? at.due_at;
	return (
		<fieldset className="flex flex-wrap items-start gap-x-6 gap-y-3">
			<legend className="mb-1 font-semibold">{TEXTS.how}</legend>
			<Field label={TEXTS.order}>
				<Select
					value={draft.order}
					onChange={(order) => change({ order })}
					choices={ORDERS.map((value) => ({ value, label: TEXTS.orders[value] }))}
				/>
			</Field>
			<Field label={TEXTS.lease} hint={TEXTS.leaseHint} error={at.lease_minutes}>
				<Input
					type="number"
					min={1}
					max={1_440}
					value={draft.leaseMinutes}
					aria-invalid={at.lease_minutes !== undefined}
					onChange={(event) => change({ leaseMinutes: event.target.value })}
					className="w-24"
				/>
			</Field>
			<Field label={TEXTS.due} hint={TEXTS.dueHint} error={due}>
				<Input
					type="datetime-local"
					value={draft.due}
					aria-invalid={due !== undefined}
					onChange={(event) => change({ due: event.target.value })}
				/>
			</Field>
		</fieldset>
	);
}
