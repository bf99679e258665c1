import type { Context } from "#context.ts";
import { deleteExperiment } from "../experiments/delete-experiment.ts";

/** Deletes the experiments of a dataset and the projects with their traces, in short transactions. */
export async function deleteExperimentsOf(
	{ db, traces }: Pick<Context, "db" | "traces">,
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
			await traces.deleteProject(experiment.project_id);
		}
		await deleteExperiment(db, experiment.id);
	}
}
