import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { filterParam } from "#http/filter-param.ts";
import { booleanParam, cursorParam, limitParam, onlyParams, textParam } from "#http/query-params.ts";
import { storedText } from "#http/stored-text.ts";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { REVIEW_ORDERS, REVIEW_TARGETS } from "#storage/schema.ts";
import { ShownAnnotation } from "../annotations/schemas.ts";
import { listFilters } from "../selections/schemas.ts";

const MOST_TARGETS = 10_000;
/** Items of a queue. */
export const MOST_ITEMS = 100_000;
const MOST_SEED = 2 ** 31 - 1;

export const noParams = onlyParams({});
export const queueParams = z.object({ queue_id: z.string().max(300) });
export const itemParams = z.object({ queue_id: z.string().max(300), item_id: z.string().max(300) });

const name = storedText(200).refine((text) => text.trim() !== "", "a name has at least one character");
const userIds = z.array(z.string().max(300)).max(1_000);

export const QuestionBody = z
	.strictObject({
		annotation_config_id: z.string().max(300),
		required: z.boolean().default(true),
		note: z.boolean().default(false).describe("Whether an answer may have an explanation."),
		tolerance: z
			.number()
			.gte(0)
			.default(0)
			.describe("Of a continuous question: answers that differ by no more than this agree."),
	})
	.meta({ id: "ReviewQuestionBody" });

const written = {
	name,
	description: storedText(10_000).nullable(),
	guidance: storedText(50_000).nullable().describe("Markdown, for reviewers."),
	questions: z.array(QuestionBody).min(1).max(20),
	reviews_required: z.int().min(1).max(9).describe("Independent answers that each item needs."),
	reviewers: userIds.min(1).nullable().describe("Ids of users; null for everybody who may annotate."),
	adjudicators: userIds.describe("Ids of users. Admins always are."),
	hide_model_annotations: z
		.boolean()
		.describe(
			"Of a blind queue: who is given an item does not get annotations by anything but people with it. The annotations themselves can still be read where they are.",
		),
	order: z
		.enum(REVIEW_ORDERS)
		.describe("Oldest and newest by when items were added; of equal priority the oldest first."),
	lease_minutes: z.int().min(1).max(1_440).describe("How long an item is kept for who took it."),
	due_at: timeParam.nullable(),
};

export const CreateReviewQueueBody = z
	.strictObject({
		name,
		description: written.description.default(null),
		guidance: written.guidance.default(null),
		target: z.enum(REVIEW_TARGETS),
		questions: written.questions,
		reviews_required: written.reviews_required.default(1),
		reviewers: written.reviewers.default(null),
		adjudicators: written.adjudicators.default([]),
		blind: z
			.boolean()
			.optional()
			.describe("Whether nobody gets the answers of others before an item is done; as when more than one is required."),
		hide_model_annotations: written.hide_model_annotations.default(false),
		order: written.order.default("oldest"),
		seed: z.int().min(0).max(MOST_SEED).optional().describe("Of the order `random`; chosen when absent."),
		lease_minutes: written.lease_minutes.default(15),
		due_at: timeParam.nullish(),
	})
	.meta({ id: "CreateReviewQueueBody" });

export const PatchReviewQueueBody = z
	.strictObject({ ...written, archived: z.boolean() })
	.partial()
	.meta({ id: "PatchReviewQueueBody" });

const Question = z
	.object({
		annotation_config_id: z.string(),
		name: z.string(),
		type: z.enum(["CATEGORICAL", "CONTINUOUS", "FREEFORM"]),
		description: z.string().nullable(),
		values: z.array(z.object({ label: z.string(), score: z.number().nullable() })).nullable(),
		lower_bound: z.number().nullable(),
		upper_bound: z.number().nullable(),
		required: z.boolean(),
		note: z.boolean(),
		tolerance: z.number(),
	})
	.describe("The annotation config as it was when the queue got it.")
	.meta({ id: "ReviewQuestion" });

const Person = z.object({ id: z.string(), username: z.string() }).meta({ id: "ReviewPerson" });

export const ReviewPeopleQuery = onlyParams({ q: z.string().trim().min(1).max(1_000) });
export const ReviewPeople = z.object({ data: z.array(Person) });

const counts = z.object({
	pending: z.int(),
	in_review: z.int(),
	disagreement: z.int(),
	done: z.int(),
	removed: z.int(),
});

