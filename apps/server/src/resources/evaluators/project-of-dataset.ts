import { noteRightsChange } from "#access/rights/change-rights.ts";
import type { Context } from "#context.ts";
import { toHome } from "#http/seen-homes.ts";
import type { Write } from "#storage/database.ts";
import { insertProject, type ProjectRow } from "../projects/queries.ts";

const MOST_OF_NAME = 200;

/**
 * The project that gets the traces of what evaluates the experiments of a dataset; it is made when it is first
 * needed. It lives where the dataset does, so that whoever sees the one sees the other.
 */
export async function projectOfDataset(
	{ auth, db, now }: Pick<Context, "auth" | "db" | "now">,
	datasetId: number,
	write: Write,
): Promise<Pick<ProjectRow, "id" | "name">> {
	const found = await db.read
		.selectFrom("datasets")
		.innerJoin("projects", "projects.id", "datasets.evaluators_project_id")
		.select(["projects.id", "projects.name"])
		.where("datasets.id", "=", datasetId)
		.executeTakeFirst();
	if (found !== undefined) return found;
	const made = await write(async (transaction) => {
		const dataset = await transaction
			.selectFrom("datasets")
			.leftJoin("projects", "projects.id", "datasets.evaluators_project_id")
			.select(["datasets.name", "datasets.project_id as home", "projects.id", "projects.name as made"])
			.where("datasets.id", "=", datasetId)
			.executeTakeFirstOrThrow();
		if (dataset.id !== null && dataset.made !== null) return { id: dataset.id, name: dataset.made };
		const { restricted } = await auth.rights.stateIn(transaction);
		if (restricted.has(toHome(dataset.home))) await noteRightsChange(transaction);
		// Anybody may have given another project the name.
		for (const suffix of ["", ` #${datasetId}`, ` #${datasetId} ${now()}`]) {
			const project = await insertProject(transaction, {
				...{ name: `evaluators of ${dataset.name.slice(0, MOST_OF_NAME)}${suffix}`, description: null },
				...{ origin: "evaluators", maker: null, pinnedAccess: auth.rights.pinnedAccess, now: now() },
			});
			if (project === undefined) continue;
			const change = { evaluators_project_id: project.id };
			await transaction.updateTable("datasets").set(change).where("id", "=", datasetId).execute();
			return project;
		}
		throw new Error(`every name for the evaluators' project of dataset ${datasetId} is taken`);
	});
	auth.rights.invalidate();
	return made;
}
