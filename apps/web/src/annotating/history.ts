import { deleteAnnotation, restore } from "./queries.ts";
import type { Annotation, AnnotationTarget } from "./types.ts";

/** One action, with the annotations as they were before. */
export interface Step {
	readonly project: string;
	readonly target: AnnotationTarget;
	/** Description for the user. */
	readonly text: string;
	/** Ids of created annotations, which undoing deletes. */
	readonly created: readonly string[];
	/** Changed or deleted annotations, which undoing writes again. */
	readonly before: readonly Annotation[];
}

/** The actions of this visit, the newest last; kept when another trace is opened. */
export type History = Step[];

export async function undoStep(step: Step): Promise<void> {
	for (const id of step.created) await deleteAnnotation(id);
	for (const annotation of step.before) await restore(step.project, step.target, annotation);
}
