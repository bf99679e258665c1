import type { ReviewItem } from "@spanward/client";

/** The project of the span that an item can be made an example of; none for a run of an experiment, which is of one. */
export function spanProjectOf({ target: { kind, project_id } }: ReviewItem): string | undefined {
	return kind === "experiment_run" ? undefined : (project_id ?? undefined);
}
