import type { Agreement, AnswerPair, ConfusionMatrix, LabelScore, Level, PairAgreement } from "@spanward/agreement";

/** What goes between the routes and a thread that computes figures. Plain values only. */

/** A question as far as answers to it are compared. */
export interface ComparedQuestion {
	readonly configId: number;
	/** In their order; null for a question about a number. */
	readonly labels: readonly { readonly label: string; readonly score: number | null }[] | null;
	/** Of a number. */
	readonly tolerance: number;
}

/** How far reviewers agree; gets {@link CountedItem}s. */
export interface AgreementTask {
	readonly kind: "agreement";
	readonly questions: readonly ComparedQuestion[];
	readonly reviewsRequired: number;
}

export interface CountedItem {
	/** JSON, like the decision: as `AnsweredItem` has it. */
	readonly reviews: string;
	readonly decision: string | null;
	/** Whether it may be told who answered what. */
	readonly isNamed: boolean;
}

/** How far annotations are as gold; gets pairs of answers, gold first. */
export interface CalibrationTask {
	readonly kind: "calibration";
	readonly question: ComparedQuestion;
}

export interface AgreementResult {
	/** Of whole reviews; undefined where no question has labels. */
	readonly overall?: Agreement;
	/** In the order of the questions. */
	readonly questions: readonly QuestionResult[];
}

export interface MatrixFigures extends PairAgreement {
	readonly matrix: ConfusionMatrix;
}

export interface QuestionResult {
	readonly level: Level;
	readonly agreement: Agreement;
	readonly pairs: readonly (MatrixFigures & { readonly reviewers: readonly [number, number] })[];
	readonly pairsLeftOut: number;
	readonly againstGold: readonly (MatrixFigures & { readonly reviewer: number })[];
}

export interface CalibrationResult {
	readonly agreement: Agreement;
	/** Undefined for numbers, and for more labels than a matrix has. */
	readonly matrix?: ConfusionMatrix;
	readonly labels: readonly LabelScore[];
}

/** A task, what its thread gets, and what comes of it. */
export interface Tasks {
	readonly agreement: { readonly task: AgreementTask; readonly part: CountedItem; readonly result: AgreementResult };
	readonly calibration: {
		readonly task: CalibrationTask;
		readonly part: AnswerPair;
		readonly result: CalibrationResult;
	};
}

/** Parts of what its task is about, and that there are no more. */
export type ToThread = readonly Tasks[keyof Tasks]["part"][] | "end";
