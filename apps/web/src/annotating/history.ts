import { deleteAnnotation, restore } from "./queries.ts";
import type { Annotation, AnnotationTarget } from "./types.ts";

/** Something that was done by hand, and what was there before. */
export interface Step {
	readonly project: string;
	readonly target: AnnotationTarget;
	/** In words. */
	readonly text: string;
	/** What was made anew; undoing deletes it. */
	readonly created: readonly string[];
	/** What was changed or deleted; undoing writes it again. */
	readonly before: readonly Annotation[];
}

/** The steps of this visit, the newest last; survives going from trace to trace. */
export type History = Step[];

export async function undoStep(step: Step): Promise<void> {
	for (const id of step.created) await deleteAnnotation(id);
	for (const annotation of step.before) await restore(step.project, step.target, annotation);
}
