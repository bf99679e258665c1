import type { DatabaseSync } from "node:sqlite";

/**
 * How many seconds the page of a review was visible, at most 600, null where nobody said it; and whether annotations by models
 * and code are given with the items of a blind queue.
 */
export function addReviewFigures(db: DatabaseSync): void {
	db.exec(`
		alter table review_turns add column seconds real;
		alter table review_queues add column hide_model_annotations integer not null default 0
			check (hide_model_annotations in (0, 1));
	`);
}
