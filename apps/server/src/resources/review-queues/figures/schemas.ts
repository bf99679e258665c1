import { z } from "zod";
import { escapeFormulasParam } from "#http/csv-line.ts";
import { pageSchema } from "#http/cursors.ts";
import { cursorParam, limitParam, onlyParams } from "#http/query-params.ts";
import { wireTime } from "#http/wire-times.ts";
import { ANNOTATOR_KINDS, REVIEW_TARGETS } from "#storage/schema.ts";
import { Reviewer } from "../schemas.ts";

const Estimate = z
	.object({
		state: z
			.enum(["measured", "too_few", "undefined"])
			.describe(
				"`too_few`: below 10 pairs of answers. `undefined`: all answers are of one category, so that a statistic that corrects for chance is 0/0.",
			),
		value: z.number().nullable(),
		interval: z
			.object({ low: z.number(), high: z.number() })
			.nullable()
			.describe("95 %, by 2,000 resamples of the items; the same for the same answers."),
		pairs: z.int().describe("Pairs of answers to the same item."),
	})
	.meta({ id: "ReviewEstimate" });

const Matrix = z
	.object({
		labels: z.array(z.string()),
		counts: z
			.array(z.array(z.int()))
			.describe("`counts[i][j]`: items to which the first gave `labels[i]`, and the second `labels[j]`."),
		pairs: z.int(),
	})
	.meta({ id: "ReviewConfusionMatrix" });

const measured = {
	percent_agreement: Estimate.describe("From 0 to 1; numbers agree within the tolerance of the question."),
	cohens_kappa: Estimate.nullable().describe("Null where there are not exactly two reviewers, and of numbers."),
	krippendorffs_alpha: Estimate,
};

const Agreement = z
	.object({
		items: z.int().describe("With two answers or more."),
		answers: z.int().describe("To these items."),
		...measured,
		fleiss_kappa: Estimate.nullable().describe(
			"Of items with exactly as many answers as are required. Null of numbers.",
		),
	})
	.meta({ id: "ReviewAgreement" });

const pairFigures = { matrix: Matrix, percent_agreement: Estimate, cohens_kappa: Estimate };
const ReviewerPair = z
	.object({ reviewers: z.array(Reviewer).length(2).describe("The first has the rows of the matrix."), ...pairFigures })
	.meta({ id: "ReviewerPair" });
const ReviewerAgainstGold = z
	.object({ reviewer: Reviewer, ...pairFigures })
	.describe("Gold has the rows of the matrix: what adjudicators decided.")
	.meta({ id: "ReviewerAgainstGold" });

const QuestionAgreement = z
	.object({
		annotation_config_id: z.string(),
		name: z.string(),
		type: z.enum(["CATEGORICAL", "CONTINUOUS"]),
		level: z
			.enum(["nominal", "ordinal", "interval"])
			.describe("Labels are `ordinal` where each has a score, and these go up or down in their order."),
		agreement: Agreement,
		reviewer_pairs: z.array(ReviewerPair).describe("Those with the most items in common, at most 50. None of numbers."),
		reviewer_pairs_left_out: z.int(),
		against_gold: z.array(ReviewerAgainstGold).describe("None of numbers."),
	})
	.meta({ id: "ReviewQuestionAgreement" });

export const QueueAgreement = z.object({
	data: z
		.object({
			reviews_required: z.int(),
			items: z.int().describe("Items whose answers count: of a blind queue those that are done."),
			disagreements_left_out: z
				.int()
				.describe(
					"Of a blind queue, items that wait for an adjudicator, whose answers only adjudicators may see: figures of others are better than those of all items.",
				),
			overall: Agreement.nullable().describe(
				"Of whole reviews: two agree where all their labels do. Null where no question has labels.",
			),
			questions: z.array(QuestionAgreement).describe("Texts are not compared."),
		})
		.meta({ id: "ReviewQueueAgreement" }),
});

const seconds = z.number().nullable().describe("With the page visible; of reviews that said it.");

