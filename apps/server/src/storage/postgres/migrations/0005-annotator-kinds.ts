import type { ClientBase } from "pg";

/** Adds the annotator kinds AGENT and DECISION to annotations and evaluations. Existing rows need no check. */
export async function addAnnotatorKinds(client: ClientBase): Promise<void> {
	for (const table of ["annotations", "experiment_evaluations"])
		await client.query(`
			alter table ${table} drop constraint ${table}_annotator_kind_check;
			alter table ${table} add constraint ${table}_annotator_kind_check
				check (annotator_kind in ('LLM', 'CODE', 'HUMAN', 'AGENT', 'DECISION')) not valid`);
}
