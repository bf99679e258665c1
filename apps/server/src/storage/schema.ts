import type { Generated } from "kysely";

/** Rows of the metadata tables, as Kysely sees them. The trace tables are written by hand-made statements. */
export interface Tables {
	projects: {
		id: Generated<number>;
		name: string;
		description: string | null;
		/** Microseconds since 1970. */
		created_at: number;
		updated_at: number;
	};
}
