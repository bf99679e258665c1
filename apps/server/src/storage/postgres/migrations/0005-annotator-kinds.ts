import type { ClientBase } from "pg";

/** Annotations and evaluations may be of the kinds AGENT and DECISION, too. The rows that are there need no look. */
export async function addAnnotatorKinds(client: ClientBase): Promise<void> {
	for (const table of ["annotations", "experiment_evaluations"])
		await client.query(`
			alter table ${table} drop constraint ${table}_annotator_kind_check;
			alter table ${table} add constraint ${table}_annotator_kind_check
				check (annotator_kind in ('LLM', 'CODE', 'HUMAN', 'AGENT', 'DECISION')) not valid`);
}
