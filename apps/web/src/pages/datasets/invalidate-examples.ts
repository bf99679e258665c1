import type { QueryClient } from "@tanstack/react-query";

/** Invalidates all queries that a new version of the dataset affects. */
export async function invalidateExamples(queries: QueryClient, dataset: string): Promise<void> {
	const keys = ["dataset", "dataset-versions", "dataset-splits", "examples", "example", "example-revisions"];
	await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key, dataset] })));
	void queries.invalidateQueries({ queryKey: ["datasets"] });
}
