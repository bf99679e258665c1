import type { ReviewItem } from "@spanward/client";
import type { ComponentType } from "react";

/** Shows what an item is about, beside a form: the trace, its span, the session, or the run of an experiment. */
export type ReviewTargetView = ComponentType<{
	readonly target: ReviewItem["target"];
	/** Nothing is said of annotations. */
	readonly hidesAnnotations?: boolean;
}>;

/** Loads what will be shown of an item, before it is. */
export type LoadAhead = (items: readonly ReviewItem[], hidesAnnotations: boolean) => void;
