import type { Kysely } from "kysely";
import type { z } from "zod";
import { type Issue, ValidationError } from "#base/errors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { decodeConfigId } from "../annotation-configs/queries.ts";
import { toAnnotationConfig } from "../annotation-configs/to-annotation-config.ts";
import type { Answer, QuestionBody } from "./schemas.ts";

/** What reviewers are asked, as it is stored with the queue. */
export interface Question {
	/** Row number of the annotation config, which may be gone or changed since. */
	readonly configId: number;
	readonly name: string;
	readonly type: "CATEGORICAL" | "CONTINUOUS" | "FREEFORM";
	readonly description: string | null;
	readonly values: readonly { readonly label: string; readonly score: number | null }[] | null;
	readonly lowerBound: number | null;
	readonly upperBound: number | null;
	readonly required: boolean;
	readonly note: boolean;
	readonly tolerance: number;
}

/** An answer to a question, as it is stored. */
export interface GivenAnswer {
	readonly configId: number;
	readonly name: string;
	readonly label: string | null;
	readonly score: number | null;
	readonly explanation: string | null;
}

const ID_TYPES = {
	CATEGORICAL: "CategoricalAnnotationConfig",
	CONTINUOUS: "ContinuousAnnotationConfig",
	FREEFORM: "FreeformAnnotationConfig",
} as const;

export function configIdOf({ type, configId }: Pick<Question, "type" | "configId">): string {
	return encodeGlobalId(ID_TYPES[type], configId);
}

/**
 * The questions with their annotation configs as they are now.
 * @throws ValidationError for unknown configs, those that are named twice, and a tolerance where nothing is measured
 */
export async function readQuestions(
	db: Kysely<Tables>,
	asked: readonly z.output<typeof QuestionBody>[],
): Promise<readonly Question[]> {
	const ids = asked.map(({ annotation_config_id }) => decodeConfigId(annotation_config_id));
	const known = ids.filter((id) => id !== undefined);
	const rows = await db.selectFrom("annotation_configs").selectAll().where("id", "in", listed(known)).execute();
	const configs = new Map(rows.map((row) => [row.id, toAnnotationConfig(row)]));
	const issues: Issue[] = [];
	const questions: Question[] = [];
	for (const [index, { required, note, tolerance }] of asked.entries()) {
		const id = ids[index];
		const config = id === undefined ? undefined : configs.get(id);
		const issue = (type: string, member: string, msg: string) =>
			issues.push({ type, loc: ["body", "questions", index, member], msg });
		if (id === undefined || config === undefined) {
			issue("unknown_annotation_config", "annotation_config_id", "Input should be the id of an annotation config");
			continue;
		}
		if (ids.indexOf(id) < index)
			issue("duplicate_annotation_config", "annotation_config_id", "An annotation config is asked for once");
		if (tolerance > 0 && config.type !== "CONTINUOUS")
			issue("tolerance_of_no_number", "tolerance", "Only continuous questions have a tolerance");
		questions.push({
			...{ configId: id, name: config.name, type: config.type, description: config.description },
			values: config.type === "CATEGORICAL" ? config.values : null,
			lowerBound: config.type === "CONTINUOUS" ? config.lower_bound : null,
			upperBound: config.type === "CONTINUOUS" ? config.upper_bound : null,
			...{ required, note, tolerance },
		});
	}
	if (issues.length > 0) throw new ValidationError(issues);
	return questions;
}

/**
 * Checks answers against the questions of a queue.
 * @returns in the order of the questions
 * @throws ValidationError for missing, unknown and impossible answers
 */
