import type { Context } from "#context.ts";
import { deleteExperiment } from "../experiments/delete-experiment.ts";

/** Deletes the experiments of a dataset and the projects with their traces, in short transactions. */
export async function deleteExperimentsOf(
	{ db, discard }: Pick<Context, "db" | "discard">,
	datasetId: number,
): Promise<void> {
	for (;;) {
		const experiment = await db.read
			.selectFrom("experiments")
			.leftJoin("projects", "projects.id", "experiments.project_id")
			.select(["experiments.id", "experiments.project_id", "projects.origin"])
			.where("experiments.dataset_id", "=", datasetId)
			.orderBy("experiments.id")
			.executeTakeFirst();
		if (experiment === undefined) return;
		// The project first: once the experiment is deleted, nothing says that the project belonged to it.
		if (experiment.project_id !== null && experiment.origin === "experiment") {
			await discard.deleteProject(experiment.project_id);
		}
		await deleteExperiment((work) => discard.write(work), experiment.id);
	}
}