export const ReviewQueue = z
	.object({
		id: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		guidance: z.string().nullable(),
		target: z.enum(REVIEW_TARGETS),
		questions: z.array(Question),
		reviews_required: z.int(),
		reviewers: z.array(z.string()).nullable(),
		adjudicators: z.array(z.string()),
		people: z
			.array(Person)
			.describe("Names of the reviewers, the adjudicators and who made it, as far as they are there."),
		blind: z.boolean(),
		hide_model_annotations: z.boolean(),
		order: z.enum(REVIEW_ORDERS),
		seed: z.int(),
		lease_minutes: z.int(),
		due_at: wireTime.nullable(),
		counts: counts.describe("Of items in projects that the caller sees."),
		created_at: wireTime,
		updated_at: wireTime,
		created_by: z.string().nullable(),
		archived_at: wireTime.nullable(),
	})
	.meta({ id: "ReviewQueue" });

export const OneReviewQueue = z.object({ data: ReviewQueue });
export const ReviewQueuePage = pageSchema(ReviewQueue).meta({ id: "ReviewQueuePage" });
export const ReviewQueueListQuery = onlyParams({
	archived: booleanParam.default(false).describe("The archived ones instead of the others."),
	cursor: cursorParam,
	limit: limitParam(100),
});
export const DeleteReviewQueueQuery = onlyParams({
	delete_annotations: booleanParam.default(false).describe("Also deletes the annotations that came of it."),
});

const targetId = z.string().min(1).max(1_000);
const Target = z
	.strictObject({
		span_id: targetId.optional(),
		trace_id: targetId.optional(),
		session_id: targetId.optional(),
		experiment_run_id: targetId.optional(),
		project: textParam
			.optional()
			.describe("Name or id of the project; needed if an id exists in several. Not of a run."),
	})
	.meta({ id: "ReviewTarget" });
const timeRange = z
	.strictObject({ start_time: timeParam.optional(), end_time: timeParam.optional() })
	.describe("On the start of the span, trace or session: from `start_time` to before `end_time`.");
export const AddItemsBody = z
	.strictObject({
		targets: z
			.array(Target)
			.min(1)
			.max(MOST_TARGETS)
			.optional()
			.describe("As they were sent, or global ids; those of one kind."),
		experiment_id: z
			.string()
			.max(300)
			.optional()
			.describe("Instead of `targets`: all runs that an experiment has now, for a queue of runs."),
		filter: z
			.union([filterParam, listFilters])
			.optional()
			.describe("Instead of `targets`: all of `project` that match a filter, or the filters of a list."),
		project: textParam.optional().describe("With `filter`: name or id of the project."),
		time_range: timeRange.optional(),
		limit: z.int().min(1).max(MOST_ITEMS).optional().describe("With `filter`: no more than so many."),
		priority: z
			.int()
			.min(-1_000_000)
			.max(1_000_000)
			.default(0)
			.describe("The highest first, with the order `priority`."),
	})
	.superRefine(({ targets, experiment_id, filter, project, time_range, limit }, context) => {
		const fault = (type: string, path: string, message: string) =>
			context.addIssue({ code: "custom", params: { type }, path: [path], message });
		const named = targets !== undefined ? "targets" : experiment_id !== undefined ? "experiment_id" : undefined;
		if (named === undefined && filter === undefined)
			fault("missing", "targets", "Give either `targets`, `experiment_id` or `filter`");
		if (named === undefined && filter !== undefined && project === undefined)
			fault("missing", "project", "Field required");
		if (named === undefined) return;
		const others = { ...(named === "targets" && { experiment_id }), filter, project, time_range, limit };
		for (const [name, value] of Object.entries(others))
			if (value !== undefined) fault("extra_forbidden", name, `This does not go with \`${named}\``);
	})
	.meta({ id: "AddReviewItemsBody" });
export const AddedItems = z.object({
	data: z.object({
		added: z.int(),
		present: z.int().describe("Already in the queue, or named twice."),
	}),
});

export const Answer = z
	.strictObject({
		annotation_config_id: z.string().max(300),
		label: storedText(1_000).nullish(),
		score: z.number().nullish(),
		explanation: storedText(100_000).nullish().describe("The answer itself where the question asks for a text."),
	})
	.meta({ id: "ReviewAnswerBody" });
const answers = z.array(Answer).max(20);
/** A page that was left open says nothing of how long a review took. */
const MOST_SECONDS = 600;
const seconds = z
	.number()
	.gte(0)
	.transform((sent) => Math.round(Math.min(sent, MOST_SECONDS) * 10) / 10);
export const AdjudicationBody = z.strictObject({ answers: answers.min(1) }).meta({ id: "ReviewAdjudicationBody" });
export const ReviewBody = z
	.strictObject({
		answers: answers.min(1),
		seconds: seconds
			.optional()
			.describe(
				"How long the page was visible, for the progress of the queue; those of the draft when absent. At most 600 count.",
			),
	})
	.meta({ id: "ReviewBody" });