export function checkAnswers(
	questions: readonly Question[],
	sent: readonly z.output<typeof Answer>[],
): readonly GivenAnswer[] {
	const issues: Issue[] = [];
	const given = new Map<number, GivenAnswer>();
	for (const [index, answer] of sent.entries()) {
		const id = decodeConfigId(answer.annotation_config_id);
		const question = questions.find(({ configId }) => configId === id);
		const fault =
			question === undefined
				? { type: "unknown_question", member: "annotation_config_id", msg: "The queue does not ask this" }
				: given.has(question.configId)
					? { type: "duplicate_answer", member: "annotation_config_id", msg: "A question is answered once" }
					: faultOf(question, answer);
		if (fault !== undefined)
			issues.push({ type: fault.type, loc: ["body", "answers", index, fault.member], msg: fault.msg });
		else if (question !== undefined) given.set(question.configId, toGiven(question, answer));
	}
	for (const { configId, name, required } of questions) {
		if (required && issues.length === 0 && !given.has(configId))
			issues.push({
				type: "missing",
				loc: ["body", "answers"],
				msg: `The question '${name.slice(0, 100)}' is required`,
			});
	}
	if (issues.length > 0) throw new ValidationError(issues);
	return questions.flatMap(({ configId }) => given.get(configId) ?? []);
}

interface Fault {
	readonly type: string;
	readonly member: "annotation_config_id" | "label" | "score" | "explanation";
	readonly msg: string;
}

type Sent = z.output<typeof Answer>;

function faultOf(question: Question, { label, score, explanation }: Sent): Fault | undefined {
	const { type, values, lowerBound, upperBound, note } = question;
	const extra = (member: Fault["member"]): Fault => ({
		type: "extra_forbidden",
		member,
		msg: "The question has no such answer",
	});
	if (type === "FREEFORM") {
		if (label != null) return extra("label");
		if (score != null) return extra("score");
		return explanation == null || explanation.trim() === ""
			? { type: "missing", member: "explanation", msg: "Field required" }
			: undefined;
	}
	if (explanation != null && !note) return extra("explanation");
	if (type === "CATEGORICAL") {
		if (score != null) return extra("score");
		return values?.some((value) => value.label === label) === true
			? undefined
			: { type: "unknown_label", member: "label", msg: "Input should be one of the labels of the question" };
	}
	if (label != null) return extra("label");
	if (score == null) return { type: "missing", member: "score", msg: "Field required" };
	return (lowerBound !== null && score < lowerBound) || (upperBound !== null && score > upperBound)
		? { type: "out_of_bounds", member: "score", msg: "Input should be within the bounds of the question" }
		: undefined;
}

function toGiven(
	{ configId, name, values }: Question,
	{ label = null, score = null, explanation = null }: Sent,
): GivenAnswer {
	const ofLabel = values?.find((value) => value.label === label)?.score ?? null;
	return { configId, name, label, score: score ?? ofLabel, explanation };
}

/** Of two numbers that were sent as decimal fractions, so much of their difference is rounding, for numbers up to 1. */
export const ROUNDING = 1e-9;

/** Whether answers of several reviewers differ: labels at all, numbers by more than the tolerance, texts never. */
export function differ(questions: readonly Question[], all: readonly (readonly GivenAnswer[])[]): boolean {
	return questions.some(({ configId, type, tolerance }) => {
		const answers = all.flatMap((given) => given.find((answer) => answer.configId === configId) ?? []);
		if (type === "CATEGORICAL") return new Set(answers.map(({ label }) => label)).size > 1;
		const scores = answers.flatMap(({ score }) => score ?? []);
		return type !== "FREEFORM" && differByMore(tolerance, scores);
	});
}

/** Whether two of these numbers are further apart than `tolerance`. */
export function differByMore(tolerance: number, scores: readonly number[]): boolean {
	if (scores.length < 2) return false;
	const [least, most] = [Math.min(...scores), Math.max(...scores)];
	return most - least > tolerance + ROUNDING * Math.max(Math.abs(least), Math.abs(most), 1);
}

export function questionsOf(row: { readonly questions: string }): readonly Question[] {
	return JSON.parse(row.questions) as readonly Question[];
}

export function answersOf(json: string): readonly GivenAnswer[] {
	return JSON.parse(json) as readonly GivenAnswer[];
}
