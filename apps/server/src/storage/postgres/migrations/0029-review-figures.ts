import type { ClientBase } from "pg";

/** As SQLite's migration of this number. */
export async function addReviewFigures(client: ClientBase): Promise<void> {
	await client.query(`
		alter table review_turns add column seconds double precision;
		alter table review_queues add column hide_model_annotations bigint not null default 0
			check (hide_model_annotations in (0, 1));
	`);
}