export const DraftBody = z
	.strictObject({
		answers: answers.describe("As far as they are there; they need not be complete or valid."),
		seconds: seconds.optional().describe("How long the page was visible until now."),
	})
	.meta({ id: "ReviewDraftBody" });
export const SkipBody = z
	.strictObject({
		reason: storedText(1_000).refine((text) => text.trim() !== "", "a reason has at least one character"),
	})
	.meta({ id: "ReviewSkipBody" });

const GivenAnswer = z
	.object({
		annotation_config_id: z.string(),
		name: z.string(),
		label: z.string().nullable(),
		score: z.number().nullable(),
		explanation: z.string().nullable(),
	})
	.meta({ id: "ReviewAnswer" });

export const Reviewer = z
	.object({ id: z.string().nullable(), username: z.string().nullable() })
	.describe("Null for an account that was deleted, and while authentication is off.")
	.meta({ id: "Reviewer" });

const Review = z
	.object({
		reviewer: Reviewer.nullable().describe("Null where the queue is blind and the item is not decided."),
		status: z.enum(["done", "skipped"]),
		answers: z.array(GivenAnswer).nullable(),
		reason: z.string().nullable(),
		finished_at: wireTime.nullable(),
	})
	.meta({ id: "Review" });

export const ReviewItem = z
	.object({
		id: z.string(),
		target: z.object({
			kind: z.enum(REVIEW_TARGETS),
			id: z.string().describe("As it was sent."),
			name: z
				.string()
				.nullable()
				.describe("Of the span, or the root span of the trace, in lists of items; null elsewhere, and for sessions."),
			global_id: z.string(),
			trace_id: z.string().nullable().describe("Null for sessions and runs of experiments."),
			project_id: z
				.string()
				.nullable()
				.describe("Of a run of an experiment where its dataset is; null for the library."),
		}),
		state: z.enum(["pending", "in_review", "disagreement", "done", "removed"]),
		priority: z.int(),
		turns_done: z.int().describe("Answers and skips."),
		reviews: z.array(Review).describe("Those that the caller may see."),
		decision: z
			.object({ decided_by: Reviewer, decided_at: wireTime, answers: z.array(GivenAnswer) })
			.nullable()
			.describe("The answers of an adjudicator, which are the ones that count."),
		created_at: wireTime,
	})
	.meta({ id: "ReviewItem" });

export const OneReviewItem = z.object({ data: ReviewItem });
export const ReviewItemPage = pageSchema(ReviewItem).meta({ id: "ReviewItemPage" });
export const ItemListQuery = onlyParams({
	state: z.enum(["pending", "in_review", "disagreement", "done", "removed"]).optional(),
	reviewer: z.literal("me").optional().describe("Only those that the caller reviewed or skipped."),
	cursor: cursorParam,
	limit: limitParam(100),
});

const TurnAnnotation = ShownAnnotation.extend({ target: z.enum(REVIEW_TARGETS) }).meta({ id: "ReviewTurnAnnotation" });

export const Turn = z
	.object({
		item: ReviewItem,
		annotations: z
			.array(TurnAnnotation)
			.describe(
				"Of the target, the newest first, at most 20; those by people alone if the queue hides the others. Of a run of an experiment its evaluations, and reviews of it that may be seen.",
			),
		reserved_until: wireTime,
		draft: z
			.object({ answers, seconds: z.number().optional() })
			.nullable()
			.describe("What the caller kept of this item."),
	})
	.meta({ id: "ReviewTurn" });
export const OneTurn = z.object({ data: Turn });
export const SubmitQuery = onlyParams({
	next: booleanParam.default(false).describe("Take the next item, too, in the same answer."),
});
export const SubmittedReview = OneReviewItem.extend({
	next: Turn.nullable()
		.optional()
		.describe(
			"With `next=true`: as of `POST …/next`, null where nothing is left. Absent where that is refused; asked by itself it says why.",
		),
});

export const OwnReviews = z.object({ data: z.array(ReviewItem) }).describe("The newest first, at most 50.");

export const OpenReviews = z.object({ data: z.array(z.object({ queue_id: z.string(), count: z.int() })) });
export const UpcomingQuery = onlyParams({ limit: limitParam(3, 10) });
export const UpcomingReviews = z.object({ data: z.array(ReviewItem) }).describe("The next one first.");

export const ReviewItemsOfTrace = z.object({
	data: z.array(
		z.object({
			queue_id: z.string(),
			queue_name: z.string(),
			item_id: z.string(),
			target: z.object({ kind: z.enum(REVIEW_TARGETS), id: z.string() }),
			state: z.enum(["pending", "in_review", "disagreement", "done", "removed"]),
		}),
	),
});
