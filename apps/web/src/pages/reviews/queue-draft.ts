import type { CreateReviewQueueBodyInput, PatchReviewQueueBodyInput, ReviewQueue } from "@spanward/client";

/** A person who may be named in a queue. */
export interface Person {
	readonly id: string;
	readonly username: string;
}

export interface QuestionDraft {
	/** Of the annotation config; empty while none is chosen. */
	readonly configId: string;
	readonly isRequired: boolean;
	readonly hasNote: boolean;
	readonly tolerance: string;
}

/** The fields of the form of a queue. */
export interface QueueDraft {
	readonly name: string;
	readonly description: string;
	readonly guidance: string;
	readonly target: ReviewQueue["target"];
	readonly questions: readonly QuestionDraft[];
	readonly reviewsRequired: string;
	/** Null for everybody who may annotate. */
	readonly reviewers: readonly Person[] | null;
	readonly adjudicators: readonly Person[];
	/** Undefined as long as it follows from how many reviews are required. */
	readonly blind: boolean | undefined;
	/** Of a blind queue: reviewers are not shown annotations by models and programs. */
	readonly hidesModels: boolean;
	readonly order: ReviewQueue["order"];
	readonly leaseMinutes: string;
	/** As a field for a date and time has it, in local time; empty for none. */
	readonly due: string;
}

export const NEW_QUESTION: QuestionDraft = { configId: "", isRequired: true, hasNote: false, tolerance: "" };

export const NEW_QUEUE: QueueDraft = {
	...{ name: "", description: "", guidance: "", target: "trace", questions: [NEW_QUESTION], reviewsRequired: "1" },
	...{
		reviewers: null,
		adjudicators: [],
		blind: undefined,
		hidesModels: false,
		order: "oldest",
		leaseMinutes: "15",
		due: "",
	},
};

export function isBlind({ blind, reviewsRequired }: QueueDraft): boolean {
	return blind ?? Number(reviewsRequired) > 1;
}

/** The fields of a queue that is there. */
export function toDraft(queue: ReviewQueue): QueueDraft {
	const toPerson = (id: string): Person => ({
		id,
		username: queue.people.find((person) => person.id === id)?.username ?? id,
	});
	return {
		...{ name: queue.name, description: queue.description ?? "", guidance: queue.guidance ?? "" },
		target: queue.target,
		questions: queue.questions.map((question) => ({
			configId: question.annotation_config_id,
			isRequired: question.required,
			hasNote: question.note,
			tolerance: question.tolerance === 0 ? "" : String(question.tolerance),
		})),
		reviewsRequired: String(queue.reviews_required),
		reviewers: queue.reviewers === null ? null : queue.reviewers.map(toPerson),
		adjudicators: queue.adjudicators.map(toPerson),
		...{
			blind: queue.blind,
			hidesModels: queue.hide_model_annotations,
			order: queue.order,
			leaseMinutes: String(queue.lease_minutes),
		},
		due: queue.due_at === null ? "" : toLocal(queue.due_at),
	};
}

type Wrong = "name" | "questions" | "reviewers" | "due";

/** What is missing or wrong in a draft, by field; the server checks the rest. */
export function wrongFields(draft: QueueDraft): ReadonlySet<Wrong> {
	const wrong = new Set<Wrong>();
	if (draft.name.trim() === "") wrong.add("name");
	if (draft.questions.length === 0 || draft.questions.some(({ configId }) => configId === "")) wrong.add("questions");
	if (draft.reviewers?.length === 0) wrong.add("reviewers");
	if (draft.due !== "" && Number.isNaN(Date.parse(draft.due))) wrong.add("due");
	return wrong;
}

type Written = Required<Omit<CreateReviewQueueBodyInput, "target" | "seed" | "blind">>;

function toBody(draft: QueueDraft): Written {
	return {
		name: draft.name.trim(),
		description: draft.description.trim() || null,
		guidance: draft.guidance.trim() === "" ? null : draft.guidance,
		questions: draft.questions.map(({ configId, isRequired, hasNote, tolerance }) => ({
			...{ annotation_config_id: configId, required: isRequired, note: hasNote },
			...(tolerance.trim() === "" ? {} : { tolerance: Number(tolerance) }),
		})),
		reviews_required: Number(draft.reviewsRequired),
		reviewers: draft.reviewers === null ? null : draft.reviewers.map(({ id }) => id),
		adjudicators: draft.adjudicators.map(({ id }) => id),
		hide_model_annotations: isBlind(draft) && draft.hidesModels,
		order: draft.order,
		lease_minutes: Number(draft.leaseMinutes),
		due_at: draft.due === "" ? null : new Date(draft.due).toISOString(),
	};
}

export function toNewBody(draft: QueueDraft): CreateReviewQueueBodyInput {
	return { ...toBody(draft), target: draft.target, blind: isBlind(draft) };
}

/** Only what was changed: questions that are sent are taken anew from their annotation configs. */
export function toPatch(queue: ReviewQueue, draft: QueueDraft): PatchReviewQueueBodyInput {
	const before = toBody(toDraft(queue));
	const after = toBody(draft);
	const changed = (Object.keys(after) as (keyof Written)[]).filter(
		(key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
	);
	return Object.fromEntries(changed.map((key) => [key, after[key]]));
}

/** 2027-01-31T18:30, in local time. */
function toLocal(time: string): string {
	const date = new Date(time);
	const two = (value: number) => String(value).padStart(2, "0");
	const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
	return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