export const QueueProgress = z.object({
	data: z
		.object({
			items: z.int(),
			done: z.int(),
			left: z.int().describe("Items that wait for reviews."),
			disagreements: z.int().describe("Items that wait for an adjudicator."),
			removed: z.int(),
			reviews: z.int(),
			reviews_left: z.int().describe("Reviews that the items that are left still need."),
			skips: z.int(),
			decisions: z.int(),
			median_seconds: seconds,
			reviewers: z
				.array(z.object({ reviewer: Reviewer, reviews: z.int(), skips: z.int(), median_seconds: seconds }))
				.describe("Most reviews first."),
			days: z
				.array(z.object({ date: z.iso.date(), reviews: z.int(), skips: z.int(), decisions: z.int() }))
				.describe("In UTC, of those on which there was something the last 400, the oldest first."),
			estimated_end: wireTime
				.nullable()
				.describe(
					"When the last review would be there at the pace of the last seven days. Null when nothing is left, with fewer than 10 reviews in that time, and of an archived queue.",
				),
		})
		.describe("Of items in projects that the caller sees.")
		.meta({ id: "ReviewQueueProgress" }),
});

export const CalibrationQuery = onlyParams({
	annotation_name: z.string().min(1).max(1_000).describe("Name of the annotations that are compared with gold."),
	annotation_config_id: z
		.string()
		.max(300)
		.optional()
		.describe("The question; when absent the one of that name, else the first that does not ask for a text."),
	identifier: z
		.string()
		.max(1_000)
		.optional()
		.describe("Only annotations with it. When absent: of several on the same target the one that was changed last."),
	gold: z
		.enum(["all", "decisions"])
		.default("all")
		.describe("`decisions`: only what adjudicators decided; else also what all reviewers answered alike."),
	format: z.enum(["json", "csv"]).default("json").describe("`csv`: the table of all items where they differ."),
	escape_formulas: escapeFormulasParam,
	cursor: cursorParam,
	limit: limitParam(100),
});

const LabelScore = z
	.object({
		label: z.string(),
		precision: z.number().nullable().describe("Null where nothing was judged so."),
		recall: z.number().nullable().describe("Null where gold never says so."),
		f1: z.number().nullable(),
		gold: z.int().describe("How often gold says so."),
		judged: z.int().describe("How often it was judged so."),
	})
	.meta({ id: "ReviewLabelScore" });

const Difference = z
	.object({
		item_id: z.string(),
		target: z.object({
			kind: z.enum(REVIEW_TARGETS),
			id: z.string().describe("As it was sent."),
			global_id: z.string(),
			project_id: z.string().nullable().describe("Null for a run of an experiment in the library."),
		}),
		gold: z.object({
			label: z.string().nullable(),
			score: z.number().nullable(),
			is_decision: z.boolean().describe("An adjudicator decided it; else the reviewers agreed."),
		}),
		judged: z.object({
			label: z.string().nullable(),
			score: z.number().nullable(),
			explanation: z.string().nullable().describe("Its first 2,000 characters."),
			annotator_kind: z.enum(ANNOTATOR_KINDS),
			identifier: z.string(),
		}),
	})
	.meta({ id: "ReviewDifference" });

export const QueueCalibration = z
	.object({
		data: z
			.object({
				annotation_name: z.string(),
				annotation_config_id: z.string(),
				name: z.string(),
				type: z.enum(["CATEGORICAL", "CONTINUOUS"]),
				gold_items: z.int().describe("Items with a gold answer to the question."),
				compared: z
					.int()
					.describe("Those of them that have such an annotation, with a label or number as it is asked for."),
				differing: z.int(),
				...measured,
				matrix: Matrix.nullable().describe("Gold has the rows. Null of numbers, and with more than 200 labels."),
				labels: z.array(LabelScore).describe("In the order of the matrix."),
				differences: pageSchema(Difference).shape.data.describe("A page of the items where they differ."),
			})
			.meta({ id: "ReviewQueueCalibration" }),
		next_cursor: z.string().nullable(),
	})
	.meta({ id: "ReviewQueueCalibrationPage" });

export const CalibratedNames = z.object({
	data: z.array(
		z
			.object({
				name: z.string(),
				items: z.int().describe("Items that are done or decided whose targets have such an annotation."),
				has_labels: z.boolean(),
				has_scores: z.boolean(),
			})
			.meta({ id: "ReviewAnnotationName" }),
	),
});

export const ExportQuery = onlyParams({
	format: z.enum(["csv", "jsonl"]).default("csv"),
	escape_formulas: escapeFormulasParam,
});
